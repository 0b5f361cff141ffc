import { memoise } from './memo.ts'

/** `20240211` as `2024-02-11`; null when it is no date of the years 1900 to 2100. */
export function isoDate(text: string): string | null {
  return text === '' ? null : dateOf(eightDigits(text) ?? eightDigits(text.trim()) ?? 0)
}

/** Most dates come again and again. */
const dateOf = memoise(
  (digits: number) => calendarDate(Math.floor(digits / 10_000), Math.floor(digits / 100) % 100, digits % 100),
  50_000,
)

function eightDigits(text: string): number | undefined {
  if (text.length !== 8) return undefined
  let number = 0
  for (let index = 0; index < 8; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) return undefined
    number = 10 * number + digit
  }
  return number
}

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
