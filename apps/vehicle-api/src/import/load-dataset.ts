import { fetchFile, refuseChanged, type LocalFile } from '@hearth/chassis/importing/fetch-file'
import { ImportError } from '@hearth/chassis/importing/import-error'
import { createProgress } from '@hearth/chassis/importing/progress'
import type { Rejection, Report } from '@hearth/chassis/importing/report'
import { createHash } from 'node:crypto'
import type { Tables } from '../data-tables.ts'
import { tableName } from '../data-tables.ts'
import type { DatasetKind, ImportSession } from '../database.ts'
import { earlier, later, type CopyBatch } from './batch.ts'
import { emptyLine } from './complaint-file.ts'
import { longLine } from './read-lines.ts'
import { createTables } from './tables.ts'

/** A kind of file and where its records go. */
export type Source = {
  readonly kind: DatasetKind
  /** In messages. */
  readonly name: string
  readonly table: keyof Tables
  /** The content of a file, its lines numbered from 1. */
  readonly read: (path: string, onProgress: (share: number) => void) => AsyncIterable<CopyBatch>
  /** Whether every line of the file is one, without a header, so that a faulty last one tells of a cut. */
  readonly isPlain?: boolean
}

type RefusedLine = Rejection & { readonly source: string }

/** What was read, before it is checked. */
export type Tally = {
  readonly lines: number
  /** Lines that are faulty, and lines that are left out on purpose. */
  readonly faults: number
  readonly leftOut: number
  /** Records that came out of the others. */
  readonly read: number
  /** The first line of each, for messages. */
  readonly firstFault: RefusedLine | undefined
  readonly firstLeftOut: RefusedLine | undefined
  readonly firstDate: string | null
  readonly lastDate: string | null
}

/** What reading works with. */
export type LoadOptions = {
  readonly report: Report
  readonly printError: (line: string) => void
  /** Faulty lines that are allowed; undefined: one in a thousand, ten at least. */
  readonly maxRejected: number | undefined
  /** Model years more than two years ahead of it are left out. */
  readonly currentYear: number
  /** `YYYY-MM-DD` */
  readonly today: string
}

/** Brings the files of one kind here. Their order does not matter. */
export async function fetchFiles(
  name: string,
  filesOrUrls: readonly string[],
  printError: (line: string) => void,
): Promise<{ files: LocalFile[]; sha256: string; source: string; dispose: () => Promise<void> }> {
  const files: LocalFile[] = []
  const dispose = async () => {
    for (const file of files) await file.dispose()
  }
  try {
    for (const fileOrUrl of filesOrUrls) {
      const { received: onProgress } = createProgress(name, printError, () => performance.now())
      files.push(await fetchFile(fileOrUrl, { largestGiB: 8, usual: usualSizes, onProgress }))
    }
  } catch (error) {
    await dispose()
    throw error
  }
  const sums = files.map(({ sha256 }) => sha256).toSorted()
  const [only = ''] = sums
  const sha256 = sums.length === 1 ? only : createHash('sha256').update(sums.join('\n')).digest('hex')
  return { files, sha256, source: files.map(({ source }) => source).join(', '), dispose }
}

const usualSizes = 'the complaint file has 0.4 GB as a zip and 1.6 GB as text'

/**
 * Reads files as streams into a new table of a dataset. Lines that are not taken go to the report as they come, so
 * that memory does not grow with them.
 *
 * @throws ImportError when a file cannot be read to its end, has nothing of the kind, or too many faulty lines
 */
export async function loadRecords(
  session: ImportSession,
  dataset: number,
  source: Source,
  files: readonly LocalFile[],
  options: LoadOptions,
): Promise<Tally> {
  await createTables(session.db, [source.table], dataset)
  const tally = { ...noTally }
  for (const file of files) {
    // Lines are numbered in each file from 1.
    const table = files.length === 1 ? source.kind : `${source.kind} (${file.source})`
    const reject = (rejections: readonly Rejection[]) => options.report.write(table, rejections)
    const lines = linesOf(source, file, tally, { ...options, reject })
    await session.copyIn(tableName(source.table, dataset), lines).catch(namedAfter(file))
    await refuseChanged(file).catch(namedAfter(file))
  }
  if (tally.read === 0) throw nothingRead(source, files, tally, options.report)
  return tally
}

