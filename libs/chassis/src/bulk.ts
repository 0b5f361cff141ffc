import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

/** One connection for long work with many rows, without deadlines; locks and settings of the session last with it. */
export type BulkSession<DB> = {
  /** Always this connection. */
  readonly db: Kysely<DB>
  /**
   * Adds rows with COPY, far faster than inserts. When it fails in the middle the embedded database may have kept
   * some: use a transaction, or a table that is thrown away then.
   * @param table its name; lines made by copyLine() give all its columns in order
   * @param chunks whole lines, in UTF-8 where they are bytes, as many in a chunk as is handy; 64 KiB to 1 MiB are fast
   * @returns number of rows
   */
  readonly copyIn: (table: string, chunks: AsyncIterable<string | Uint8Array>) => Promise<number>
  /** All or nothing, COPY included, which Kysely's own transactions do not let in on the embedded database. */
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>
  /**
   * Two works that do not wait for each other, at the same time and each on a session of its own; on the embedded
   * database, which has one connection, one after the other. When one fails the other is waited for. Not inside a
   * transaction.
   */
  readonly inParallel: <A, B>(
    one: (session: BulkSession<DB>) => Promise<A>,
    other: (session: BulkSession<DB>) => Promise<B>,
  ) => Promise<[A, B]>
}

/** A session on a connection of a pool that serves nobody else. */
export async function serverSession<DB, T>(
  pool: pg.Pool,
  work: (session: BulkSession<DB>) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: poolOfOne(client) }) })
  try {
    await liftLimits(db)
    // Statements that run for seconds are not worth compiling anew each time.
    await sql`set work_mem = '64MB'; set maintenance_work_mem = '256MB'; set jit = off`.execute(db)
    return await work({
      db,
      copyIn: async (table, chunks) => {
        const target = client.query(copyFrom(`copy ${quoteName(table)} from stdin`))
        await pipeline(Readable.from(chunks), target)
        return target.rowCount
      },
      transaction: (inside) => transaction(db, inside),
      inParallel: async (one, other) => {
        const both = [serverSession(pool, one), serverSession(pool, other)] as const
        await Promise.allSettled(both)
        return Promise.all(both)
      },
    })
  } finally {
    // What the session has set or locked ends with its connection.
    client.release(true)
  }
}

/** A role may have limits that are right for requests. Which there are depends on the version of the server. */
async function liftLimits<DB>(db: Kysely<DB>): Promise<void> {
  await sql`
    select set_config(name, '0', false) from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
      'transaction_timeout')`.execute(db)
}

/** A session on the one connection of the embedded database. */
export function embeddedSession<DB, T>(
  db: Kysely<DB>,
  copyBlob: (statement: string, blob: Blob) => Promise<number>,
  work: (session: BulkSession<DB>) => Promise<T>,
): Promise<T> {
  const copyIn = async (table: string, chunks: AsyncIterable<string | Uint8Array>) => {
    const statement = `copy ${quoteName(table)} from '/dev/blob'`
    let rows = 0
    for await (const blob of gather(chunks)) rows += await copyBlob(statement, blob)
    return rows
  }
  return db.connection().execute((connection) => {
    const session: BulkSession<DB> = {
      ...{ db: connection, copyIn, transaction: (inside) => transaction(connection, inside) },
      inParallel: async (one, other) => [await one(session), await other(session)],
    }
    return work(session)
  })
}

async function transaction<DB, T>(db: Kysely<DB>, work: () => Promise<T>): Promise<T> {
  await sql`begin`.execute(db)
  try {
    const result = await work()
    await sql`commit`.execute(db)
    return result
  } catch (error) {
    // Where the connection has gone, the server rolls back; the first error is the one that tells.
    await sql`rollback`.execute(db).catch(() => {})
    throw error
  }
}

/** The embedded database takes a blob at a time; a few megabytes keep its memory small. */
async function* gather(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Blob> {
  let parts: (string | Uint8Array<ArrayBuffer>)[] = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(typeof chunk === 'string' ? chunk : new Uint8Array(chunk))
    length += chunk.length
    if (length < 4_000_000) continue
    yield new Blob(parts)
    parts = []
    length = 0
  }
  if (parts.length > 0) yield new Blob(parts)
}

function poolOfOne(client: pg.PoolClient): PostgresPool {
  const query = (text: string, parameters: readonly unknown[]) => client.query(text, [...parameters])
  const one = { query: query as unknown as PostgresPoolClient['query'], release: () => {} }
  return { options: {}, connect: () => Promise.resolve(one), end: () => Promise.resolve() }
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
