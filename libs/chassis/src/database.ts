import { Kysely, PostgresDialect, sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { embeddedSession, serverSession, type BulkSession } from './bulk.ts'
import { EmbeddedDatabaseBusyError, openPglite } from './pglite.ts'
import { PostgresHangsError } from './postgres-breaker.ts'
import { createPool, guardPool, openBreaker } from './postgres-pool.ts'
import { isError } from './system-error.ts'

/** The database of a service: one schema, on a Postgres server or on the embedded Postgres. */
export type Database<DB> = {
  readonly db: Kysely<DB>
  /** The same on two connections of its own: for short questions that must not wait behind those of requests. */
  readonly aside: Kysely<DB>
  readonly engine: 'postgres' | 'pglite'
  readonly schema: string
  /** Fulfilled when the database answers within `deadlineMs` milliseconds; rejected otherwise. */
  ping: (deadlineMs: number) => Promise<void>
  /** Runs long work (migrations, imports) on connections without the usual deadlines, which end with it. */
  withoutDeadlines: <T>(work: (db: Kysely<DB>) => Promise<T>) => Promise<T>
  /** Runs work with many rows on one connection of its own, without deadlines. Not inside another query's turn. */
  bulk: <T>(work: (session: BulkSession<DB>) => Promise<T>) => Promise<T>
  /** Ends all connections; safe to call twice. */
  close: () => Promise<void>
}

export type DatabaseOptions = {
  /** `postgres://…`; undefined means the embedded database in `dataDir`. */
  url?: string | undefined
  dataDir: string
  /** Lower-case name; every table of the service is in it, and nothing else is on the search path. */
  schema: string
  log: Logger
  /** Connections per process, 10 unless told. The embedded database has one. */
  maxConnections?: number
  /** How long to wait for a connection, in milliseconds; 1000 unless told. */
  connectTimeoutMs?: number
  /** How long a query may take, in milliseconds; 1000 unless told. The server itself gives up 100 ms earlier. */
  queryTimeoutMs?: number
}

/**
 * Opens the database. With a URL it returns at once and connects with the first query, so that a service starts
 * while its database is away; without, it creates or opens the embedded database.
 * On both engines int8 and count(*) are numbers, numeric is text, date is 'YYYY-MM-DD' text, timestamptz is a Date,
 * bytea is a Buffer, arrays and jsonb are JavaScript values.
 * @throws {ConfigError} when another process has the embedded database open
 */
export async function openDatabase<DB>(options: DatabaseOptions): Promise<Database<DB>> {
  if (!/^[a-z][a-z0-9_]*$/.test(options.schema)) {
    throw new Error(
      `The schema name "${options.schema}" is not usable; expected lower-case letters, digits and _.`,
    )
  }
  return options.url === undefined ? openEmbedded(options) : openServer(options, options.url)
}

/** Waits until the database answers, asking each 250 ms. Rejects with the last reason after `deadlineMs`, or on abort. */
export async function waitUntilReady(
  database: Pick<Database<unknown>, 'ping'>,
  options: { deadlineMs: number; signal?: AbortSignal },
): Promise<void> {
  const end = performance.now() + options.deadlineMs
  for (;;) {
    try {
      await database.ping(Math.min(2_000, Math.max(1, end - performance.now())))
      return
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + 250 > end) throw error
      await sleep(250, undefined, { signal: options.signal })
    }
  }
}

/**
 * True when an error says that the database is away, overloaded or too slow, so that trying later makes sense;
 * false for what trying again does not cure: a constraint, a wrong statement, a wrong password.
 */
export function isUnavailable(error: unknown): boolean {
  if (!isError(error)) return false
  if (AWAY_CLASSES.some((kind) => error instanceof kind)) return true
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && AWAY_STATES.test(code)) return true
  if (code !== undefined && AWAY_CODES.has(code)) return true
  if (code === undefined && AWAY_MESSAGES.test(error.message)) return true
  if ('errors' in error && Array.isArray(error.errors) && error.errors.some(isUnavailable)) return true
  return error.cause !== undefined && isUnavailable(error.cause)
}

/**
 * True when an error says that nobody can reach the database, as far as this process can tell: it refuses connections,
 * ends them, or answers nothing at all. False for an answer that is merely late.
 */
