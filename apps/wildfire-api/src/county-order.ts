import { invalid } from '@hearth/chassis/validate'
import type { County } from './snapshot.ts'

/** What counties can be sorted by, as it is written in `sort`. */
export const orders = {
  score: ascending((county) => county.hazard.score),
  '-score': descending((county) => county.hazard.score),
  name: ascending((county) => county.name),
  '-name': descending((county) => county.name),
  code: ascending((county) => county.code),
  '-code': descending((county) => county.code),
  expectedAnnualLoss: ascending((county) => county.nri?.wfir_ealt ?? null),
  '-expectedAnnualLoss': descending((county) => county.nri?.wfir_ealt ?? null),
} as const

/** A name of an order. */
export type SortName = keyof typeof orders

/**
 * The page of counties after a cursor.
 *
 * A cursor names the last county that was seen and its value, so a page is right even when the data have changed
 * since: nothing is skipped or repeated but for counties whose value moved across it.
 *
 * @throws HttpError validation_failed when the cursor is not one of this order
 */
export function pageOf(
  counties: readonly County[],
  sort: SortName,
  cursor: string | undefined,
  limit: number,
): { page: County[]; hasMore: boolean } {
  const { valueOf, compare } = orders[sort]
  const seen = cursor === undefined ? undefined : readCursor(cursor, sort)
  const sorted = counties
    .map((county) => ({ county, key: { value: valueOf(county), code: county.code } }))
    .filter(({ key }) => seen === undefined || compare(key, seen) > 0)
    .toSorted((a, b) => compare(a.key, b.key))
  return { page: sorted.slice(0, limit).map(({ county }) => county), hasMore: sorted.length > limit }
}

/** The cursor of the page that begins after a county. */
export function cursorAfter(county: County, sort: SortName): string {
  const key = [sort, orders[sort].valueOf(county), county.code]
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

function readCursor(text: string, sort: SortName): Key {
  const parts = parseCursor(text)
  const [of, value, code] = parts
  if (of === sort && isValue(value, sort) && isCode(code) && parts.length === 3) return { value, code }
  const detail =
    typeof of === 'string' && Object.hasOwn(orders, of) && of !== sort
      ? `cursor belongs to a list sorted by ${of}; send the same sort with it, or leave the cursor out.`
      : 'cursor is not one of this list; send nextCursor of the page before as it is, or leave it out.'
  throw invalid([{ parameter: 'cursor', code: 'wrong_format', detail }])
}

/** Whether counties can have such a value in an order: only scores and losses may be missing. */
function isValue(value: unknown, sort: SortName): value is Value {
  if (sort.endsWith('name') || sort.endsWith('code')) return typeof value === 'string'
  return value === null || typeof value === 'number'
}

function isCode(code: unknown): code is string {
  return typeof code === 'string' && /^\d{5}$/.test(code)
}

function parseCursor(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function ascending(valueOf: (county: County) => Value): Order {
  return { valueOf, compare: (a, b) => nullsLast(a, b) ?? (compareValues(a.value, b.value) || byCode(a, b)) }
}

function descending(valueOf: (county: County) => Value): Order {
  return { valueOf, compare: (a, b) => nullsLast(a, b) ?? (compareValues(b.value, a.value) || byCode(a, b)) }
}

function nullsLast(a: Key, b: Key): number | undefined {
  if (a.value !== null && b.value !== null) return undefined
  return Number(a.value === null) - Number(b.value === null) || byCode(a, b)
}

/** By code units, not by a locale: the same on every machine. */
function compareValues(a: Value, b: Value): number {
  if (a === b || a === null || b === null) return 0
  return a < b ? -1 : 1
}

function byCode(a: Key, b: Key): number {
  return a.code === b.code ? 0 : a.code < b.code ? -1 : 1
}

type Value = string | number | null
type Key = { readonly value: Value; readonly code: string }
type Order = {
  readonly valueOf: (county: County) => Value
  readonly compare: (a: Key, b: Key) => number
}
