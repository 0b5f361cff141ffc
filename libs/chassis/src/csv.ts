/** RFC 4180, with a header. Text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function toCsv(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, CsvValue>>[],
): string {
  const lines = rows.map((row) => columns.map((name) => csvCell(row[name] ?? null)).join(','))
  return [columns.join(','), ...lines, ''].join('\r\n')
}

/** One cell of a CSV file; null is empty. */
export function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export type CsvValue = string | number | boolean | null
