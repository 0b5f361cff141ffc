import { hints, hintsOf } from './hints.ts'

/** What stands for a part that the authority has blacked out. */
export const redacted = '[redacted]'

/**
 * A narrative as it is shown: marks of transcribers and redactions removed, characters that were encoded twice
 * repaired, blanks in order. The words stay as they were written, in capitals where they were.
 */
export function cleanNarrative(raw: string): string {
  const hinted = hintsOf(raw)
  // Nothing to decode and no blanks to put in order, as in most.
  const isTidy = (hinted & hints.untidy) === 0 && !raw.includes('&')
  const plain = isTidy
    ? withoutInitials(raw.trimEnd()).trim()
    : inOrder(withoutInitials(decoded(raw).trimEnd()))
  let text = plain
  const mayBeRedacted = isTidy ? (hinted & hints.redacted) !== 0 : /redacted/i.test(text)
  if (mayBeRedacted || text.includes('[')) text = neutralRedactions(text)
  if (text.includes('*')) text = withoutMarks(text)
  return text === plain ? text : inOrder(withoutInitials(text.trimEnd()))
}

/** Any text of the official files as it is shown: what {@link cleanNarrative} does but for marks and redactions. */
export function cleanText(raw: string): string {
  return inOrder(decoded(raw))
}

function decoded(raw: string): string {
  const text = hasHighCharacters.test(raw) ? repairEncoding(raw) : raw
  return text.includes('&') ? text.replaceAll(entities, entity) : text
}

const entities = /&(?:#(\d{2,5})|#x([0-9a-f]{2,4})|([a-z]{2,6}));/gi

function inOrder(text: string): string {
  return (mayHaveBlanks.test(text) ? text.replaceAll(blanks, ' ') : text).trim()
}

/** Quick to look for, and in every text that has {@link blanks}. */
const mayHaveBlanks = / {2}|[^ -~]/

const hasHighCharacters = /[\u0080-\u{10ffff}]/u
/** Several blanks in a row, or one that is no plain blank: control characters, and characters without width. */
const blanks =
  /(?: {2}| ?[^\S ]| ?[\u0000-\u001f\u007f\u200b-\u200f\u2060])[\s\u0000-\u001f\u007f\u200b-\u200f\u2060]*/g
const leftOver = /[\u0080-\u009f]/g

/** Initials of the transcriber, as narratives of the nineties end: `EXTENDED STOPPING DISTANCE.  TT`. */
const closingInitials =
  /(?<=[.!?"')]\s{1,4}|\S\s{2,4})(?:TT|AK|MJS|NLM|SLC|DSY|TW|CB|YH|JB|SC|SD|KB|ET|NM|CW|MR|PH|TS)\s*$/

function withoutInitials(text: string): string {
  const found = closingInitials.exec(text.slice(-12))
  return found === null ? text : text.slice(0, text.length - found[0].length)
}

/** `TL* THE CONTACT OWNS`, `... OF THE FAILURE. *TR`, `UPDATED 06/15/06. *JB`, `*AK THE BOLT` */
function withoutMarks(text: string): string {
  return text
    .replace(/^\s*[A-Z]{1,4}\*:?\s*/, '')
    .replaceAll(/(?:\s*\*[A-Z]{2,4}\.?)+\s*$/g, '')
    .replaceAll(
      /\s*\*(?:TR|JB|NM|AK|JS|TT|CN|KB|BF|DT|LJ|SMD|LA|AS|LN|TW|DL|SMCH|CT|PM|CB|SC|TGW|LD|CC|MR|NJ)\b\.?/g,
      '',
    )
}

function neutralRedactions(text: string): string {
  return text
    .replaceAll(
      /\s*"?INFORMATION\s+REDACTED\s+PURSUANT\s+TO(?:(?!552).){0,80}(?:552\s*\(B\)\s*\(6\)?\)?|$)\.?/gi,
      '',
    )
    .replaceAll(/\[\s*X{2,}\s*\](?:\s*\[\s*X{2,}\s*\])*/gi, redacted)
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function entity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? whole
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const isText = code >= 32 && code <= 0xffff && !(code >= 0xd800 && code <= 0xdfff)
  return isText ? String.fromCodePoint(code) : ' '
}

/**
 * UTF-8 that was read as Windows-1252 (`â€™` for an apostrophe) becomes what it was, also where the last byte of a
 * closing quotation mark was lost, which Windows-1252 does not have; `¿` between letters is an apostrophe that an
 * older system lost.
 */
function repairEncoding(text: string): string {
  return text
    .replaceAll(twiceEncoded, decodeAgain)
    .replaceAll(/\u00e2\u20ac(?=[\s.,;!?)]|$)/g, '\u201d')
    .replaceAll(/(?<=[A-Za-z])\u00bf(?=(?:S|T|RE|LL|VE|D|M)\b)/gi, "'")
    .replaceAll(leftOver, halfDecoded)
}

/** Windows-1252 characters of the bytes 80 to 9f, in order; those it leaves open are control characters. */
const upperHalf =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

const continuation = `[\\u00a0-\\u00bf\\u0081\\u008d\\u008f\\u0090\\u009d${upperHalf}]`
const twiceEncoded = new RegExp(
  `[\\u00c2-\\u00df]${continuation}|[\\u00e0-\\u00ef]${continuation}{2}|[\\u00f0-\\u00f4]${continuation}{3}`,
  'g',
)

function decodeAgain(characters: string): string {
  const bytes = Uint8Array.from(characters, (character) => {
    const high = upperHalf.indexOf(character)
    return high >= 0 ? 0x80 + high : (character.codePointAt(0) ?? 0)
  })
  try {
    return utf8.decode(bytes)
  } catch {
    return characters
  }
}

/** A byte of Windows-1252 that was taken for a control character; those it leaves open are unknown. */
function halfDecoded(control: string): string {
  const meant = upperHalf[(control.codePointAt(0) ?? 0) - 0x80] ?? control
  return meant === control ? '\ufffd' : meant
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
