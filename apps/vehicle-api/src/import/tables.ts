import { codeOf } from '@hearth/chassis/system-error'
import { sql, type Kysely, type QueryExecutorProvider } from 'kysely'
import {
  columns,
  indexes,
  tableName,
  tablesOf,
  tablesOfVersion,
  versionsKept,
  type Tables,
} from '../data-tables.ts'
import { datasetKinds, type DatasetKind } from '../database.ts'

type TableOf = keyof Tables

/** Creates empty tables for a number. */
export async function createTables(
  db: QueryExecutorProvider,
  tables: readonly TableOf[],
  number: number,
): Promise<void> {
  for (const table of tables) {
    await sql`create table ${sql.id(tableName(table, number))} (${columns[table]})`.execute(db)
  }
}

/** Makes their indexes and lets the planner know what is in them, once the rows are in. */
export async function finishTables(
  db: QueryExecutorProvider,
  tables: readonly TableOf[],
  number: number,
): Promise<void> {
  for (const [table, unique, on] of indexes) {
    if (!tables.includes(table)) continue
    const target = sql.id(tableName(table, number))
    await sql`create ${sql.raw(unique)} index on ${target} ${sql.raw(on)}`.execute(db)
  }
  // Vacuum also says which pages are visible to all, which index-only reads need.
  for (const table of tables) await sql`vacuum (analyze) ${sql.id(tableName(table, number))}`.execute(db)
}

/** Reserves the number of a dataset that is going to be made. */
export async function reserveDataset(db: QueryExecutorProvider): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('dataset', 'id')) as id`.execute(db)
  return rows[0]?.id ?? 0
}

/** Which tables were dropped, and which somebody reads, so that they could not be. */
export type Dropped = { readonly dropped: readonly string[]; readonly busy: readonly string[] }

/**
 * Drops the data tables that neither the served version nor the one before uses: those of versions further back, and
 * what imports that were killed have left. Tables that somebody reads, such as a backup, are left for another time.
 * Only one import at a time may do this.
 */
export async function dropUnused<DB>(db: Kysely<DB>): Promise<Dropped> {
  const used = await namesInUse(db)
  const { rows } = await sql<{ name: string; patience: string }>`
    select tablename as name, current_setting('lock_timeout') as patience
    from pg_tables where schemaname = current_schema()`.execute(db)
  const kinds = Object.keys(columns).join('|')
  const isData = new RegExp(`^(${kinds})_\\d+$`)
  const [dropped, busy]: [string[], string[]] = [[], []]
  for (const { name, patience } of rows) {
    if (!isData.test(name) || used.has(name)) continue
    // Who wants to read a table waits behind who wants to drop it.
    await sql`select set_config('lock_timeout', '100ms', false)`.execute(db)
    const isDropped = await dropTable(db, name)
    await sql`select set_config('lock_timeout', ${patience}, false)`.execute(db)
    ;(isDropped ? dropped : busy).push(name)
  }
  return { dropped, busy }
}

async function dropTable(db: QueryExecutorProvider, name: string): Promise<boolean> {
  try {
    await sql`drop table ${sql.id(name)}`.execute(db)
    return true
  } catch (error) {
    if (codeOf(error) === lockNotAvailable) return false
    throw error
  }
}

/** SQLSTATE of a lock that was not given in time. */
const lockNotAvailable = '55P03'

async function namesInUse(db: QueryExecutorProvider): Promise<Set<string>> {
  const { rows } = await sql<{ id: number } & Record<`${DatasetKind}_dataset`, number | null>>`
    select * from data_version order by id desc limit ${versionsKept}`.execute(db)
  const names = new Set<string>()
  for (const version of rows) {
    for (const table of tablesOfVersion) names.add(tableName(table, version.id))
    for (const kind of datasetKinds) {
      const dataset = version[`${kind}_dataset`]
      if (dataset === null) continue
      for (const table of tablesOf[kind]) names.add(tableName(table, dataset))
    }
  }
  return names
}
