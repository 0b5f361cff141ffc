import { runImportCommand, type ImportOptions } from '@hearth/chassis/importing/import-command'
import type { Report } from '@hearth/chassis/importing/report'
import { sql, type Kysely } from 'kysely'
import type { WildfireTables } from '../database.ts'
import { publish, type Release } from '../publish.ts'
import { importUsage, parseImportArguments, type ImportArguments } from './import-arguments.ts'
import { prepareRelease, type Place } from './prepare-release.ts'

/**
 * Imports county tables: reads and checks each file whole, then publishes all of them in one transaction. Whatever
 * goes wrong before leaves the served data as they were, and the same command can be given again.
 *
 * @returns exit code: 0 published or nothing new, 1 refused or failed, 2 wrong arguments
 */
export async function runImport(args: readonly string[], options: ImportOptions): Promise<number> {
  const command = {
    service: 'wildfire',
    usage: importUsage,
    subject: 'county',
    parse: parseImportArguments,
    work: ({ db }: { readonly db: Kysely<WildfireTables> }, wanted: ImportArguments, report: Report) =>
      importOver(db, wanted, report, options),
  }
  return runImportCommand(command, args, options)
}

async function importOver(
  db: Kysely<WildfireTables>,
  wanted: ImportArguments,
  report: Report,
  { print, printError, databaseUrl }: ImportOptions,
): Promise<void> {
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
    print(`Published ${names} as data version ${version}. ${whoServes(databaseUrl)}`)
  }
}

/** On the embedded database nothing else runs beside an import. */
function whoServes(databaseUrl: string | undefined): string {
  return databaseUrl === undefined
    ? 'The service serves it when it is started.'
    : 'Running instances serve it within seconds.'
}
