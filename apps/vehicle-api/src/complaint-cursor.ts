import { invalid } from '@hearth/chassis/validate'

/** Orders of a complaint list, as they are written in `sort`. */
export const sorts = ['date_desc', 'date_asc', 'mileage_desc', 'mileage_asc'] as const
export type Sort = (typeof sorts)[number]

/**
 * Where a page ended: the last complaint on it. `value` is its mileage among complaints with a known one in an order
 * by mileage, else its date.
 */
export type Cursor = { readonly page: number; readonly value: string | number; readonly id: string }

/** Ids of complaints. */
export const complaintIdPattern = /^cmp_\d{1,10}(?:-\d{1,4})?$/

/** The text a client sends back for the page after a complaint. @param cursor.page number of the page that ended */
export function writeCursor(sort: Sort, { page, value, id }: Cursor): string {
  return Buffer.from(JSON.stringify([sort, page, value, id])).toString('base64url')
}

/** @throws HttpError validation_failed when the text is not a cursor of a list in this order */
export function readCursor(text: string, sort: Sort): Cursor {
  const [of, page, value, id] = parse(text)
  if (of === sort && isPage(page) && isValue(value, sort) && isId(id)) return { page, value, id }
  const isOfOther = of !== sort && sorts.some((other) => other === of)
  const detail = isOfOther
    ? `cursor belongs to a list sorted by ${String(of)}; send the same sort with it, or leave the cursor out.`
    : 'cursor is not one of this list; send nextCursor of the page before as it is, or leave it out.'
  throw invalid([{ parameter: 'cursor', code: 'wrong_format', detail }])
}

function parse(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function isPage(page: unknown): page is number {
  return Number.isSafeInteger(page) && (page as number) > 0
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && complaintIdPattern.test(id)
}

/** Anything else would be an error in the database. */
function isValue(value: unknown, sort: Sort): value is string | number {
  if (typeof value === 'number') return sort.startsWith('mileage') && value > 0 && value <= greatestMileage
  return typeof value === 'string' && isDate(value)
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** No vehicle has driven as far; a filter beyond it is a slip. */
export const greatestMileage = 10_000_000
