import { retiredCodes } from '../county-code.ts'
import type { DatasetKind } from '../database.ts'
import type { Release } from '../publish.ts'
import { readCell, readHeader, type Column, type Header } from './columns.ts'
import { ImportError } from '@hearth/chassis/importing/import-error'
import type { Rejection } from '@hearth/chassis/importing/report'
import type { Line } from './read-table.ts'

/** A published table of counties, as the importer has to know it. */
export type TableKind = {
  readonly kind: DatasetKind
  readonly name: string
  /** Its sheet in a workbook. */
  readonly sheet: string
  readonly licence: string
  readonly columns: readonly Column[]
  /** What is wrong with a row as a whole, as ends of sentences. */
  readonly checkRow: (values: Values) => readonly string[]
  /** Whether a row only says that there are no values. */
  readonly isEmpty: (values: Values) => boolean
  /** The column that a table is worthless without. */
  readonly mainField: string
  /** The release as it is shown, from what the file says. */
  readonly releaseOf: (text: string) => string
}

/** A line by field. */
export type Values = Readonly<Record<string, string | number | null>>

/** The content of a file, read to its end. */
export type Staged = {
  readonly rows: Release['rows']
  readonly rejections: readonly Rejection[]
  /** Lines below the header. */
  readonly read: number
  /** The distinct texts in the column `release`. */
  readonly releases: readonly string[]
}

/**
 * Reads a table line by line into memory: three thousand rows of the columns that are kept, whatever else the file
 * holds.
 *
 * @param known codes of the counties of the service
 * @param onRow called with the number of lines so far
 * @throws ImportError when the header lacks columns, or when the file cannot be read to its end
 */
export async function stage(
  { columns, checkRow, isEmpty }: Pick<TableKind, 'columns' | 'checkRow' | 'isEmpty'>,
  lines: AsyncIterable<Line>,
  known: ReadonlySet<string>,
  onRow: (read: number) => void,
): Promise<Staged> {
  const rows = new Map<string, Values & { readonly code: string }>()
  const rejections: Rejection[] = []
  const releases = new Set<string>()
  let header: Header | undefined
  let read = 0
  for await (const line of lines) {
    if (header === undefined) {
      // Workbooks may have a title above the header.
      const isTitle = line.number < titleLines && line.cells.filter((cell) => cell.trim() !== '').length < 3
      if (!isTitle) header = readHeader(line.cells, columns)
      continue
    }
    onRow(++read)
    if (read > mostLines)
      throw new ImportError(`It has more than ${mostLines} lines; a county table has 3,200.`)
    const { code, release, values, problems } = readLine(line, header, checkRow)
    const verdict = judge(code, problems, known, rows)
    if (verdict !== undefined) {
      rejections.push({ line: line.number, subject: code, ...verdict })
    } else if (!isEmpty(values)) {
      rows.set(code, { code, ...values })
      if (release !== null) releases.add(release)
    }
  }
  if (header === undefined) throw new ImportError('It has no header with the columns of a county table.')
  return { rows: [...rows.values()], rejections, read, releases: [...releases] }
}

/** Census tracts, which are published in the same form, have 85,000 lines. */
const mostLines = 20_000
const titleLines = 10

function readLine({ cells }: Line, { columns, width }: Header, checkRow: TableKind['checkRow']) {
  const problems: string[] = []
  const values: Record<string, string | number | null> = {}
  if (cells.length !== width) problems.push(`the line has ${cells.length} cells, the header ${width}`)
  for (const [column, at] of columns) {
    const text = cells[at] ?? ''
    const cell = readCell(text, column)
    if ('value' in cell) values[column.field] = cell.value
    else problems.push(`${column.names[0] ?? ''} ${JSON.stringify(text.slice(0, 40))} ${cell.problem}`)
  }
  const { code, release = null, ...rest } = values
  return {
    code: String(code ?? '').padStart(5, '0'),
    release: release === null ? null : String(release),
    values: rest,
    problems: problems.length > 0 ? problems : checkRow(rest),
  }
}

/** Why a line is not taken, or undefined. */
function judge(
  code: string,
  problems: readonly string[],
  known: ReadonlySet<string>,
  rows: ReadonlyMap<string, unknown>,
): Pick<Rejection, 'reason' | 'isFault'> | undefined {
  if (!/^\d{5}$/.test(code)) return { reason: 'the county code has no 4 or 5 digits.', isFault: true }
  if (problems.length > 0) return { reason: `${problems.join('; ')}.`, isFault: true }
  if (rows.has(code)) return { reason: 'the county was already in an earlier line.', isFault: true }
  if (known.has(code)) return undefined
  const retired = retiredCodes[code]
  const reason =
    retired === undefined
      ? 'the service knows no county with this code.'
      : `the county was retired in ${retired.year}; ${retired.by.join(', ')} took its place.`
  return { reason, isFault: false }
}
