import { invalid } from '@hearth/chassis/validate'
import { createHash } from 'node:crypto'
import type { Category } from './model/category.ts'

/** Orders of a complaint list, as they are written in `sort`. */
export const sorts = ['date_desc', 'date_asc', 'mileage_desc', 'mileage_asc'] as const
export type Sort = (typeof sorts)[number]

/**
 * Where a page ended: the last complaint on it. `value` is its mileage among complaints with a known one in an order
 * by mileage, else its date.
 */
export type Cursor = { readonly page: number; readonly value: string | number; readonly id: string }

/** What a list is of, and its order: a cursor of one list says nothing in another. */
export type ListName = {
  /** Keys, not slugs: every spelling of a model names the same list. */
  readonly model: { readonly key: string; readonly make: { readonly key: string } }
  readonly year: number
  readonly category?: Category
  readonly minMileage?: number
  readonly maxMileage?: number
  readonly sort: Sort
}

/** Ids of complaints. */
export const complaintIdPattern = /^cmp_\d{1,10}(?:-\d{1,4})?$/

/** The text a client sends back for the page after a complaint. @param cursor.page number of the page that ended */
export function writeCursor(list: ListName, { page, value, id }: Cursor): string {
  return Buffer.from(JSON.stringify([list.sort, page, value, id, markOf(list)])).toString('base64url')
}

/** @throws HttpError validation_failed when the text is not, letter for letter, a cursor of this list */
export function readCursor(text: string, list: ListName): Cursor {
  const [of, page, value, id] = parse(text)
  if (of === list.sort && isPage(page) && isValue(value, list) && isId(id)) {
    const cursor = { page, value, id }
    if (writeCursor(list, cursor) === text) return cursor
  }
  const isOfOther = of !== list.sort && sorts.some((other) => other === of)
  const detail = isOfOther
    ? `cursor belongs to a list sorted by ${String(of)}; send the same sort with it, or leave the cursor out.`
    : 'cursor is not one of this list; send nextCursor of the page before as it is, with the same vehicle and filters, or leave it out.'
  throw invalid([{ parameter: 'cursor', code: 'wrong_format', detail }])
}

/** Tells lists apart. It keeps nobody from making cursors, so what is in one is checked besides. */
function markOf({ model, year, category, minMileage, maxMileage }: ListName): string {
  const parts = [model.make.key, model.key, year, category, minMileage, maxMileage]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 8)
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

/** Anything else would be an error in the database. A list filtered by mileage has no complaints without one. */
function isValue(value: unknown, { sort, minMileage, maxMileage }: ListName): value is string | number {
  const isByDate = sort.startsWith('date')
  if (typeof value === 'number')
    return !isByDate && Number.isInteger(value) && value > 0 && value <= greatestMileage
  const hasDates = isByDate || (minMileage === undefined && maxMileage === undefined)
  return hasDates && typeof value === 'string' && isDate(value)
}

/** A day from the year 1 on: the database knows no year 0. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '0001') return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** No vehicle has driven as far; a filter beyond it is a slip. */
export const greatestMileage = 10_000_000
