import type { Rejection } from '@hearth/chassis/importing/report'
import { openMembers, peek } from './open-members.ts'
import type { TableReading } from './rating-file.ts'
import { splitLines } from './read-lines.ts'
import { isJson, jsonRecalls } from './recall-json.ts'
import { readRecallRow, type RecallRecord } from './recall-row.ts'
import type { Batch } from './batch.ts'

export type { RecallRecord } from './recall-row.ts'

/**
 * The recalls in a recall file: the flat files FLAT_RCL_PRE_2010 and FLAT_RCL_POST_2010 (TAB, 24 or more columns, no
 * header), or answers of the authority's API (`{"results": [...]}`, a list, or one object a line). One record for
 * each line: a campaign, a vehicle and a component.
 *
 * @throws ImportError (from the iteration) when it is none of these or cannot be read to its end
 */
export async function* readRecalls(
  path: string,
  { currentYear, onProgress }: TableReading,
): AsyncGenerator<Batch<RecallRecord>> {
  const expected = { members: /\.(?:txt|lst|jsonl?)$/i, inWords: 'a recall file (.txt or .json)', onProgress }
  let before = 0
  for await (const { chunks } of openMembers(path, expected)) {
    const { first, all } = await peek(chunks)
    const batches = isJson(first) ? jsonRecalls(all, currentYear) : flatRecalls(all, currentYear)
    const start = before
    for await (const batch of batches) {
      before += batch.lines
      yield start === 0 ? batch : { ...batch, rejections: batch.rejections.map(shifted(start)) }
    }
  }
}

function shifted(by: number): (rejection: Rejection) => Rejection {
  return (rejection) => ({ ...rejection, line: rejection.line + by })
}

async function* flatRecalls(
  chunks: AsyncIterable<Buffer>,
  currentYear: number,
): AsyncGenerator<Batch<RecallRecord>> {
  let line = 0
  for await (const lines of splitLines(chunks)) {
    const records: RecallRecord[] = []
    const rejections: Rejection[] = []
    for (const text of lines) {
      line++
      const recall = readRecallRow(text?.split('\t'), currentYear)
      if ('reason' in recall) rejections.push({ line, ...recall })
      else records.push(recall)
    }
    yield { lines: lines.length, records, rejections }
  }
}
