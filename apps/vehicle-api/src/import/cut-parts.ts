import { openMembers, type Expected } from './open-members.ts'
import { longestLine } from './read-lines.ts'

/**
 * Cuts a complaint file (plain, gzip or zip with one or several members) into parts of about 1 MiB, which can be read
 * without those before and after them: whole lines, cut between rows with different ODI numbers. In constant memory.
 *
 * @param onProgress called with the share of the file that has been read, 0 to 1
 * @throws ImportError (from the iteration) when it is not such a file or ends too early
 */
export function readParts(path: string, onProgress?: Expected['onProgress']): AsyncGenerator<Buffer> {
  return cutParts(chunksOf(path, onProgress))
}

/** The members of a file one after another, each from the start of a line, without the mark of its encoding. */
async function* chunksOf(path: string, onProgress: Expected['onProgress']): AsyncGenerator<Buffer> {
  const expected = { members: /\.(?:txt|lst)$/i, inWords: 'a text file (.txt)', onProgress }
  for await (const { chunks } of openMembers(path, expected)) {
    let last: number | undefined
    for await (const chunk of chunks) {
      const isMarked = last === undefined && chunk.subarray(0, 3).equals(byteOrderMark)
      yield isMarked ? chunk.subarray(3) : chunk
      last = chunk.at(-1) ?? last
    }
    if (last !== undefined && last !== LF) yield Buffer.of(LF)
  }
}

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)

/**
 * The same for a stream of bytes, however these are cut into pieces. A part has its memory for itself, so that it can
 * be given to a thread.
 */
export async function* cutParts(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    // A copy in any case: whoever gave the chunk may use its memory again, and who takes a part may give it away.
    const bytes: Buffer = Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(LF) + 1
    // Rows of one number that fill several parts are nobody's complaint: memory matters more than keeping them together.
    const cut = startOfLastRun(bytes, end) || (end > mostBytes ? end : 0)
    // Of a line without end so much is kept that it is seen to be too long.
    rest = Buffer.from(bytes.subarray(cut, Math.min(bytes.length, end + longestLine + 1)))
    if (cut > 0) yield bytes.subarray(0, cut)
  }
  if (rest.length > 0) yield rest
}

const LF = 10
const TAB = 9
const mostBytes = 4 * 2 ** 20

/** Where the last rows with one ODI number start. @param end of the last whole line */
function startOfLastRun(bytes: Buffer, end: number): number {
  if (end === 0) return 0
  let start = startOfLine(bytes, end)
  const odi = odiIn(bytes.subarray(start, end))
  // A line without a number, such as one of another kind of file, belongs to no other.
  while (start > 0 && odi !== undefined) {
    const before = startOfLine(bytes, start)
    if (odiIn(bytes.subarray(before, start))?.equals(odi) !== true) break
    start = before
  }
  return start
}

/** @param end of the line, behind its line feed */
function startOfLine(bytes: Buffer, end: number): number {
  return end < 2 ? 0 : bytes.lastIndexOf(LF, end - 2) + 1
}

/** The second column. */
function odiIn(line: Buffer): Buffer | undefined {
  const first = line.indexOf(TAB) + 1
  const end = line.indexOf(TAB, first)
  return first === 0 || end < 0 ? undefined : line.subarray(first, end)
}
