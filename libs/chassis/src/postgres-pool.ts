import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { postgresBreaker, type PostgresBreaker } from './postgres-breaker.ts'
import { statementName } from './prepared.ts'
import { isError } from './system-error.ts'

/** Where a pool connects to, and for whom. */
export type PoolTarget = {
  readonly url: string
  /** Every connection has this schema, and nothing else, on its search path. */
  readonly schema: string
  readonly log: Logger
  /** How long to wait for a connection, in milliseconds. */
  readonly connectTimeoutMs: number
}

/** A pool of pg connections with our types and names, which survives the loss of any of them. */
export function createPool(target: PoolTarget, limits: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...connectionConfig(target), ...limits })
  pool.on('error', (error) => target.log.warn({ err: error }, 'A connection to Postgres was lost.'))
  // A connection that breaks between two queries of a transaction has no other listener, and an unheard 'error'
  // event ends the process. The next query on it is rejected.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The breaker of a Postgres, for all pools to it. */
export function openBreaker(target: PoolTarget): PostgresBreaker {
  return postgresBreaker((deadlineMs) => signOfLife(target, deadlineMs), target.log)
}

/**
 * The pool as Kysely uses it, when Postgres may hang: nobody is given a connection on which an answer is overdue, and
 * nobody waits for one while Postgres answers nothing at all; see postgres-breaker.ts.
 */
export function guardPool(pool: pg.Pool, breaker: PostgresBreaker): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const connecting = () =>
        pool.connect().catch((error: unknown) => {
          if (isOverdue(error)) breaker.suspect()
          throw error
        })
      return guardClient(await breaker.whileItAnswers(connecting, (late) => late.release(true)), breaker)
    },
  }
}

/**
 * After a read timeout the answer may still come, and the connection's next user would wait behind it. Such a
 * connection answers nothing more (so the rollback of its transaction fails at once) and is closed on release.
 */
function guardClient(client: pg.PoolClient, breaker: PostgresBreaker): PostgresPoolClient {
  let broken: Error | undefined
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (broken !== undefined) throw broken
    try {
      breaker.check()
      return await client.query({ name: statementName(text, parameters), text, values: [...parameters] })
    } catch (error) {
      if (isOverdue(error)) {
        broken = error
        breaker.suspect()
      }
      throw error
    }
  }
  const release = (destroy?: boolean) => client.release(destroy === true || broken !== undefined)
  // Kysely's type also has a query with a cursor, which it calls only when one is configured; none is.
  return { query: query as unknown as PostgresPoolClient['query'], release }
}

/** What pg says when an answer or a new connection is overdue; not that all connections are in use. */
function isOverdue(error: unknown): error is Error {
  return (
    isError(error) &&
    /^(Query read timeout|timeout expired|Connection terminated due to connection timeout)/.test(
      error.message,
    )
  )
}

/** Connects and asks the least there is to ask, on a connection of its own. */
async function signOfLife(target: PoolTarget, deadlineMs: number): Promise<void> {
  const end = performance.now() + deadlineMs
  const client = new pg.Client({ ...connectionConfig(target), connectionTimeoutMillis: deadlineMs })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query({
      text: 'select 1',
      query_timeout: Math.max(1, end - performance.now()),
    } as pg.QueryConfig)
  } finally {
    // Not awaited: a server that hangs does not say goodbye either.
    client.end().catch(() => undefined)
  }
}

function connectionConfig({ url, schema, connectTimeoutMs }: PoolTarget) {
  const address = new URL(url)
  // A parameter of the URL would replace ours instead of joining it.
  const given = address.searchParams.get('options') ?? ''
  address.searchParams.delete('options')
  return {
    connectionString: address.href,
    options: `${given} -c search_path=${schema} -c TimeZone=UTC`.trim(),
    application_name: `hearth-${schema}`,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  }
}

const { INT8, DATE } = pg.types.builtins
/** Object identifiers of the array types, which pg has no names for (pg_type: _int8, _date). */
const INT8_ARRAY = 1016
const DATE_ARRAY = 1182

const asText = (value: string): string => value
const PARSERS = new Map<number, (value: string) => unknown>([
  [INT8, Number],
  [DATE, asText],
  [INT8_ARRAY, (value) => parseArray(value, Number)],
  [DATE_ARRAY, (value) => parseArray(value, asText)],
])

/** One dimension, items without quotes: `{1,NULL,3}`. */
function parseArray<T>(value: string, parse: (item: string) => T): (T | null)[] {
  if (value === '{}') return []
  const items = value.slice(1, -1).split(',')
  return items.map((item) => (item === 'NULL' ? null : parse(item)))
}

const getTypeParser: typeof pg.types.getTypeParser = (oid, format) => {
  const parser: unknown = PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)
  return parser
}
