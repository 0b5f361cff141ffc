import { sql, type Kysely } from 'kysely'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { BulkSession } from '../bulk.ts'
import { ConfigError } from '../config.ts'
import { isUnavailable, openDatabase, type Database } from '../database.ts'
import { createLogger } from '../logger.ts'
import { codeOf } from '../system-error.ts'
import { migrate, pendingMigrations, type MigrationList } from '../migrate.ts'
import { ImportError, reasonOf, UsageError } from './import-error.ts'
import { openReport, type Report } from './report.ts'

/** What an import works with. */
export type ImportOptions = {
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly migrateOnStart: boolean
  /** Where relative paths in the arguments start; the working directory unless given. */
  readonly filesFrom?: string
  readonly migrations: readonly MigrationList[]
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  /** For what the connection to the database reports; one that writes warnings unless given. */
  readonly log?: Logger
}

/** An import command of a service. */
export type ImportCommand<DB, Wanted extends { readonly report: string | undefined }> = {
  /** Name of the service, which is that of its schema. */
  readonly service: string
  readonly usage: string
  /** What lines of its files are about: see {@link openReport}. */
  readonly subject: string
  /** @param from where relative paths start; they stay relative unless given. @throws UsageError */
  readonly parse: (args: readonly string[], from?: string) => Wanted | 'help'
  /** Reads, checks, publishes; the only import into this database meanwhile. @throws ImportError */
  readonly work: (session: BulkSession<DB>, wanted: Wanted, report: Report) => Promise<void>
}

/**
 * Runs an import: opens the database, makes sure that no other import is under way, opens the report, and turns what
 * goes wrong into sentences.
 *
 * @returns exit code: 0 published or nothing new, 1 refused or failed, 2 wrong arguments
 */
export async function runImportCommand<DB, Wanted extends { readonly report: string | undefined }>(
  command: ImportCommand<DB, Wanted>,
  args: readonly string[],
  options: ImportOptions,
): Promise<number> {
  const { print, printError } = options
  try {
    const wanted = command.parse(args, options.filesFrom)
    if (wanted === 'help') print(command.usage)
    else await importWith(command, wanted, options)
    return 0
  } catch (error) {
    const explained = explain(error)
    if (explained === undefined) throw error
    printError(withoutCredentials(explained))
    if (!(error instanceof UsageError)) return 1
    printError(command.usage)
    return 2
  }
}

async function importWith<DB, Wanted extends { readonly report: string | undefined }>(
  { service, subject, work }: ImportCommand<DB, Wanted>,
  wanted: Wanted,
  options: ImportOptions,
): Promise<void> {
  const database = await open<DB>(service, options)
  try {
    await database.bulk(async (session) => {
      await takeTurn(session.db, service)
      // Not before: it may be the file that an import under way is writing.
      const report = await openReport(wanted.report ?? join(options.dataDir, 'import-report.csv'), subject)
      await work(session, wanted, report).finally(report.close)
    })
  } finally {
    await database.close()
  }
}

/** The schema must be there; the service is not asked, because it may be stopped. */
async function open<DB>(service: string, options: ImportOptions): Promise<Database<DB>> {
  const { databaseUrl: url, dataDir, migrations, migrateOnStart } = options
  const log = options.log ?? createLogger({ level: 'warn', service })
  const database = await openDatabase<DB>({ url, dataDir, schema: service, log })
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

/** Held by the session: it ends with this process, however that ends. */
async function takeTurn<DB>(db: Kysely<DB>, service: string): Promise<void> {
  if (await tryTakeTurn(db, service)) return
  throw new ImportError(
    'Another import into this database is under way. Nothing was changed; start this one again when the other has ended.',
  )
}

/** Whether this session is now the one that imports into the data of a service. */
export async function tryTakeTurn<DB>(db: Kysely<DB>, service: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_lock(hashtextextended(${`hearth import into ${service}`}, 0)) as taken`.execute(db)
  return rows[0]?.taken === true
}

/** A misplaced argument is quoted in messages, and may be an address. */
function withoutCredentials(text: string): string {
  return text.replaceAll(/:\/\/[^\s/]*@/g, '://')
}

function explain(error: unknown): string | undefined {
  if (error instanceof ImportError) return error.message
  if (error instanceof ConfigError) {
    return `${error.message}\nThe embedded database belongs to one process at a time: stop the service, import, and start it again.`
  }
  if (isUnavailable(error)) {
    return `The database did not take it: ${reasonOf(error)}. What was served before is still served; import again.`
  }
  if (refusals.has(codeOf(error))) {
    return `The database refuses it: ${reasonOf(error)}. Nothing was changed. The import needs the database and the role of the service, which owns the tables of its schema: see DATABASE_URL.`
  }
  return undefined
}

/** SQLSTATE of what the role may not do, of a database that is only read, of none, and of a wrong password. */
const refusals: ReadonlySet<string> = new Set(['42501', '25006', '3D000', '28000', '28P01'])