/** For catch: names the file in the message. */
export function namedAfter({ source }: LocalFile): (error: unknown) => never {
  return (error) => {
    throw error instanceof ImportError ? new ImportError(`${source}: ${error.message}`) : error
  }
}

/** The first line that was not taken tells best what kind of file it is. */
function nothingRead(
  { name }: Source,
  files: readonly LocalFile[],
  { lines, faults, leftOut, firstFault, firstLeftOut }: Tally,
  report: Report,
): ImportError {
  const nothing = `There are no ${name} in ${files.map(({ source }) => source).join(', ')}`
  const first = firstFault ?? firstLeftOut
  if (first === undefined) return new ImportError(`${nothing}: it has no lines. Download it again.`)
  return new ImportError(
    `${nothing}: of ${lines} lines ${faults} are faulty and ${leftOut} are left out, such as line ${first.line} of ${first.source}: ${first.reason} All of them are listed in ${report.path}. Was this file meant for another option?`,
  )
}

const noTally: Tally = {
  ...{ lines: 0, faults: 0, leftOut: 0, read: 0 },
  ...{ firstFault: undefined, firstLeftOut: undefined, firstDate: null, lastDate: null },
}

type Reject = (rejections: readonly Rejection[]) => Promise<void>

async function* linesOf(
  { name, read, isPlain = false }: Source,
  file: LocalFile,
  tally: { -readonly [K in keyof Tally]: Tally[K] },
  { report, reject, printError, maxRejected }: LoadOptions & { readonly reject: Reject },
): AsyncGenerator<string | Uint8Array> {
  const progress = createProgress(`${name} (${file.source})`, printError, () => performance.now())
  let [own, lastFault]: [number, Rejection | undefined] = [0, undefined]
  for await (const { lines, records, rejections, text, ...dates } of read(file.path, progress.read)) {
    own += lines
    tally.lines += lines
    progress.row(own)
    await reject(rejections)
    const faults = rejections.filter(({ isFault }) => isFault)
    lastFault = faults.at(-1) ?? lastFault
    tally.faults += faults.length
    tally.leftOut += rejections.length - faults.length
    tally.firstFault ??= withSource(faults[0], file)
    tally.firstLeftOut ??= withSource(
      rejections.find(({ isFault }) => !isFault),
      file,
    )
    refuseFaults(tally, maxRejected, report)
    tally.firstDate = earlier(tally.firstDate, dates.firstDate)
    tally.lastDate = later(tally.lastDate, dates.lastDate)
    tally.read += records
    if (text.length > 0) yield text
  }
  const isCut = isPlain && lastFault?.line === own && !wholeFaults.includes(lastFault.reason)
  if (isCut && tally.read > 0 && maxRejected === undefined) {
    throw new ImportError(
      `Its last line, ${own}, is faulty: ${lastFault?.reason} The file was probably cut off: download it again, or allow the line with --max-rejected.`,
    )
  }
}

/** A line that was cut off has neither of these. */
const wholeFaults: readonly string[] = [emptyLine, longLine]

function withSource(line: Rejection | undefined, { source }: LocalFile): RefusedLine | undefined {
  return line && { ...line, source }
}

/** A thousandth of what was read so far: a file of another kind is refused after its first lines. */
function refuseFaults({ lines, faults, firstFault }: Tally, given: number | undefined, report: Report): void {
  const allowed = given ?? Math.max(10, Math.floor(lines / 1000))
  if (faults <= allowed || firstFault === undefined) return
  const { line, source, reason } = firstFault
  throw new ImportError(
    `${faults} of the first ${lines} lines are faulty, ${allowed} are allowed (--max-rejected). The first is line ${line} of ${source}: ${reason} All of them are listed in ${report.path}.`,
  )
}
