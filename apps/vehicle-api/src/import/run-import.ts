import { runImportCommand, type ImportOptions } from '@hearth/chassis/importing/import-command'
import { ImportError } from '@hearth/chassis/importing/import-error'
import type { Report } from '@hearth/chassis/importing/report'
import { tableName, tablesOfVersion } from '../data-tables.ts'
import { datasetKinds, type ImportSession } from '../database.ts'
import { importUsage, parseImportArguments, type ImportArguments } from './import-arguments.ts'
import { makeVersion } from './make-version.ts'
import { publish, readServed } from './publish.ts'
import { dropUnused, type Dropped } from './tables.ts'

/**
 * Imports official files: reads, checks and counts everything in tables of its own, then makes them the served data
 * in one step. Whatever goes wrong before leaves the served data as they were, and the same command can be given
 * again.
 *
 * @param now the time, for the model years that can be
 * @returns exit code: 0 published or nothing new, 1 refused or failed, 2 wrong arguments
 */
export async function runImport(
  args: readonly string[],
  options: ImportOptions & { readonly now: Date },
): Promise<number> {
  const command = {
    service: 'vehicle',
    usage: importUsage,
    subject: 'vehicle',
    parse: parseImportArguments,
    work: (session: ImportSession, wanted: ImportArguments, report: Report) =>
      importOver(session, wanted, { ...options, report }),
  }
  return runImportCommand(command, args, options)
}

/** What an import works with besides the files. */
export type ImportContext = Pick<ImportOptions, 'print' | 'printError'> & {
  readonly now: Date
  readonly report: Report
}

async function importOver(
  session: ImportSession,
  wanted: ImportArguments,
  context: ImportContext & Pick<ImportOptions, 'databaseUrl'>,
): Promise<void> {
  const { print } = context
  const { db } = session
  const startedAt = performance.now()
  const left = await dropUnused(db)
  const { length } = left.dropped
  if (length > 0)
    print(`${length} tables of an import that was interrupted, or of older versions, were dropped.`)
  const served = await readServed(db)
  refuseBusy(left, (served?.version ?? 0) + 1)
  if (wanted.files.complaints.length === 0 && served?.sample !== false) {
    const what = served === undefined ? 'Nothing is served yet' : 'Only generated sample data are served'
    throw new ImportError(`${what}, which other data could be added to: give --complaints as well.`)
  }
  try {
    const made = await makeVersion(session, wanted, served, { ...context, sample: false })
    if (made === undefined) print('There is nothing new to publish.')
    else if (wanted.dryRun) print('Everything fits. Nothing was published, because of --dry-run.')
    else {
      await session.transaction(() =>
        publish(db, made.numbers, made.loaded, { sample: false, methodology: made.fit }),
      )
      const kinds = datasetKinds.filter((kind) => made.loaded.some((dataset) => dataset.kind === kind))
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      print(
        `Published ${kinds.join(', ')} as data version ${made.numbers.version} after ${seconds} s. ${whoServes(context.databaseUrl)}`,
      )
    }
  } finally {
    // Of an import that was refused. Where the database is away now, the next import does it.
    await dropUnused(db).catch(() => undefined)
  }
}

/** On the embedded database nothing else runs beside an import. */
function whoServes(databaseUrl: string | undefined): string {
  return databaseUrl === undefined
    ? 'The service serves it when it is started.'
    : 'Running instances serve it within seconds.'
}

/** The number of a version that was never published is taken again, and so are the names of its tables. */
function refuseBusy({ busy }: Dropped, next: number): void {
  const own = tablesOfVersion.map((table) => tableName(table, next)).find((name) => busy.includes(name))
  if (own === undefined) return
  throw new ImportError(
    `The table ${own}, which an interrupted import has left, is being read, perhaps by a backup. Import again when that has ended.`,
  )
}
