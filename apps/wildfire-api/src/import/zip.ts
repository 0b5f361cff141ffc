import type { Readable } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { ImportError } from '@hearth/chassis/importing/import-error'
import { stated } from './stated.ts'

/** An open zip file. */
export type Zip = {
  /** Names of the files in it. */
  readonly names: readonly string[]
  /**
   * Opens the county table in it: the only CSV that is neither a dictionary nor a list of hazards.
   * @throws ImportError when there is none, or more than one
   */
  readonly openTable: () => Promise<{ readonly stream: Readable; readonly bytes: number }>
  readonly close: () => void
}

/** @throws ImportError when it is not a zip file or was cut off */
export async function openZip(path: string): Promise<Zip> {
  try {
    const file = await openPromise(path, { lazyEntries: true, autoClose: false })
    const entries = await entriesOf(file)
    return {
      names: entries.map(({ fileName }) => fileName),
      openTable: () => openTable(file, entries),
      close: () => {
        file.close()
      },
    }
  } catch (error) {
    throw new ImportError(`It is not a whole zip file: ${stated(error)}. Download it again.`)
  }
}

async function entriesOf(file: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of file.eachEntry()) {
    if (entries.push(entry) > mostEntries) throw new Error(`it has more than ${mostEntries} files`)
  }
  return entries
}

/** The official archive has 4 files, a workbook about 20. */
const mostEntries = 1_000
const largestTable = 2 ** 30

async function openTable(file: ZipFile, entries: readonly Entry[]) {
  const tables = entries.filter(
    ({ fileName }) => /\.csv$/i.test(fileName) && !/dictionary|hazardinfo|__MACOSX/i.test(fileName),
  )
  const [table] = tables
  if (table === undefined || tables.length > 1) {
    const found = entries.map(({ fileName }) => fileName).join(', ')
    throw new ImportError(`Expected one CSV with the county table in the zip file; it has: ${found}.`)
  }
  if (table.uncompressedSize > largestTable) throw new ImportError(`${table.fileName} is larger than 1 GiB.`)
  return { stream: await file.openReadStreamPromise(table), bytes: table.uncompressedSize }
}
