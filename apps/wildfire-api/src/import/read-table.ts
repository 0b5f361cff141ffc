import { parse } from 'csv-parse'
import { createReadStream } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readSheet } from 'read-excel-file/node'
import { ImportError } from '@hearth/chassis/importing/import-error'
import { openZip } from './zip.ts'
import { stated } from './stated.ts'

/** A line of a table. */
export type Line = {
  /** Number in the file, from 1. */
  readonly number: number
  readonly cells: readonly string[]
}

/**
 * The lines of a CSV file, of the CSV file in a zip, or of a sheet of a workbook, one by one; which of them it is
 * is told from the first bytes. CSV is UTF-8, with or without a byte order mark.
 *
 * @param options.sheet name of the sheet of a workbook
 * @param options.onProgress called with a share of the file, 0..1
 * @throws ImportError (from the iteration) when the file is not such a table or ends too early
 */
export async function* readTable(
  path: string,
  options: { readonly sheet: string; readonly onProgress: (share: number) => void },
): AsyncGenerator<Line> {
  const start = await firstBytes(path)
  if (start.startsWith('PK')) {
    const zip = await openZip(path)
    try {
      if (zip.names.includes('xl/workbook.xml')) yield* sheetLines(path, options.sheet)
      else yield* csvLines(await zip.openTable(), options.onProgress)
    } finally {
      zip.close()
    }
  } else if (/^\s*<(!doctype|html|\?xml)/i.test(start)) {
    throw new ImportError(
      'It is a web page, not a table: the address has moved, or answers with an error page.',
    )
  } else {
    const { size } = await sizeOf(path)
    yield* csvLines({ stream: createReadStream(path), bytes: size }, options.onProgress)
  }
}

async function* csvLines(
  { stream, bytes }: { readonly stream: Readable; readonly bytes: number },
  onProgress: (share: number) => void,
): AsyncGenerator<Line> {
  let seen = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      onProgress(Math.min(1, seen / Math.max(1, bytes)))
      done(null, chunk)
    },
  })
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // An unclosed quote would otherwise collect the rest of the file into one cell.
    max_record_size: 1_000_000,
  })
  const flowing = pipeline(stream, count, parser)
  flowing.catch(() => undefined) // the iteration below fails with it
  try {
    for await (const { info, record } of parser as AsyncIterable<CsvRecord>) {
      yield { number: info.lines, cells: record }
    }
    await flowing
  } catch (error) {
    throw new ImportError(`It cannot be read to the end: ${stated(error)}.`)
  } finally {
    stream.destroy()
  }
}

/** Workbooks are read whole: they have 5 MB. */
async function* sheetLines(path: string, sheet: string): AsyncGenerator<Line> {
  const rows = await readSheet(path, sheet).catch((error: unknown) => {
    throw new ImportError(`The sheet "${sheet}" of the workbook cannot be read: ${stated(error)}.`)
  })
  for (const [at, row] of rows.entries()) {
    yield { number: at + 1, cells: row.map((cell) => (cell === null ? '' : String(cell))) }
  }
}

async function firstBytes(path: string): Promise<string> {
  const file = await openFile(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
    if (bytesRead === 0) throw new ImportError('It is empty.')
    return buffer.toString('latin1', 0, bytesRead).replace(/^\u00ef\u00bb\u00bf/, '')
  } finally {
    await file.close()
  }
}

async function sizeOf(path: string): Promise<{ size: number }> {
  const file = await openFile(path)
  try {
    return await file.stat()
  } finally {
    await file.close()
  }
}

/** What csv-parse gives with `info`. */
type CsvRecord = { readonly info: { readonly lines: number }; readonly record: readonly string[] }
