import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { ImportError } from '@hearth/chassis/importing/import-error'
import { stated } from './stated.ts'

/** A file, or one of those in a zip file, without its compression. */
export type Member = {
  /** Its name in the zip file; empty otherwise. */
  readonly name: string
  /** Its bytes, once; the iteration throws ImportError when they cannot be read to the end. */
  readonly chunks: AsyncIterable<Buffer>
}

/** What is expected in a file. */
export type Expected = {
  /** Names of the members that are wanted, such as /\.txt$/i. */
  readonly members: RegExp
  /** The same in words: "text files (.txt)". */
  readonly inWords: string
  /** Called with the share of the file that has been read, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/**
 * Opens a file as it is published: plain, gzip or zip with one or several members, told apart by their first bytes.
 * Each member has to be read before the next is asked for.
 *
 * @throws ImportError when it cannot be read, is empty, or is something else
 */
export async function* openMembers(path: string, expected: Expected): AsyncGenerator<Member> {
  const { start, size } = await firstBytes(path)
  if (start.startsWith('PK')) {
    yield* zipMembers(path, expected)
    return
  }
  if (/^\s*<(!doctype|html|\?xml)/i.test(start)) {
    throw new ImportError(
      'It is a web page, not a data file: the address has moved or answers with an error.',
    )
  }
  if (start.startsWith('\u00ff\u00fe') || start.startsWith('\u00fe\u00ff')) {
    throw new ImportError('It is encoded in UTF-16. Save it as plain text (UTF-8) again.')
  }
  const [packed] = packings.find(([, magic]) => start.startsWith(magic)) ?? []
  if (packed !== undefined) {
    throw new ImportError(`It is ${packed}; expected plain text, gzip or zip. Unpack it first.`)
  }
  const isGzip = start.startsWith('\u001f\u008b')
  yield { name: '', chunks: readFile(path, isGzip, size, expected.onProgress) }
}

/** Packed in ways that are not read, and how such files begin. */
const packings = [
  ['packed with bzip2', 'BZh91AY&SY'],
  ['packed with xz', '\u00fd7zXZ\0'],
  ['packed with zstd', '(\u00b5/\u00fd'],
  ['a 7z archive', "7z\u00bc\u00af'\u001c"],
  ['a RAR archive', 'Rar!\u001a\u0007'],
] as const

const chunkBytes = 2 ** 20

async function firstBytes(path: string): Promise<{ start: string; size: number }> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
      if (bytesRead === 0) throw new ImportError('It is empty. Download it again.')
      const start = buffer.toString('latin1', 0, bytesRead).replace(/^\u00ef\u00bb\u00bf/, '')
      return { start, size: (await file.stat()).size }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof ImportError) throw error
    throw new ImportError(`It cannot be read: ${stated(error)}.`)
  }
}

async function* readFile(
  path: string,
  isGzip: boolean,
  size: number,
  onProgress: Expected['onProgress'],
): AsyncGenerator<Buffer> {
  const source = createReadStream(path, { highWaterMark: chunkBytes })
  for await (const chunk of flow(source, isGzip ? createGunzip({ chunkSize: chunkBytes }) : undefined)) {
    onProgress?.(Math.min(1, source.bytesRead / size))
    yield chunk
  }
}

async function* zipMembers(path: string, expected: Expected): AsyncGenerator<Member> {
  const { file, entries } = await openZip(path)
  try {
    const wanted = entries.filter(({ fileName }) => isWanted(fileName, expected.members))
    if (wanted.length === 0) {
      const found = entries.map(({ fileName }) => fileName).slice(0, 10)
      throw new ImportError(
        `Expected ${expected.inWords} in the zip file; it has: ${found.join(', ') || 'nothing'}.`,
      )
    }
    const total = wanted.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
    if (total > largestUnpacked) {
      throw new ImportError(
        `It would be ${Math.round(total / 2 ** 30)} GiB when unpacked, ${largestUnpacked / 2 ** 30} GiB are allowed; the official files have 2 GB at most.`,
      )
    }
    let before = 0
    for (const entry of wanted) {
      const start = before
      const onBytes = (bytes: number) =>
        expected.onProgress?.(Math.min(1, (start + bytes) / Math.max(1, total)))
      yield { name: entry.fileName, chunks: unzip(file, entry, onBytes) }
      before += entry.uncompressedSize
    }
  } finally {
    file.close()
  }
}

