import type { Rejection } from '@hearth/chassis/importing/report'

/**
 * Part of a file: what could be made of its lines. Lines are numbered from 1, and the numbers run on over the
 * members of a zip file.
 */
export type Batch<T> = {
  /** Lines read for it, without headers. */
  readonly lines: number
  readonly records: readonly T[]
  readonly rejections: readonly Rejection[]
}

/** The same as lines for COPY. */
export type CopyBatch = Omit<Batch<unknown>, 'records'> & {
  readonly text: string | Uint8Array
  /** Records in it. */
  readonly records: number
  /** First and last date of its records, `YYYY-MM-DD`; null where none has one. */
  readonly firstDate: string | null
  readonly lastDate: string | null
}

/** How records are put into a table. */
export type CopyForm<T> = {
  /** Line of a record for COPY, with its end. */
  readonly line: (record: T) => string
  /** The date a record is of, where it has one. */
  readonly dateOf: (record: T) => string | null
}

export function copyBatch<T>(
  { lines, records, rejections }: Batch<T>,
  { line, dateOf }: CopyForm<T>,
): CopyBatch & { readonly text: string } {
  let text = ''
  let firstDate: string | null = null
  let lastDate: string | null = null
  for (const record of records) {
    text += line(record)
    const date = dateOf(record)
    firstDate = earlier(firstDate, date)
    lastDate = later(lastDate, date)
  }
  return { lines, rejections, text, records: records.length, firstDate, lastDate }
}

/** The same batch by batch. */
export async function* copyBatches<T>(
  batches: AsyncIterable<Batch<T>>,
  form: CopyForm<T>,
): AsyncGenerator<CopyBatch> {
  for await (const batch of batches) yield copyBatch(batch, form)
}

/** The earlier of two dates that may not be known. */
export function earlier(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b < a) ? b : a
}

/** The later of two dates that may not be known. */
export function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a
}
