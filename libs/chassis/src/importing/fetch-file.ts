import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ImportError, reasonOf } from './import-error.ts'

/** A file on this machine that can be read from any point. */
export type LocalFile = {
  readonly path: string
  /** What it is called in messages and in the provenance: its name, or its address without credentials. */
  readonly source: string
  readonly bytes: number
  /** When it was changed last, by the clock of its file system, in milliseconds. */
  readonly changedAt: number
  readonly sha256: string
  /** Removes it when it is a copy. */
  readonly dispose: () => Promise<void>
}

/** What may be fetched, and who is told how far it is. */
export type FetchOptions = {
  /** GiB; a larger file is refused. */
  readonly largestGiB: number
  /** What such a file has, for the refusal: `the county tables have 5 to 25 MB`. */
  readonly usual: string
  /** Called with the bytes received so far, and how many there will be where the server says so. */
  readonly onProgress: (bytes: number, of: number | undefined) => void
  /** An address that sends nothing for so many milliseconds is given up; a minute unless told. */
  readonly stallMs?: number
}

/**
 * Brings a file or the content of an http(s) address to this machine; an address is copied into the directory for
 * temporary files.
 *
 * @throws ImportError when it cannot be read or is too large
 */
export async function fetchFile(fileOrUrl: string, options: FetchOptions): Promise<LocalFile> {
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(fileOrUrl) ?? []
  if (scheme === undefined) return openLocal(fileOrUrl, options)
  if (/^https?$/i.test(scheme)) return download(fileOrUrl, options)
  throw new ImportError(
    `Addresses that begin with ${scheme}:// cannot be read; give a file, or an address that begins with https:// or http://.`,
  )
}

async function openLocal(path: string, { largestGiB, usual }: FetchOptions): Promise<LocalFile> {
  try {
    const found = await stat(path)
    if (found.isDirectory())
      throw new ImportError(`${path} cannot be read: it is a directory. Give the files in it.`)
    if (!found.isFile()) {
      throw new ImportError(
        `${path} cannot be read: it is a pipe or a device, and is read more than once. Give a file.`,
      )
    }
    const { size, mtimeMs: changedAt } = found
    if (size > largestGiB * 2 ** 30) {
      throw new ImportError(`${path} is larger than ${largestGiB} GiB; ${usual}.`)
    }
    const sha256 = await hashOf(path)
    const dispose = () => Promise.resolve()
    return { path, source: basename(path), bytes: size, changedAt, sha256, dispose }
  } catch (error) {
    if (error instanceof ImportError) throw error
    throw new ImportError(`${path} cannot be read: ${reasonOf(error)}.`)
  }
}

/**
 * Refuses a file that was written to since its check sum was made: what was read is neither the file of before nor
 * that of now.
 *
 * @throws ImportError
 */
export async function refuseChanged({ path, bytes, changedAt }: LocalFile): Promise<void> {
  const change = await stat(path).then(
    ({ size, mtimeMs }) => {
      if (size !== bytes) return `it had ${bytes} bytes and has ${size}`
      return mtimeMs === changedAt ? undefined : 'it was written to'
    },
    (error: unknown) => reasonOf(error),
  )
  if (change === undefined) return
  throw new ImportError(
    `The file changed while it was read (${change}): import again when nothing writes to it any more.`,
  )
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function download(
  address: string,
  { largestGiB, onProgress, stallMs = 60_000 }: FetchOptions,
): Promise<LocalFile> {
  const { source, headers } = withoutCredentials(address)
  const directory = await mkdtemp(join(tmpdir(), 'hearth-import-'))
  const path = join(directory, 'download')
  const dispose = () => rm(directory, { recursive: true, force: true })
  const hash = createHash('sha256')
  let bytes = 0
  const stall = new AbortController()
  const timer = setTimeout(() => stall.abort(new Error(`nothing arrived for ${stallMs / 1000} s`)), stallMs)
  try {
    const response = await fetch(source, { headers, signal: stall.signal })
    if (!response.ok || response.body === null) {
      throw new ImportError(`${source} answered ${response.status}; expected the file. Nothing was changed.`)
    }
    const length = Number(response.headers.get('content-length')) || undefined
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        timer.refresh()
        hash.update(chunk)
        bytes += chunk.length
        onProgress(bytes, length)
        done(bytes > largestGiB * 2 ** 30 ? new Error(`it is larger than ${largestGiB} GiB`) : null, chunk)
      },
    })
    await pipeline(Readable.fromWeb(response.body), count, createWriteStream(path), { signal: stall.signal })
    const { mtimeMs: changedAt } = await stat(path)
    return { path, source, bytes, changedAt, sha256: hash.digest('hex'), dispose }
  } catch (error) {
    await dispose()
    if (error instanceof ImportError) throw error
    const reason = reasonOf(stall.signal.aborted ? stall.signal.reason : error)
    throw new ImportError(`${source} could not be downloaded: ${reason}. Nothing was changed; try again.`)
  } finally {
    clearTimeout(timer)
  }
}

/** Credentials go into a header: fetch refuses them in addresses, and messages show the address. */
function withoutCredentials(address: string): { source: string; headers: Record<string, string> } {
  const url = URL.parse(address)
  if (url === null) throw new ImportError('The address given is not one that can be read.')
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`
  url.username = ''
  url.password = ''
  const basic = `Basic ${Buffer.from(credentials).toString('base64')}`
  return { source: url.href, headers: credentials === ':' ? {} : { Authorization: basic } }
}

/** A password may have a `%` of its own. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
