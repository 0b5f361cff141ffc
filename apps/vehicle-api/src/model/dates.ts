import { memoise } from './memo.ts'

/** `20240211` as `2024-02-11`; null when it is no date of the years 1900 to 2100. */
export const isoDate: (text: string) => string | null = memoise((text) => {
  const match = /^\s*(\d{4})(\d\d)(\d\d)\s*$/.exec(text)
  return match === null ? null : calendarDate(Number(match[1]), Number(match[2]), Number(match[3]))
}, 20_000)

/** A calendar date as `YYYY-MM-DD`; null when there is no such day. @param month 1 to 12 */
export function calendarDate(year: number, month: number, day: number): string | null {
  if (year < 1900 || year > 2100 || month < 1 || month > 12 || day < 1) return null
  if (day > (month === 2 ? (isLeap(year) ? 29 : 28) : (monthDays[month - 1] ?? 0))) return null
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`
}

/** Year of a `YYYY-MM-DD`. */
export function yearOf(date: string): number {
  return Number(date.slice(0, 4))
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}
