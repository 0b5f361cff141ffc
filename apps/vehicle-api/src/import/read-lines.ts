import { isAscii, isUtf8 } from 'node:buffer'
import { openMembers, type Expected } from './open-members.ts'

/** Lines that follow each other in a file. */
export type LineBatch = {
  /** Number of the first of them, from 1; the numbers run on over the members of a zip file. */
  readonly first: number
  /** Their text without the end of the line; null for a line longer than 64 KiB. */
  readonly lines: readonly (string | null)[]
}

/** Longer lines are none of the official files: their longest has 10 KB. */
export const longestLine = 2 ** 16
export const longLine =
  'The line is longer than 64 KiB; expected one record in each line, which ends with LF or CRLF.'

/**
 * The lines of a published text file (plain, gzip, or zip with one or several .txt or .lst members) in batches, in
 * constant memory. Lines end with LF or CRLF; the last one may lack its end. See {@link decodeLine} for the encoding.
 *
 * @param onProgress called with the share of the file that has been read, 0 to 1
 * @throws ImportError (from the iteration) when it is not such a file or ends too early
 */
export async function* readLines(
  path: string,
  onProgress?: Expected['onProgress'],
): AsyncGenerator<LineBatch> {
  const expected = { members: /\.(?:txt|lst)$/i, inWords: 'a text file (.txt)', onProgress }
  let first = 1
  for await (const member of openMembers(path, expected)) {
    for await (const lines of splitLines(member.chunks)) {
      yield { first, lines }
      first += lines.length
    }
  }
}

/**
 * The lines of a stream of bytes, however these are cut into pieces.
 *
 * @param isStart whether a file starts with it, whose byte order mark is dropped
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  isStart = true,
): AsyncGenerator<readonly (string | null)[]> {
  let rest: Buffer = Buffer.alloc(0)
  /** Whether the line at hand is too long, so that what comes of it is passed over. */
  let isTooLong = false
  for await (const chunk of chunks) {
    const lines: (string | null)[] = []
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const isAllAscii = isAscii(bytes) && !bytes.includes(NUL)
    let start = 0
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      const line = isTooLong || end - start > longestLine ? null : decodeLine(bytes, start, end, isAllAscii)
      lines.push(isStart && line !== null ? withoutMark(line) : line)
      isTooLong = false
      isStart = false
      start = end + 1
    }
    rest = isTooLong ? empty : Buffer.from(bytes.subarray(start))
    if (rest.length > longestLine) {
      isTooLong = true
      rest = empty
    }
    if (lines.length > 0) yield lines
  }
  if (isTooLong) yield [null]
  else if (rest.length > 0) {
    const line = decodeLine(rest, 0, rest.length, false)
    yield [isStart ? withoutMark(line) : line]
  }
}

/** Visits the lines of bytes that start and end where lines do, as {@link splitLines} does. */
export function eachLine(bytes: Buffer, visit: (line: string | null) => void): void {
  const isAllAscii = isAscii(bytes) && !bytes.includes(NUL)
  const read = (start: number, end: number) =>
    visit(end - start > longestLine ? null : decodeLine(bytes, start, end, isAllAscii))
  let start = 0
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
    read(start, end)
    start = end + 1
  }
  if (start < bytes.length) read(start, bytes.length)
}

const NUL = 0
const LF = 10
const CR = 13
const empty = Buffer.alloc(0)
const windows1252 = new TextDecoder('windows-1252')

/**
 * Text of a line: UTF-8 where all of its bytes are that, else Windows-1252, which is what the files were before 2021.
 * Bytes that Windows-1252 leaves open (81 8D 8F 90 9D) become the control characters of the same number, as the
 * WHATWG encoding standard has it: they are often one half of a character that was encoded twice. NUL, which no
 * database takes, becomes a blank.
 *
 * @param end position of the line feed; a carriage return before it is no part of the line
 */
export function decodeLine(bytes: Buffer, start: number, end: number, isKnownAscii = false): string {
  const stop = end > start && bytes[end - 1] === CR ? end - 1 : end
  if (isKnownAscii) return bytes.toString('latin1', start, stop)
  const line = bytes.subarray(start, stop)
  const text = isUtf8(line) ? line.toString('utf8') : windows1252.decode(line)
  return text.includes('\0') ? text.replaceAll('\0', ' ') : text
}

function withoutMark(line: string): string {
  return line.startsWith('\ufeff') ? line.slice(1) : line
}
