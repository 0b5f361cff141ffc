import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { csvCell } from '../csv.ts'
import { ImportError, reasonOf } from './import-error.ts'

/** A line of a file that is not taken over. */
export type Rejection = {
  readonly line: number
  /** What the line is about, where it can be told. */
  readonly subject: string
  readonly reason: string
  /** False for what is left out on purpose. */
  readonly isFault: boolean
}

/** The file with the lines that were not taken. */
export type Report = {
  readonly path: string
  /** Writes to the disk; nothing is published before that has worked. */
  readonly write: (table: string, rejections: readonly Rejection[]) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Opens the report anew, before any work, so that a disk or a path that cannot take it is known at once.
 *
 * @param subject what lines are about, such as `county`: the head of its column
 * @throws ImportError when it cannot be written
 */
export async function openReport(path: string, subject: string): Promise<Report> {
  const file = await attempt(path, async () => {
    await mkdir(dirname(path), { recursive: true })
    return open(path, 'w')
  })
  await attempt(path, () => put(file, `table,line,${subject},kind,reason\r\n`)).catch(
    async (error: unknown) => {
      await file.close()
      throw error
    },
  )
  return {
    path,
    write: (table, rejections) => attempt(path, () => put(file, textOf(table, rejections))),
    close: () => file.close(),
  }
}

function textOf(table: string, rejections: readonly Rejection[]): string {
  return rejections
    .map(({ line, subject, reason, isFault }) =>
      [table, line, subject, isFault ? 'faulty' : 'left out', reason].map(csvCell).join(','),
    )
    .map((row) => `${row}\r\n`)
    .join('')
}

async function put(file: FileHandle, text: string): Promise<void> {
  if (text === '') return
  await file.writeFile(text)
  // Devices and some network disks cannot be synchronised; what matters is that a full disk is noticed.
  await file.datasync().catch((error: unknown) => {
    if (!/EINVAL|ENOTSUP/.test(reasonOf(error))) throw error
  })
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ImportError(
      `The report ${path} cannot be written: ${reasonOf(error)}. Name another place with --report.`,
    )
  }
}

/** For data that are known to be right. */
export const unreported: Report = {
  path: '',
  write: (table, [first]) =>
    first === undefined
      ? Promise.resolve()
      : Promise.reject(new ImportError(`Line ${first.line} of ${table} was not taken: ${first.reason}`)),
  close: () => Promise.resolve(),
}
