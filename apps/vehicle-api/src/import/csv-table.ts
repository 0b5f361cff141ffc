import { ImportError } from '@hearth/chassis/importing/import-error'
import { parse } from 'csv-parse'
import { Readable } from 'node:stream'
import { openMembers } from './open-members.ts'
import { splitLines } from './read-lines.ts'
import { stated } from './stated.ts'

/** A line of a table by the names of its columns, in capitals. */
export type TableRow = {
  /** Number of its last line in the file, from 1. */
  readonly line: number
  readonly cell: (name: string) => string
}

/** A table that is looked for in a file. */
export type TableOptions = {
  /** Columns that must be there, in capitals, each with its other names. */
  readonly required: readonly (readonly [string, ...string[]])[]
  /** What the table is, for messages: "a table of sales". */
  readonly name: string
  readonly onProgress?: (share: number) => void
}

/**
 * The rows of a table with a header, separated by commas, semicolons or tabs; plain, gzip or zip, in UTF-8 or
 * Windows-1252. The order of the columns and others beside them make no difference.
 *
 * @throws ImportError (from the iteration) when it lacks a column or cannot be read to its end
 */
export async function* readTable(path: string, options: TableOptions): AsyncGenerator<TableRow[]> {
  const { onProgress, required } = options
  const expected = { members: /\.(?:csv|txt)$/i, inWords: 'a table (.csv)', onProgress }
  for await (const { chunks } of openMembers(path, expected)) {
    let columns: ReadonlyMap<string, number> | undefined
    for await (const rows of parseRows(chunks)) {
      const [head] = rows
      if (columns === undefined && head !== undefined) {
        columns = readHeader(head.record, options)
        rows.shift()
      }
      const known = columns ?? new Map<string, number>()
      yield rows.map(({ info, record }) => ({ line: info.lines, cell: cellOf(record, known, required) }))
    }
    if (columns === undefined) throw new ImportError(`It has no header; expected ${options.name}.`)
  }
}

function cellOf(
  record: readonly string[],
  columns: ReadonlyMap<string, number>,
  required: TableOptions['required'],
): TableRow['cell'] {
  return (name) => {
    const names = required.find(([first]) => first === name) ?? [name]
    const at = names.map((other) => columns.get(other)).find((position) => position !== undefined)
    return at === undefined ? '' : (record[at] ?? '').trim()
  }
}

function readHeader(record: readonly string[], { required, name }: TableOptions): Map<string, number> {
  const columns = new Map<string, number>()
  for (const [at, text] of record.entries()) {
    const column = text
      .trim()
      .toUpperCase()
      .replaceAll(/[\s-]+/g, '_')
    if (!columns.has(column)) columns.set(column, at)
  }
  const missing = required.filter((names) => !names.some((column) => columns.has(column)))
  if (missing.length > 0) {
    const given = record.slice(0, 8).join(', ').slice(0, 200)
    throw new ImportError(
      `It lacks ${missing.map(([column]) => column).join(', ')}. Its header begins: ${given}. Expected ${name}.`,
    )
  }
  return columns
}

type CsvRecord = { readonly info: { readonly lines: number }; readonly record: readonly string[] }

const rowsAtOnce = 500

async function* parseRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord[]> {
  const lines = splitLines(chunks)
  const start = await lines.next()
  const first = start.done === true ? [] : start.value
  const parser = parse({
    ...{
      delimiter: delimiterOf(first.find((line) => line !== null && line.trim() !== '') ?? ''),
      info: true,
    },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true, record_delimiter: '\n' },
    // An unclosed quote would otherwise collect the rest of the file into one cell.
    max_record_size: 1_000_000,
  })
  const source = Readable.from(textOf(first, lines))
  source.on('error', (error) => parser.destroy(error))
  let rows: CsvRecord[] = []
  try {
    for await (const row of source.pipe(parser) as AsyncIterable<CsvRecord>) {
      if (rows.push(row) < rowsAtOnce) continue
      yield rows
      rows = []
    }
    yield rows
  } catch (error) {
    if (error instanceof ImportError) throw error
    throw new ImportError(`It is no table that can be read: ${stated(error)}.`)
  } finally {
    source.destroy()
    await lines.return(undefined)
  }
}

async function* textOf(
  first: readonly (string | null)[],
  lines: AsyncIterable<readonly (string | null)[]>,
): AsyncGenerator<string> {
  yield joined(first)
  for await (const more of lines) yield joined(more)
}

function joined(lines: readonly (string | null)[]): string {
  return lines.map((line) => `${line ?? ''}\n`).join('')
}

/** The one of the usual separators that the header has most of. */
function delimiterOf(header: string): string {
  const [best = ','] = [',', '\t', ';'].toSorted((a, b) => header.split(b).length - header.split(a).length)
  return best
}
