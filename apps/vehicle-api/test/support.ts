import { accountMigrations, type Plans } from '@hearth/account'
import { startTestApp, type TestApp, type TestAppOptions } from '@hearth/account/testing/test-app'
import type { Database } from '@hearth/chassis/database'
import type { Express } from 'express'
import { sql, type Kysely } from 'kysely'
import { vehicleMigrations } from '../migrations/index.ts'
import { createApp } from '../src/app.ts'
import { tableName, tablesOf, type Tables, type VersionNumbers } from '../src/data-tables.ts'
import { datasetKinds, type DatasetKind, type VehicleTables } from '../src/database.ts'
import { deployment, envelope } from '../src/deployment.ts'
import { buildVersion } from '../src/import/build-version.ts'
import { publish, readServed, type LoadedDataset } from '../src/import/publish.ts'
import { createTables, finishTables, reserveDataset } from '../src/import/tables.ts'
import { plans } from '../src/plans.ts'
import { openServedData, type ServedData } from '../src/served-data.ts'
import { fixtureComplaints, fixtureSpellings, otherRows, type FixtureComplaint } from './fixture-data.ts'

/** The service in this process on real stores, its data, and the complaints it serves; see startTestApp. */
export type VehicleApp = TestApp & {
  readonly data: ServedData
  readonly complaints: readonly FixtureComplaint[]
}

/** Starts it with the fixture published, unless told otherwise. */
export async function startVehicle(
  options: Pick<TestAppOptions, 'settings' | 'redis' | 'log'> & {
    /** In place of the plans of the deployment. */
    readonly plans?: Plans
    /** What is published at first; null: nothing. */
    readonly fixture?: FixtureOptions | null
    /** Milliseconds between two looks for a new version; tests say when to look unless given. */
    readonly pollMs?: number
    /** Stands between the service and its database when it reads data. */
    readonly reads?: (db: Kysely<unknown>) => Kysely<unknown>
    /** Shown the Express app before it serves. */
    readonly inspect?: (app: Express) => void
  } = {},
): Promise<VehicleApp> {
  const { inspect, fixture, pollMs = 3_600_000, reads = (db) => db, ...rest } = options
  let data: ServedData | undefined
  const app = await startTestApp({
    ...{ deployment, plans, envelope, migrations: [accountMigrations, vehicleMigrations], ...rest },
    createApp: ({ accounts, http, ready, clock, database }) => {
      const { db, withoutDeadlines } = database as unknown as Database<unknown>
      data = openServedData({ database: { db: reads(db), withoutDeadlines }, log: http.log, pollMs })
      const made = createApp({ accounts, data, http, ready, clock })
      inspect?.(made)
      return made
    },
  })
  if (data === undefined) throw new Error('The app was not made.')
  const served = data
  const complaints = fixture === null ? [] : await publishFixture(app.database, fixture)
  await served.refresh()
  const closeApp = app.close
  const close = () => {
    served.close()
    return closeApp()
  }
  return Object.assign(app, { data: served, complaints, close })
}

export type FixtureOptions = {
  readonly seed?: number
  readonly sample?: boolean
  /** Kinds that are not loaded. */
  readonly without?: readonly DatasetKind[]
  /** How often each complaint is there, under an id of its own; once unless told. */
  readonly times?: number
}

/** Publishes complaints of a seed as the next data version, the way an import does. @returns the complaints */
export async function publishFixture(
  testDatabase: Pick<TestApp['database'], 'db'>,
  { seed = 1, sample = false, without = [], times = 1 }: FixtureOptions = {},
): Promise<FixtureComplaint[]> {
  const database = testDatabase as unknown as Database<VehicleTables>
  const complaints = fixtureComplaints(seed)
  const rowsOf = { complaint: complaints, spelling: fixtureSpellings(complaints), ...otherRows }
  await database.bulk(async (session) => {
    const { db } = session
    const loaded: LoadedDataset[] = []
    for (const kind of datasetKinds.filter((one) => !without.includes(one))) {
      const id = await reserveDataset(db)
      await createTables(db, tablesOf[kind], id)
      for (const table of tablesOf[kind]) await fill(db, table, id, rowsOf[table])
      if (kind === 'complaints') await repeat(db, id, times)
      await finishTables(db, tablesOf[kind], id)
      loaded.push({ id, ...provenance(kind, sample) })
    }
    const idOf = (kind: DatasetKind) => loaded.find((dataset) => dataset.kind === kind)?.id ?? null
    const numbers: VersionNumbers = {
      version: ((await readServed(db))?.version ?? 0) + 1,
      complaints: idOf('complaints') ?? 0,
      ...{ recalls: idOf('recalls'), ratings: idOf('ratings'), sales: idOf('sales') },
    }
    const { fit } = await buildVersion(session, numbers, '2024-12-31')
    await db.transaction().execute((trx) => publish(trx, numbers, loaded, { sample, methodology: fit }))
  })
  return complaints
}

async function fill(
  db: Kysely<VehicleTables>,
  table: keyof Tables,
  number: number,
  rows: readonly object[],
): Promise<void> {
  const name = sql.id(tableName(table, number))
  await sql`insert into ${name} select * from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::jsonb)`.execute(
    db,
  )
}

/** Complaints that differ in their ids alone. */
async function repeat(db: Kysely<VehicleTables>, number: number, times: number): Promise<void> {
  const complaint = sql.id(tableName('complaint', number))
  await sql`
    insert into ${complaint}
    select (jsonb_populate_record(complaint, jsonb_build_object('id', complaint.id || '-' || copy))).*
    from ${complaint} as complaint, generate_series(2, ${times}::integer) as copy`.execute(db)
}

function provenance(kind: DatasetKind, sample: boolean): Omit<LoadedDataset, 'id'> {
  return {
    ...{ kind, sample, source: `${kind}.txt`, sha256: 'ab'.repeat(32) },
    ...{ lines: 100, taken: 90, refused: 4, records: 80, firstDate: null },
    lastDate: kind === 'complaints' ? '2024-12-31' : null,
  }
}

/** Plans with room for any test. */
export const roomyPlans: Plans = {
  free: { name: 'Free', daily: 1_000_000, monthly: null, features: [] },
}
