import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from './database.ts'
import { codeOf, isError } from './system-error.ts'

/**
 * The migrations of one owner (`account`, `solar`), in the order in which they run. The keys must be in alphabetical
 * order (`0001_accounts`, `0002_sessions`) and are never renamed or removed once a database has seen them.
 */
export type MigrationList = {
  /** Lower-case name: part of the name of the table that remembers what has run. */
  readonly owner: string
  readonly migrations: Readonly<Record<string, Migration>>
}

/**
 * Creates the schema where it does not exist and runs what is pending: list by list in the order given, each list in
 * one transaction. Processes that start at once run one after the other; a killed run leaves nothing half done.
 * A database that is ahead of `lists` (a newer release has migrated it) is left as it is.
 * @param options.lockWaitMs how long to wait for another process that migrates, in milliseconds; a minute unless told
 * @returns names of the migrations applied by this call, as `owner/name`
 * @throws when a migration fails (its list is rolled back), when a table stays locked in several attempts, or when
 * another process does not finish
 */
export async function migrate<DB>(
  database: Database<DB>,
  lists: readonly MigrationList[],
  log: Logger,
  { lockWaitMs = 60_000 }: { lockWaitMs?: number } = {},
): Promise<string[]> {
  for (const list of lists) checkList(list)
  const applied = await database.withoutDeadlines((db) =>
    db.connection().execute(async (connection) => {
      await createSchema(connection, database.schema)
      const lockName = `hearth migrations of ${database.schema}`
      await takeLock(connection, lockName, lockWaitMs)
      try {
        return await runLists(connection, database.schema, lists, log)
      } finally {
        await sql`select pg_advisory_unlock(hashtextextended(${lockName}, 0))`.execute(connection)
      }
    }),
  )
  for (const migration of applied) log.info({ migration }, 'A migration was applied.')
  return applied
}

/**
 * Names (`owner/name`) of the migrations that the database has not seen; empty when the service can work.
 * Migrations of a newer release that `lists` does not know are no reason to wait.
 */
export async function pendingMigrations<DB>(
  database: Database<DB>,
  lists: readonly MigrationList[],
): Promise<string[]> {
  const pending = await Promise.all(lists.map((list) => pendingOf(database.db, database.schema, list)))
  return pending.flat()
}

const LOCK_ATTEMPTS = 5

function checkList({ owner, migrations }: MigrationList): void {
  if (!/^[a-z][a-z0-9_]*$/.test(owner)) throw new Error(`The owner "${owner}" is not a lower-case name.`)
  const names = Object.keys(migrations)
  const misplaced = names.find((name, at) => at > 0 && name <= (names[at - 1] ?? ''))
  if (misplaced !== undefined) {
    throw new Error(`The migration "${owner}/${misplaced}" is out of order; expected alphabetical order.`)
  }
}

/** A role that may not create schemas works in one that exists, so existence is looked up first. */
async function createSchema<DB>(db: Kysely<DB>, schema: string): Promise<void> {
  const exists = () => sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db)
  if ((await exists()).rows.length > 0) return
  try {
    await sql`create schema if not exists ${sql.id(schema)}`.execute(db)
  } catch (error) {
    // "if not exists" still fails when two processes create it at the same moment.
    if ((await exists()).rows.length === 0) throw error
  }
}

/** Asks again and again, because waiting inside Postgres would be cut off by the lock timeout of the connection. */
async function takeLock<DB>(db: Kysely<DB>, name: string, waitMs: number): Promise<void> {
  const end = performance.now() + waitMs
  for (;;) {
    const lock = sql<{ taken: boolean }>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`
    if ((await lock.execute(db)).rows[0]?.taken === true) return
    if (performance.now() > end) {
      throw new Error(
        `Another process has been migrating for ${waitMs} ms; expected it to end. Look at its log.`,
      )
    }
    await sleep(50)
  }
}

async function runLists<DB>(
  db: Kysely<DB>,
  schema: string,
  lists: readonly MigrationList[],
  log: Logger,
): Promise<string[]> {
  const applied: string[] = []
  for (const list of lists) {
    // Kysely refuses a database with migrations it does not know; with nothing pending there is nothing to refuse.
    if ((await pendingOf(db, schema, list)).length === 0) continue
    applied.push(...(await runList(db, schema, list, log)))
  }
  return applied
}

/** A table that a long transaction holds makes a migration fail after its lock timeout: it is tried again. */
async function runList<DB>(
  db: Kysely<DB>,
  schema: string,
  list: MigrationList,
  log: Logger,
): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve({ ...list.migrations }) },
      migrationTableSchema: schema,
      migrationTableName: tableOf(list),
      migrationLockTableName: `${tableOf(list)}_lock`,
    })
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error === undefined) return results.map((result) => `${list.owner}/${result.migrationName}`)
    const failed = results.find((result) => result.status === 'Error')?.migrationName
    const isLocked = codeOf(error) === '55P03'
    if (!isLocked || attempt === LOCK_ATTEMPTS) {
      const name = failed === undefined ? list.owner : `${list.owner}/${failed}`
      throw new Error(
        `The migration ${name} failed and was rolled back: ${isError(error) ? error.message : 'no reason given'}`,
        { cause: error },
      )
    }
    log.warn({ migration: failed, attempt }, 'A migration waits for a lock on a table; it is tried again.')
    await sleep(1_000)
  }
}

async function pendingOf<DB>(db: Kysely<DB>, schema: string, list: MigrationList): Promise<string[]> {
  const table = sql.id(schema, tableOf(list))
  const name = `"${schema}"."${tableOf(list)}"`
  const found = await sql<{ oid: string | null }>`select to_regclass(${name})::text as oid`.execute(db)
  const isNew = found.rows[0]?.oid == null
  const rows = isNew ? [] : (await sql<{ name: string }>`select name from ${table}`.execute(db)).rows
  const done = new Set(rows.map((row) => row.name))
  return Object.keys(list.migrations)
    .filter((migration) => !done.has(migration))
    .map((migration) => `${list.owner}/${migration}`)
}

function tableOf(list: MigrationList): string {
  return `${list.owner}_migration`
}
