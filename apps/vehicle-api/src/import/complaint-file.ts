import type { Rejection } from '@hearth/chassis/importing/report'
import type { ComplaintRecord } from '../model/complaint-record.ts'
import { readComplaintRow, vehicleOfRow, type ComplaintRow } from '../model/complaint-row.ts'
import { gatherComplaint } from '../model/complaint.ts'
import { createOdiNumbers, type OdiNumbers } from './odi-numbers.ts'
import { readLines } from './read-lines.ts'
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
  let run: ComplaintRow[] = []
  for await (const { first, lines } of readLines(path, onProgress)) {
    const records: ComplaintRecord[] = []
    const rejections: Rejection[] = []
    for (const [index, line] of lines.entries()) {
      const row = readLine(line, currentYear)
      if ('reason' in row) {
        rejections.push({ line: first + index, ...row })
        continue
      }
      if (run[0] !== undefined && run[0].odi !== row.odi) run = closed(run, records, seen)
      run.push(row)
    }
    yield { lines: lines.length, records, rejections }
  }
  const records: ComplaintRecord[] = []
  closed(run, records, seen)
  if (records.length > 0) yield { lines: 0, records, rejections: [] }
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

function readLine(line: string | null, currentYear: number): ComplaintRow | Refused {
  if (line === null) return { subject: '', reason: 'The line is longer than 64 KiB.', isFault: true }
  const cells = line.split('\t')
  const row = readComplaintRow(cells, currentYear)
  return 'reason' in row ? { subject: vehicleOfRow(cells), ...row } : row
}

/** Ends a run of rows with one ODI number. @returns the next one, empty */
function closed(run: readonly ComplaintRow[], records: ComplaintRecord[], seen: OdiNumbers): ComplaintRow[] {
  const [first] = run
  if (first !== undefined) {
    seen.add(first.odi)
    records.push(...complaintsOf(run))
  }
  return []
}

/** The complaints of one ODI number, which before 2003 may be about several vehicles. */
function complaintsOf(rows: readonly ComplaintRow[]): ComplaintRecord[] {
  if (rows.length === 1) return [gatherComplaint(rows)]
  const vehicles = Map.groupBy(rows, ({ make, model, year }) => `${make}/${model}/${year}`)
  return [...vehicles.values()].map(gatherComplaint)
}
