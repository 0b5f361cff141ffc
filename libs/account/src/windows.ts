/**
 * Quota windows are the UTC calendar day and the UTC calendar month. Days are counted from 1970-01-01, so both the
 * day and the first day of its month are plain integers.
 */

/** Milliseconds of a UTC day (UTC as computers keep it: no leap seconds). */
export const dayMs = 86_400_000

/** Day number of an instant given in Unix milliseconds. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** Number of the first day of the month that a day lies in. */
export function monthStart(day: number): number {
  return day - new Date(day * dayMs).getUTCDate() + 1
}

/** Number of the first day of the month after the one that a day lies in. */
export function nextMonthStart(day: number): number {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / dayMs
}

/** `YYYY-MM-DD` of a day number. */
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** Day number of a `YYYY-MM-DD` date, or undefined when there is no such date. */
export function dayOfDate(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(ms) || dateOfDay(ms / dayMs) !== date ? undefined : ms / dayMs
}

/** ISO 8601 UTC, without milliseconds, of an instant given in Unix seconds. */
export function isoSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/** One limit as a caller sees it. */
export type Window = {
  /** Name in RateLimit-Policy and in `violated-policies`. */
  readonly name: string
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetsAt: number
  /** Length of the window in seconds. */
  readonly seconds: number
}

/** A window at an instant, in Unix seconds by the clock that has made the window. */
export type ShownWindow = { readonly window: Window; readonly now: number }

/** The two quota windows of an account after `used` units, at a given day. A monthly limit of null gives one window. */
export function quotaWindows(
  plan: { readonly daily: number; readonly monthly: number | null },
  day: number,
  usedToday: number,
  usedThisMonth: number,
): Window[] {
  const daily = quotaWindow('daily', plan.daily, usedToday, day, day + 1)
  if (plan.monthly === null) return [daily]
  const { start, end } = monthOf(day)
  return [daily, quotaWindow('monthly', plan.monthly, usedThisMonth, start, end)]
}

function quotaWindow(name: string, limit: number, used: number, start: number, end: number): Window {
  const remaining = Math.min(limit, Math.max(0, limit - used))
  return { name, limit, remaining, resetsAt: (end * dayMs) / 1000, seconds: ((end - start) * dayMs) / 1000 }
}

/** First day of a day's month and of the next. Nearly every request asks for the same month. */
const monthOf = (() => {
  let last = { start: 0, end: 0 }
  return (day: number) => {
    if (day < last.start || day >= last.end) last = { start: monthStart(day), end: nextMonthStart(day) }
    return last
  }
})()

/** The window that binds: fewest remaining; of equals the one that resets later. */
export function bindingWindow(windows: readonly Window[]): Window {
  const [first, ...rest] = windows
  if (first === undefined) throw new RangeError('At least one window is needed.')
  return rest.reduce((binding, window) => {
    if (window.remaining !== binding.remaining) return window.remaining < binding.remaining ? window : binding
    return window.resetsAt > binding.resetsAt ? window : binding
  }, first)
}

/**
 * The rate-limit headers of an answer: the X-RateLimit trio for the binding window and the fields of
 * draft-ietf-httpapi-ratelimit-headers-11 for all windows.
 *
 * @param binding the window of the trio
 * @param nowSeconds Unix seconds, fractions allowed
 * @returns a flat list of header names and values
 */
export function limitHeaders(windows: readonly Window[], binding: Window, nowSeconds: number): string[] {
  let policies = ''
  let states = ''
  for (const { name, limit, remaining, resetsAt, seconds } of windows) {
    const separator = policies === '' ? '"' : ', "'
    policies += `${separator}${name}";q=${limit};w=${seconds}`
    states += `${separator}${name}";r=${remaining};t=${Math.max(0, Math.ceil(resetsAt - nowSeconds))}`
  }
  return [
    'X-RateLimit-Limit', String(binding.limit),
    'X-RateLimit-Remaining', String(binding.remaining),
    'X-RateLimit-Reset', String(Math.ceil(binding.resetsAt)),
    'RateLimit-Policy', policies,
    'RateLimit', states,
  ] // prettier-ignore
}