function isWanted(name: string, members: RegExp): boolean {
  return members.test(name) && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(name)
}

/** Of all files in a zip together; no more than it says is ever unpacked. */
const largestUnpacked = 16 * 2 ** 30

/** The official archives have one file; somebody's own may have a few more. */
const mostEntries = 1_000

async function openZip(path: string): Promise<{ file: ZipFile; entries: Entry[] }> {
  let file: ZipFile | undefined
  try {
    file = await openPromise(path, { lazyEntries: true, autoClose: false })
    const entries: Entry[] = []
    for await (const entry of file.eachEntry()) {
      if (entries.push(entry) > mostEntries) throw new Error(`it has more than ${mostEntries} files`)
    }
    return { file, entries }
  } catch (error) {
    file?.close()
    throw new ImportError(`It is not a whole zip file: ${stated(error)}. Download it again.`)
  }
}

/** yauzl checks the length of a member, not its check sum, and unpacks it in pieces of 16 KiB. */
async function* unzip(file: ZipFile, entry: Entry, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const isStored = entry.compressionMethod === 0
  refuseMethod(entry)
  const source = await openEntry(file, entry, isStored)
  let sum = 0
  let bytes = 0
  for await (const chunk of flow(
    source,
    isStored ? undefined : createInflateRaw({ chunkSize: chunkBytes }),
  )) {
    sum = crc32(chunk, sum)
    bytes += chunk.length
    onBytes(bytes)
    yield chunk
  }
  if (bytes !== entry.uncompressedSize || sum !== entry.crc32) {
    throw new ImportError(`${entry.fileName} is damaged: its check sum is wrong. Download the file again.`)
  }
}

/** What yauzl says of these is for programmers. */
function refuseMethod(entry: Entry): void {
  const { fileName, compressionMethod } = entry
  const remedy = 'Unpack it yourself, and give the text file.'
  if (entry.isEncrypted()) throw new ImportError(`${fileName} is encrypted in the zip file. ${remedy}`)
  if (compressionMethod === 0 || compressionMethod === 8) return
  throw new ImportError(
    `${fileName} is packed in the zip file by method ${compressionMethod}; expected the usual one (8, deflate). ${remedy}`,
  )
}

async function openEntry(file: ZipFile, entry: Entry, isStored: boolean): Promise<Readable> {
  try {
    return await file.openReadStreamPromise(entry, isStored ? {} : { decompress: false })
  } catch (error) {
    throw new ImportError(`${entry.fileName} cannot be unpacked: ${stated(error)}.`)
  }
}

/** The bytes of a stream, unpacked; both streams are closed when nobody reads on. */
async function* flow(source: Readable, unpack: Transform | undefined): AsyncGenerator<Buffer> {
  const flowing = unpack && pipeline(source, unpack)
  flowing?.catch(() => undefined) // the iteration below fails with it
  try {
    for await (const chunk of (unpack ?? source) as AsyncIterable<Buffer>) yield chunk
    await flowing
  } catch (error) {
    throw new ImportError(`It cannot be read to the end: ${stated(error)}. Download it again.`)
  } finally {
    source.destroy()
    unpack?.destroy()
  }
}

/** Looks at the first bytes of a member and gives them back with the rest; empty where it has none. */
export async function peek(
  chunks: AsyncIterable<Buffer>,
): Promise<{ readonly first: Buffer; readonly all: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  const start = await iterator.next()
  const first = start.done === true ? Buffer.alloc(0) : start.value
  async function* all(): AsyncGenerator<Buffer> {
    yield first
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { first, all: all() }
}
