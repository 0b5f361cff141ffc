import { copyLine, type CopyValue } from '@hearth/chassis/copy-line'
import type { ImportSession } from '../database.ts'
import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'

/**
 * The rows of a query, a few thousand at a time, so that a table of any size can be gone through, in a transaction
 * of the session. Nothing else may read with this function meanwhile; writing is allowed.
 */
export async function* rowsOf<Row>(db: QueryExecutorProvider, query: RawBuilder<Row>): AsyncGenerator<Row> {
  for await (const rows of pagesOf(db, query)) yield* rows
}

/** The same in lists. */
export async function* pagesOf<Row>(
  db: QueryExecutorProvider,
  query: RawBuilder<Row>,
): AsyncGenerator<readonly Row[]> {
  await sql`declare going_through no scroll cursor for ${query}`.execute(db)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.raw(String(rowsAtOnce))} from going_through`.execute(db)
    yield rows
    if (rows.length < rowsAtOnce) break
  }
  await sql`close going_through`.execute(db)
}

const rowsAtOnce = 2_000

/** Neighbouring rows with the same key, as lists. */
export async function* grouped<Row>(
  rows: AsyncIterable<Row>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row[]> {
  let group: Row[] = []
  let key: string | undefined
  for await (const row of rows) {
    const own = keyOf(row)
    if (own !== key && group.length > 0) {
      yield group
      group = []
    }
    key = own
    group.push(row)
  }
  if (group.length > 0) yield group
}

/** Puts rows into a table while others are read: many at a time, by COPY. */
export type Writer = {
  readonly add: (values: readonly CopyValue[]) => Promise<void>
  /** @param lines as copyLine makes them, in UTF-8 where they are bytes */
  readonly addLines: (lines: string | Uint8Array) => Promise<void>
  /** Writes what is left. */
  readonly end: () => Promise<void>
}

/** @param table its name */
export function openWriter({ copyIn }: Pick<ImportSession, 'copyIn'>, table: string): Writer {
  let chunks: (string | Uint8Array)[] = []
  let length = 0
  const flush = async () => {
    const ready = chunks
    chunks = []
    length = 0
    if (ready.length > 0) await copyIn(table, eachOf(ready))
  }
  const addLines = async (lines: string | Uint8Array) => {
    if (lines.length > 0) chunks.push(lines)
    length += lines.length
    if (length > chunkLength) await flush()
  }
  return { addLines, add: (values) => addLines(copyLine(values)), end: flush }
}

const chunkLength = 1_000_000

async function* eachOf(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* chunks
}
