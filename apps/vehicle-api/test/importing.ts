import { accountMigrations } from '@hearth/account'
import { createLogger } from '@hearth/chassis/logger'
import {
  openImportWorkshop,
  type ImportOutcome,
  type Workshop,
} from '@hearth/chassis/testing/import-workshop'
import { sql } from 'kysely'
import { vehicleMigrations } from '../migrations/index.ts'
import { runImport } from '../src/import/run-import.ts'
import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

export type { Workshop }

const log = createLogger({ level: 'silent', service: 'test' })

/** Imports in this process, as the command does, in November 2026. */
export function openWorkshop(databaseUrl: string): Workshop {
  const now = new Date('2026-11-21T00:00:00Z')
  return openImportWorkshop(databaseUrl, [accountMigrations, vehicleMigrations], (args, options) =>
    runImport(args, { ...options, now }),
  )
}

/** A service that serves nothing yet, imports into its database, and a client of it. */
export type Importing = {
  readonly app: VehicleApp
  readonly workshop: Workshop
  /** Imports, after which the service looks for a new version. */
  readonly run: (...args: readonly string[]) => Promise<ImportOutcome>
  /** The same for an import that has to be published; the faulty ones show what they printed. */
  readonly publish: (...args: readonly string[]) => Promise<void>
  /** Body of an answer, which has to be a success. */
  readonly get: (path: string) => Promise<Body>
  /** Names of the data tables there are. */
  readonly dataTables: () => Promise<string[]>
  readonly close: () => Promise<void>
}

export type Body = { data: any; meta: any } // eslint-disable-line @typescript-eslint/no-explicit-any -- bodies are checked against the description

export async function openImporting(): Promise<Importing> {
  const app = await startVehicle({ fixture: null, plans: roomyPlans, settings: { burstPerSecond: 0 }, log })
  const { key } = await app.signUp()
  const workshop = openWorkshop(await databaseUrlOf(app))
  const run: Importing['run'] = async (...args) => {
    const outcome = await workshop.run(...args)
    await app.data.refresh()
    return outcome
  }
  return {
    ...{ app, workshop, run },
    publish: async (...args) => {
      expect(await run(...args)).toMatchObject({ code: 0, stdout: expect.stringContaining('Published') })
    },
    get: async (path) => {
      const { status, body } = await app.call('get', path, { key })
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
      return body as Body
    },
    dataTables: async () => {
      const { rows } = await sql<{ name: string }>`
        select tablename as name from pg_tables
        where schemaname = current_schema() and tablename ~ '_\\d+$' order by name`.execute(app.database.db)
      return rows.map(({ name }) => name)
    },
    close: async () => {
      workshop.close()
      await app.close()
    },
  }
}

/** Where the app's own database is. */
export async function databaseUrlOf({ database }: Pick<VehicleApp, 'database'>): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.db)
  const url = new URL(process.env['TEST_DATABASE_URL'] ?? '')
  url.pathname = `/${rows[0]?.name ?? ''}`
  return url.href
}

/** A model that is known, with its model years; `isListed` says whether it is in the catalogue. */
export type KnownModel = {
  readonly path: string
  readonly isListed: boolean
  readonly years: readonly number[]
}

/** Every model the served version knows, in the order of its path. */
export async function knownModels({ app }: Pick<Importing, 'app'>): Promise<KnownModel[]> {
  return app.data.read(({ catalogue }) =>
    Promise.resolve(
      [...catalogue.makes.values()].flatMap((make) =>
        [...make.models.values()].map(({ slug, isListed, years }) => ({
          path: `${make.slug}/${slug}`,
          ...{ isListed, years },
        })),
      ),
    ),
  )
}

/** All complaints of a model year over its pages, each as a list has it. */
export async function allComplaints(
  get: Importing['get'],
  vehicle: string,
  query = 'limit=100',
): Promise<Complaint[]> {
  const complaints: Complaint[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data, meta } = await get(
      `/v1/complaints/${vehicle}?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    complaints.push(...(data.complaints as Complaint[]))
    cursor = meta.nextCursor as string | null
  }
  return complaints
}

export type Complaint = {
  readonly id: string
  readonly date_reported: string | null
  readonly category: string
  readonly description: string
  readonly mileage: number | null
}
