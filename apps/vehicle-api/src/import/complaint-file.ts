import type { Rejection } from '@hearth/chassis/importing/report'
import type { ComplaintRecord } from '../model/complaint-record.ts'
import { readComplaintRow, vehicleOfRow, type ComplaintRow } from '../model/complaint-row.ts'
import { gatherComplaint } from '../model/complaint.ts'
import { readParts } from './cut-parts.ts'
import { createOdiNumbers, type OdiNumbers } from './odi-numbers.ts'
import { eachLine, longLine, readLines } from './read-lines.ts'
import type { Batch } from './batch.ts'

/** How complaint files are read. */
export type ComplaintReading = {
  /** Model years more than two years ahead of it are left out. */
  readonly currentYear: number
  /** The ODI numbers of all files of an import: see {@link readScattered}. */
  readonly seen?: OdiNumbers
  /** Called with the share of the file that has been read, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** What a part of a complaint file says besides its complaints. */
export type PartContent = Omit<Batch<ComplaintRecord>, 'records'> & {
  /** The ODI number of each run of rows. */
  readonly runs: readonly string[]
  /** Those that are about several vehicles. */
  readonly several: readonly string[]
}

/**
 * The complaints in a complaint file (CMPL flat file, 46 or more columns; plain, gzip or zip), in constant memory:
 * rows that follow each other with one ODI number, make, model and model year are one complaint. The official files
 * are in that order; numbers whose rows do not stand together are noted in `seen.scattered`.
 *
 * @throws ImportError (from the iteration) when the file cannot be read to its end
 */
export async function* readComplaints(
  path: string,
  { currentYear, seen = createOdiNumbers(), onProgress }: ComplaintReading,
): AsyncGenerator<Batch<ComplaintRecord>> {
  let before = 0
  for await (const part of readParts(path, onProgress)) {
    const records: ComplaintRecord[] = []
    const { lines, rejections, runs } = readPart(part, currentYear, (record) => records.push(record))
    for (const odi of runs) seen.add(odi)
    yield { lines, records, rejections: shifted(rejections, before) }
    before += lines
  }
}

/** The same for lines that have others before them. */
export function shifted(rejections: readonly Rejection[], before: number): Rejection[] {
  return rejections.map((rejection) => ({ ...rejection, line: before + rejection.line }))
}

/**
 * Reads a part of a complaint file: see {@link readComplaints}. Lines are numbered from 1 in it.
 *
 * @param take is given the complaints one by one, so that few of them are in memory
 */
export function readPart(
  part: Buffer,
  currentYear: number,
  take: (record: ComplaintRecord) => void,
): PartContent {
  const rejections: Rejection[] = []
  const runs: string[] = []
  const several: string[] = []
  let run: ComplaintRow[] = []
  let count = 0
  const close = () => {
    const [first] = run
    if (first === undefined) return
    const complaints = complaintsOf(run)
    runs.push(first.odi)
    if (complaints.length > 1) several.push(first.odi)
    for (const complaint of complaints) take(complaint)
    run = []
  }
  eachLine(part, (line) => {
    count++
    const row = readLine(line, currentYear)
    if ('reason' in row) {
      rejections.push({ line: count, ...row })
      return
    }
    if (run[0]?.odi !== row.odi) close()
    run.push(row)
  })
  close()
  return { lines: count, rejections, runs, several }
}

/**
 * The complaints of the numbers in `seen.scattered`, whole: {@link readComplaints} has yielded each of them in
 * pieces, which these replace. Reads the files once more for every 100,000 numbers, so that memory stays constant.
 *
 * @param paths every file of the import
 */
export async function* readScattered(
  paths: readonly string[],
  { currentYear, seen }: { readonly currentYear: number; readonly seen: OdiNumbers },
): AsyncGenerator<ComplaintRecord[]> {
  const numbers = [...seen.scattered]
  for (let start = 0; start < numbers.length; start += numbersAtOnce) {
    const rows = new Map<string, ComplaintRow[]>()
    for (const odi of numbers.slice(start, start + numbersAtOnce)) rows.set(odi, [])
    for (const path of paths) {
      for await (const { lines } of readLines(path)) {
        for (const line of lines) collect(rows, line, currentYear)
      }
    }
    yield [...rows.values()].flatMap(complaintsOf)
  }
}

const numbersAtOnce = 100_000

function collect(rows: ReadonlyMap<string, ComplaintRow[]>, line: string | null, currentYear: number): void {
  const row = readLine(line, currentYear)
  if (!('reason' in row)) rows.get(row.odi)?.push(row)
}

type Refused = Omit<Rejection, 'line'>

/** What editors leave at the end of a file. */
export const emptyLine = 'The line is empty.'

function readLine(line: string | null, currentYear: number): ComplaintRow | Refused {
  if (line === null) return { subject: '', reason: longLine, isFault: true }
  const cells = line.split('\t')
  if (cells.length === 1 && line.trim() === '') return { subject: '', reason: emptyLine, isFault: true }
  const row = readComplaintRow(cells, currentYear)
  return 'reason' in row ? { subject: vehicleOfRow(cells), ...row } : row
}

/** The complaints of one ODI number, which before 2003 may be about several vehicles. */
function complaintsOf(rows: readonly ComplaintRow[]): ComplaintRecord[] {
  if (rows.length === 1) return [gatherComplaint(rows)]
  const vehicles = Map.groupBy(rows, ({ make, model, year }) => `${make}/${model}/${year}`)
  return [...vehicles.values()].map(gatherComplaint)
}
