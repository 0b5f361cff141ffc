/** What can be put into a column: arrays are of texts or numbers, jsonb is given as text. */
export type CopyValue = string | number | boolean | null | readonly (string | number)[]

/** One line of COPY's text format, with its end. */
export function copyLine(values: readonly CopyValue[]): string {
  // join makes one flat string, which is written much faster than a chain of pieces.
  return `${values.map(copyText).join('\t')}\n`
}

function copyText(value: CopyValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  const items = value.map((item) => (typeof item === 'number' ? String(item) : quoteItem(item)))
  return escape(`{${items.join(',')}}`)
}

function quoteItem(text: string): string {
  return NEEDS_QUOTING.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`
}

const NEEDS_QUOTING = /["\\]/

/** Postgres has no character NUL: it is left out, so that one line of a file cannot refuse all others. */
function escape(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replaceAll(ESCAPED, (character) => ESCAPES[character] ?? '') : text
}

const NEEDS_ESCAPE = /[\\\t\n\r\0]/
const ESCAPED = new RegExp(NEEDS_ESCAPE, 'g')
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
}
