import { PGlite, types } from '@electric-sql/pglite'
import { PGliteAdapter, PGliteDialect, type Dialect, type Driver } from 'kysely'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'
import { codeOf } from './system-error.ts'

/** A query waited longer than allowed for the single connection of the embedded database. */
export class EmbeddedDatabaseBusyError extends Error {
  override name = 'EmbeddedDatabaseBusyError'
}

/** The embedded Postgres, opened. */
export type EmbeddedDatabase = {
  readonly dialect: Dialect
  /** Runs a COPY from '/dev/blob' and counts its rows; only by who holds the connection. */
  readonly copyBlob: (statement: string, blob: Blob) => Promise<number>
  /** Ends the database and gives the lock back. */
  readonly close: () => Promise<void>
}

/**
 * Opens the embedded Postgres in `<dataDir>/postgres`, creating it at first.
 * One process at a time: the lock beside the directory is taken over at once from a process that was killed.
 * @param options.waitMs how long a query may wait for the connection, in milliseconds
 * @throws {ConfigError} when another process has the directory open
 */
export async function openPglite(options: {
  dataDir: string
  schema: string
  waitMs: number
}): Promise<EmbeddedDatabase> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  const unlock = lock(join(options.dataDir, 'postgres.lock'), options.dataDir)
  try {
    const pglite = await PGlite.create({ dataDir: join(options.dataDir, 'postgres'), parsers: PARSERS })
    // Set at the level of the session, as the start-up options of a server's connections are.
    await pglite.exec(`set search_path to "${options.schema}"; set timezone to 'UTC'`)
    const close = async () => {
      if (!pglite.closed) await pglite.close()
      unlock()
    }
    const copyBlob = async (statement: string, blob: Blob) =>
      (await pglite.query(statement, [], { blob })).affectedRows ?? 0
    return { dialect: dialectOf(pglite, options.waitMs), copyBlob, close }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The same JavaScript types as from a server: see PARSERS of database.ts. */
const PARSERS = {
  [types.INT8]: Number,
  [types.DATE]: (value: string) => value,
  [types.BYTEA]: (value: string) => Buffer.from(value.slice(2), 'hex'),
}

function dialectOf(pglite: PGlite, waitMs: number): Dialect {
  const dialect = new PGliteDialect({ pglite })
  return {
    createAdapter: () => new QueueingAdapter(),
    createDriver: () => withDeadline(dialect.createDriver(), waitMs),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

/** Keeps Kysely from queueing by itself, which it would do without a deadline. */
class QueueingAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * Hands the one connection to one user at a time, first come first served. Who waits for it inside a transaction
 * that already holds it would wait for ever; here that becomes an error.
 */
function withDeadline(driver: Driver, waitMs: number): Driver {
  const turns = turnstile(waitMs)
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      await turns.enter()
      return driver.acquireConnection(options)
    },
    async releaseConnection(connection, options) {
      await driver.releaseConnection(connection, options)
      turns.leave()
    },
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    savepoint: async (...args) => driver.savepoint?.(...args),
    rollbackToSavepoint: async (...args) => driver.rollbackToSavepoint?.(...args),
    releaseSavepoint: async (...args) => driver.releaseSavepoint?.(...args),
    destroy: (options) => driver.destroy(options),
  }
}

function turnstile(waitMs: number): { enter: () => Promise<void>; leave: () => void } {
  const waiting = new Set<() => void>()
  let isTaken = false
  return {
    enter() {
      if (!isTaken) {
        isTaken = true
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const enter = () => {
          clearTimeout(timer)
          resolve()
        }
        // A blocked event loop fires this late and before the turn that would let us in: give that turn a chance.
        const expire = () => setImmediate(() => waiting.delete(enter) && reject(busy(waitMs)))
        const timer = setTimeout(expire, waitMs)
        waiting.add(enter)
      })
    },
    leave() {
      const [next] = waiting
      if (next === undefined) {
        isTaken = false
      } else {
        waiting.delete(next)
        next()
      }
    },
  }
}

function busy(waitMs: number): Error {
  return new EmbeddedDatabaseBusyError(
    `The embedded database was busy for ${waitMs} ms. It has one connection: a query inside a transaction must use that transaction.`,
  )
}

/**
 * Takes the lock: the file with the highest number in `directory` names the holder, and link(2) lets exactly one
 * process create the next number. The highest file is never deleted, so that a slow rival cannot find an empty
 * directory and start over; giving the lock back marks it as released.
 */
function lock(directory: string, dataDir: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (;;) {
    const current = Math.max(0, ...generations(directory))
    const holder = current === 0 ? undefined : readHolder(join(directory, String(current)))
    if (holder !== undefined && isRunning(holder)) {
      throw new ConfigError([
        `DATA_DIR ${dataDir} is in use: another process (pid ${holder.pid}) has the embedded database open. ` +
          'Stop that process, or set DATA_DIR to another directory, or DATABASE_URL to a Postgres server.',
      ])
    }
    const own = current + 1
    if (!placeFile(directory, own, { pid: process.pid, startedAt: startOf(process.pid)?.startedAt ?? '' }))
      continue
    const others = generations(directory).filter((generation) => generation !== own)
    if (others.some((generation) => generation > own)) {
      rmSync(join(directory, String(own)), { force: true })
      continue
    }
    for (const generation of others) rmSync(join(directory, String(generation)), { force: true })
    return () => replaceFile(directory, own, { pid: 0, startedAt: '' })
  }
}

function generations(directory: string): number[] {
  return readdirSync(directory)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** False when another process has just created this file. */
function placeFile(directory: string, generation: number, holder: Holder): boolean {
  const draft = writeDraft(directory, holder)
  try {
    linkSync(draft, join(directory, String(generation)))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function replaceFile(directory: string, generation: number, holder: Holder): void {
  renameSync(writeDraft(directory, holder), join(directory, String(generation)))
}

function writeDraft(directory: string, holder: Holder): string {
  const draft = join(directory, `draft-${randomBytes(6).toString('hex')}`)
  writeFileSync(draft, `${holder.pid} ${holder.startedAt}\n`, { mode: 0o600 })
  return draft
}

/** Undefined when the file went away meanwhile, or is older than a crash of the machine that left it empty. */
function readHolder(path: string): Holder | undefined {
  try {
    const [pid = '', ...startedAt] = readFileSync(path, 'utf8').trim().split(' ')
    return { pid: Number(pid), startedAt: startedAt.join(' ') }
  } catch {
    return undefined
  }
}

/** The start time tells the holder from a later process that got the same number. */
function isRunning(holder: Holder): boolean {
  if (!(holder.pid > 0)) return false
  const now = startOf(holder.pid)
  // A killed process stays in the table as a zombie until its parent looks, but holds no file any more.
  return now !== undefined && !/^[ZX]/.test(now.state) && now.startedAt === holder.startedAt
}

function startOf(pid: number): { state: string; startedAt: string } | undefined {
  try {
    if (process.platform !== 'linux') {
      const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
        encoding: 'utf8',
      }).trim()
      return { state: line.slice(0, 1), startedAt: line.slice(1).trim().replaceAll(/\s+/g, ' ') }
    }
    // proc_pid_stat(5): the name in brackets may hold anything; then state (field 3) … start time (field 22).
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

type Holder = { readonly pid: number; readonly startedAt: string }
