import { ImportError } from '@hearth/chassis/importing/import-error'

/** A column of a published table: the field it is kept in, the names it has had, and what its values can be. */
export type Column = {
  /** Column of our table; `code` and `release` are handled apart. */
  readonly field: string
  /** Field name, then aliases. Letter case, spaces around and units in brackets make no difference. */
  readonly names: readonly string[]
  readonly required: boolean
  /** Kind of the values: see {@link readCell}. */
  readonly type: 'text' | 'amount' | 'percent' | 'share' | 'rating'
}

/** Where each column is in the lines of a file. */
export type Header = { readonly columns: ReadonlyMap<Column, number>; readonly width: number }

/**
 * Finds the columns in a header.
 *
 * @throws ImportError that names the required columns that are missing, or those that are there twice
 */
export function readHeader(cells: readonly string[], columns: readonly Column[]): Header {
  const names = cells.map(plain)
  const found = new Map<Column, number>()
  for (const column of columns) {
    const at = positionsOf(column, names)
    if (at.length > 1) throw new ImportError(`The file has two columns for ${column.names[0] ?? ''}.`)
    if (at[0] !== undefined) found.set(column, at[0])
  }
  const missing = columns.filter((column) => column.required && !found.has(column))
  if (missing.length > 0) {
    const list = missing.map(({ names: [name = ''] }) => name).join(', ')
    const given = cells.slice(0, 8).join(', ').slice(0, 200)
    throw new ImportError(
      `The file lacks ${missing.length} required columns: ${list}. Its header begins: ${given}. Is it the county table?`,
    )
  }
  return { columns: found, width: cells.length }
}

/** A value, or what is wrong with it. */
export type Cell = { readonly value: string | number | null } | { readonly problem: string }

/** Reads a cell. Numbers are as published, in any decimal or scientific notation; words for "none" are null. */
export function readCell(text: string, { type }: Column): Cell {
  const trimmed = text.trim()
  if (type === 'text') return { value: trimmed === '' ? null : trimmed }
  if (type === 'rating') return readRating(trimmed)
  if (noValue.has(trimmed.toLowerCase())) return { value: null }
  const digits = trimmed.replaceAll(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(digits)) return { problem: 'is not a number' }
  const value = Number(digits)
  if (!Number.isFinite(value)) return { problem: 'is too large to be a number' }
  if (value < 0) return { problem: 'is below 0' }
  if (type === 'percent' && value > 100) return { problem: 'is above 100' }
  if (type === 'share' && value > 1) return { problem: 'is above 1' }
  return { value }
}

function positionsOf(column: Column, names: readonly string[]): number[] {
  const known = column.names.map(plain)
  return [...names.keys()].filter((at) => known.includes(names[at] ?? ''))
}

/** "Wildfire - Exposure - Impacted Area (sq mi)" is the same column whatever the unit is written like. */
function plain(name: string): string {
  return name
    .replaceAll(/\([^)]*\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

function readRating(text: string): Cell {
  if (text === '' || /^(?:null|<null>)$/i.test(text)) return { value: null }
  return ratings.has(text) ? { value: text } : { problem: 'is not a rating of the National Risk Index' }
}

/** The vocabulary of all versions. */
const ratings: ReadonlySet<string> = new Set([
  ...['Very Low', 'Relatively Low', 'Relatively Moderate', 'Relatively High', 'Very High'],
  ...['No Rating', 'Not Applicable', 'Insufficient Data', 'No Expected Annual Losses'],
])

/** What stands in number columns where there is no number. NaN is not among them: it is a fault of some program. */
const noValue: ReadonlySet<string> = new Set([
  ...['', 'null', '<null>', 'n/a', 'na', '-', 'no rating', 'not applicable', 'insufficient data'],
  'no expected annual losses',
])
