import { ConfigError } from '@hearth/chassis/config'
import { isUnavailable, openDatabase, type Database } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import { migrate, pendingMigrations, type MigrationList } from '@hearth/chassis/migrate'
import { sql, type Kysely } from 'kysely'
import { join } from 'node:path'
import { publish, type Release } from '../publish.ts'
import type { WildfireTables } from '../database.ts'
import { importUsage, parseImportArguments, type ImportArguments } from './import-arguments.ts'
import { ImportError, reasonOf, UsageError } from './import-error.ts'
import { prepareRelease, type Place } from './prepare-release.ts'
import { openReport, type Report } from './report.ts'

/** What an import works with. */
export type ImportOptions = {
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly migrateOnStart: boolean
  readonly migrations: readonly MigrationList[]
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Imports county tables: reads and checks each file whole, then publishes all of them in one transaction. Whatever
 * goes wrong before leaves the served data as they were, and the same command can be given again.
 *
 * @returns exit code: 0 published or nothing new, 1 refused or failed, 2 wrong arguments
 */
export async function runImport(args: readonly string[], options: ImportOptions): Promise<number> {
  const { print, printError } = options
  try {
    const wanted = parseImportArguments(args)
    if (wanted === 'help') {
      print(importUsage)
      return 0
    }
    return await importWith(wanted, options)
  } catch (error) {
    const explained = explain(error)
    if (explained === undefined) throw error
    printError(explained)
    if (!(error instanceof UsageError)) return 1
    printError(importUsage)
    return 2
  }
}

async function importWith(wanted: ImportArguments, options: ImportOptions): Promise<number> {
  const report = await openReport(wanted.report ?? join(options.dataDir, 'import-report.csv'))
  try {
    const database = await open(options)
    try {
      return await database.withoutDeadlines((db) =>
        db.connection().execute((connection) => importOver(connection, wanted, report, options)),
      )
    } finally {
      await database.close()
    }
  } finally {
    await report.close()
  }
}

/** The schema must be there; the service is not asked, because it may be stopped. */
async function open(options: ImportOptions): Promise<Database<WildfireTables>> {
  const { databaseUrl: url, dataDir, migrations, migrateOnStart } = options
  const log = createLogger({ level: 'warn', service: 'wildfire' })
  const database = await openDatabase<WildfireTables>({ url, dataDir, schema: 'wildfire', log })
  try {
    if (migrateOnStart) await migrate(database, migrations, log)
    const pending = await pendingMigrations(database, migrations)
    if (pending.length > 0) {
      throw new ImportError(`Migrations are pending (${pending.join(', ')}): run the migrate command first.`)
    }
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function importOver(
  db: Kysely<WildfireTables>,
  wanted: ImportArguments,
  report: Report,
  { print, printError }: ImportOptions,
): Promise<number> {
  // A role may have a limit that is right for requests.
  await sql`set statement_timeout = 0`.execute(db)
  await takeTurn(db)
  const places = (await sql<Place>`select code from county`.execute(db)).rows
  const releases: Release[] = []
  for (const kind of ['wrc', 'nri'] as const) {
    const file = wanted[kind]
    if (file === undefined) continue
    const release = await prepareRelease(db, kind, file, { wanted, places, report, print, printError })
    if (release !== undefined) releases.push(release)
  }
  if (releases.length === 0) print('There is nothing new to publish.')
  else if (wanted.dryRun) print('Everything fits. Nothing was published, because of --dry-run.')
  else {
    const version = await db.transaction().execute((trx) => publish(trx, releases))
    const names = releases.map(({ kind, release }) => `${kind} ${release}`).join(' and ')
    print(`Published ${names} as data version ${version}. Running instances serve it within seconds.`)
  }
  return 0
}

/** Held by the session: it ends with this process, however that ends. */
async function takeTurn(db: Kysely<WildfireTables>): Promise<void> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_lock(hashtextextended('hearth import into wildfire', 0)) as taken`.execute(db)
  if (rows[0]?.taken === true) return
  throw new ImportError(
    'Another import into this database is under way. Nothing was changed; start this one again when the other has ended.',
  )
}

function explain(error: unknown): string | undefined {
  if (error instanceof ImportError) return error.message
  if (error instanceof ConfigError) {
    return `${error.message}\nThe embedded database belongs to one process at a time: stop the service, import, and start it again.`
  }
  if (isUnavailable(error)) {
    return `The database did not take it: ${reasonOf(error)}. What was served before is still served; import again.`
  }
  return undefined
}