export function isDown(error: unknown): boolean {
  if (error instanceof PostgresHangsError) return true
  if (!isError(error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return AWAY_CODES.has(code) || /^57P0[1-3]$/.test(code)
}

/** True when an error is an answer of the database, which then has done nothing of the statement that it refuses. */
export function isRefusal(error: unknown): boolean {
  if (!isError(error) || !('severity' in error)) return false // which only answers have
  return 'code' in error && typeof error.code === 'string' && !ENDS_CONNECTIONS.test(error.code)
}

/** SQLSTATE of what ends a connection, with what is under way there. */
const ENDS_CONNECTIONS = /^(08...|57P..)$/

class PingTimeoutError extends Error {}

const AWAY_CLASSES = [EmbeddedDatabaseBusyError, PingTimeoutError, PostgresHangsError]

/** Errors of the socket and of name resolution. */
const AWAY_CODES = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
)

/**
 * SQLSTATE: 08 connection, 25006 read-only (a replica after a fail-over), 53 resources (connections, disk, memory),
 * 55P03 lock and 57014 statement timeout, 57P01…05 shut down, crashed, starting, dropped, idle too long.
 */
const AWAY_STATES = /^(08...|25006|40001|40P01|53...|55P03|57014|57P0[1-5])$/

/** What pg, its pool, Kysely and PGlite say without a code. */
const AWAY_MESSAGES =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|driver has already been destroyed|Postgres connection has been discarded|PGlite (instance )?is (already )?clos)/

async function openEmbedded<DB>(options: DatabaseOptions): Promise<Database<DB>> {
  const { dialect, copyBlob, close } = await openPglite({
    dataDir: options.dataDir,
    schema: options.schema,
    waitMs: options.connectTimeoutMs ?? 2_000,
  })
  const db = new Kysely<DB>({ dialect })
  return {
    db,
    aside: db,
    engine: 'pglite',
    schema: options.schema,
    ping: (deadlineMs) => ping(db, deadlineMs),
    withoutDeadlines: (work) => work(db),
    bulk: (work) => embeddedSession(db, copyBlob, work),
    close: once(() => db.destroy().then(close)),
  }
}

/** Connections that stay open, once opened, though nobody uses them. */
export const keptConnections = 10

function openServer<DB>(options: DatabaseOptions, url: string): Database<DB> {
  const { schema, log, queryTimeoutMs = 1_000, connectTimeoutMs = 1_000 } = options
  const target = { url, schema, log, connectTimeoutMs }
  const breaker = openBreaker(target)
  const open = (max: number, min: number) =>
    createPool(target, {
      ...{ max, min },
      // With a connection go the statements that it has prepared, also those about tables that have gone.
      maxLifetimeSeconds: 3_600,
      query_timeout: queryTimeoutMs,
      statement_timeout: Math.max(1, queryTimeoutMs - 100),
      idle_in_transaction_session_timeout: 10_000,
    })
  const most = options.maxConnections ?? 10
  // Who has to turn to Postgres all at once, as when Redis breaks, must not have to connect first.
  const pools = [open(most, Math.min(keptConnections, most)), open(2, 2)] as const
  const on = (pool: (typeof pools)[number]) =>
    new Kysely<DB>({ dialect: new PostgresDialect({ pool: guardPool(pool, breaker) }) })
  const [db, aside] = [on(pools[0]), on(pools[1])]
  return {
    ...{ db, aside, engine: 'postgres', schema },
    ping: (deadlineMs) => ping(db, deadlineMs),
    async withoutDeadlines(work) {
      // Locks are still not waited for: a statement that queues for one blocks everybody behind it.
      const patient = createPool(target, { max: 2, lock_timeout: 2_000 })
      const patientDb = new Kysely<DB>({ dialect: new PostgresDialect({ pool: patient }) })
      return work(patientDb).finally(() => patientDb.destroy())
    },
    async bulk(work) {
      const own = createPool(target, { max: 4, lock_timeout: 2_000 })
      return serverSession(own, work).finally(() => own.end())
    },
    close: once(async () => {
      breaker.close()
      await Promise.all([db.destroy(), aside.destroy()])
      // When Kysely has never used a pool it does not end it.
      await Promise.all(pools.filter(({ ending }) => !ending).map((pool) => pool.end()))
    }),
  }
}

async function ping<DB>(db: Kysely<DB>, deadlineMs: number): Promise<void> {
  const timer = new AbortController()
  const timeout = sleep(deadlineMs, undefined, { signal: timer.signal }).then(() => {
    throw new PingTimeoutError(`The database did not answer within ${deadlineMs} ms.`)
  })
  // When the answer wins, the timer is aborted and nobody listens to its rejection.
  timeout.catch(() => {})
  try {
    await Promise.race([sql`select 1`.execute(db), timeout])
  } finally {
    timer.abort()
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= work())
}
