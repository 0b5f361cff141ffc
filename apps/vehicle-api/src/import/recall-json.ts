import { ImportError } from '@hearth/chassis/importing/import-error'
import type { Rejection } from '@hearth/chassis/importing/report'
import { splitComponents } from '../model/components.ts'
import { calendarDate, yearOf } from '../model/dates.ts'
import { peek } from './open-members.ts'
import { decodeLine, splitLines } from './read-lines.ts'
import { isYes, recalledVehicle, textOrNull, type RecallRecord, type Refused } from './recall-row.ts'
import type { Batch } from './batch.ts'
import { stated } from './stated.ts'

/** Whether a file that begins so holds JSON. */
export function isJson(head: Buffer): boolean {
  return /^(?:\u00ef\u00bb\u00bf)?\s*[[{]/.test(head.toString('latin1', 0, 64))
}

/** Answers of the API are read whole: one for every model year of a make has 20 MB. */
const largestDocument = 2 ** 28

/**
 * The recalls in answers of the API: `{"results": [...]}`, a list of recalls, or one of these or a recall a line.
 * What is called a line in rejections is the line, or the place in the list.
 *
 * @throws ImportError (from the iteration) when it is no such document
 */
export async function* jsonRecalls(
  chunks: AsyncIterable<Buffer>,
  currentYear: number,
): AsyncGenerator<Batch<RecallRecord>> {
  const { first, all } = await peek(chunks)
  if (!isByLine(first)) {
    yield batchOf([recallsIn(await document(all))], 0, currentYear)
    return
  }
  let before = 0
  for await (const lines of splitLines(all)) {
    yield batchOf(lines.map(recallsInLine), before, currentYear)
    before += lines.length
  }
}

/** Whether the first of several lines is a JSON value of its own. */
function isByLine(first: Buffer): boolean {
  const end = first.indexOf(10)
  if (end < 0 || first.subarray(end).toString('latin1').trim() === '') return false
  return parsed(first.toString('utf8', 0, end).replace(/^\ufeff/, '')) !== undefined
}

/** The value of a text; undefined when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function document(chunks: AsyncIterable<Buffer>): Promise<unknown> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    bytes += chunk.length
    if (bytes > largestDocument) throw new ImportError('It is one JSON document of more than 256 MB.')
  }
  const whole = Buffer.concat(parts)
  try {
    return JSON.parse(decodeLine(whole, 0, whole.length).replace(/^\ufeff/, ''))
  } catch (error) {
    throw new ImportError(`It is no JSON document: ${stated(error)}.`)
  }
}

/** The recalls in a list, in an answer of the API, or the one it is. */
function recallsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const results = fieldsOf(value)?.get('results')
  return Array.isArray(results) ? results : [value]
}

function recallsInLine(line: string | null): readonly unknown[] {
  return line?.trim() === '' ? [] : recallsIn(parsed(line ?? ''))
}

/** @param groups the recalls of each line; where there is one group, its recalls are numbered instead */
function batchOf(
  groups: readonly (readonly unknown[])[],
  before: number,
  currentYear: number,
): Batch<RecallRecord> {
  const records: RecallRecord[] = []
  const rejections: Rejection[] = []
  const [only] = groups
  const values = groups.length === 1 && only !== undefined ? only.map((value) => [value]) : groups
  for (const [index, group] of values.entries()) {
    for (const value of group) {
      const recall = readRecall(value, currentYear)
      if ('reason' in recall) rejections.push({ line: before + index + 1, ...recall })
      else records.push(recall)
    }
  }
  return { lines: values.length, records, rejections }
}

type Fields = ReadonlyMap<string, unknown>

/** By name in small letters: the API has `Make` here and `make` there. */
function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return new Map(Object.entries(value).map(([name, field]) => [name.toLowerCase(), field]))
}

function readRecall(value: unknown, currentYear: number): RecallRecord | Refused {
  const fields = fieldsOf(value)
  if (fields === undefined) return { subject: '', reason: 'It is no JSON object.', isFault: true }
  const text = (...names: string[]): string => textIn(fields, names)
  const campaign = text('nhtsacampaignnumber', 'campaignnumber', 'campaign')
  const texts = { campaign, make: text('make'), model: text('model'), year: text('modelyear', 'year') }
  const vehicle = recalledVehicle(texts, currentYear)
  if ('reason' in vehicle) return vehicle
  const units = Number(text('potentialnumberofunitsaffected', 'units'))
  return {
    ...vehicle,
    manufacturer: textOrNull(text('manufacturer')),
    received: recallDate(text('reportreceiveddate', 'date'), vehicle.campaign),
    components: splitComponents(text('component')),
    ...{ summary: textOrNull(text('summary')), consequence: textOrNull(text('consequence', 'conequence')) },
    ...{ remedy: textOrNull(text('remedy')), notes: textOrNull(text('notes')) },
    units: Number.isInteger(units) && units > 0 ? units : null,
    ...{ doNotDrive: isYes(text('parkit')), parkOutside: isYes(text('parkoutside')) },
  }
}

/** Without what no database takes: escapes may stand for NUL or for halves of characters. */
function textIn(fields: Fields, names: readonly string[]): string {
  const value = names.map((name) => fields.get(name)).find((field) => field !== undefined && field !== null)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).toWellFormed().replaceAll('\0', ' ').trim()
    : ''
}

/**
 * The date of a recall: `DD/MM/YYYY`, the day first (the month first only where it could not be otherwise), or
 * `YYYY-MM-DD`.
 *
 * @returns null when it is no date, or one that its campaign, which begins with its year, contradicts
 */
export function recallDate(text: string, campaign: string): string | null {
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(text)
  const dashed = /^(\d{4})-(\d\d)-(\d\d)/.exec(text)
  const [a, b, c] = (slashed ?? dashed ?? []).slice(1).map(Number)
  if (a === undefined || b === undefined || c === undefined) return null
  const date = dashed === null ? (calendarDate(c, b, a) ?? calendarDate(c, a, b)) : calendarDate(a, b, c)
  return date !== null && Math.abs(yearOf(date) - campaignYear(campaign)) <= 1 ? date : null
}

/** Numbers begin in 1966. */
function campaignYear(campaign: string): number {
  const year = Number(campaign.slice(0, 2))
  return year >= 66 ? 1900 + year : 2000 + year
}
