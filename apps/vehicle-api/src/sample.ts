import { dataFile } from '@hearth/chassis/data-file'
import type { Database } from '@hearth/chassis/database'
import { tryTakeTurn } from '@hearth/chassis/importing/import-command'
import { unreported } from '@hearth/chassis/importing/report'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { VehicleTables } from './database.ts'
import { makeVersion } from './import/make-version.ts'
import { publish, readServed, type ServedVersion } from './import/publish.ts'
import { dropUnused } from './import/tables.ts'

/**
 * Publishes the generated sample data unless something was published already, and looks again every few seconds as
 * long as nothing was: the database may be away or not migrated yet, or another instance may be at it and be killed.
 * A sample whose tables have another shape is made anew; real data are not, as an operator who upgrades must not find
 * invented makes in their place.
 *
 * @returns ends the looking
 */
export async function offerSample(
  database: Database<VehicleTables>,
  log: Logger,
  { retryMs = 5_000 }: { readonly retryMs?: number } = {},
): Promise<() => void> {
  let isEnded = false
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const isServed = await ensureSample(database, log).catch((error: unknown) => {
      log.warn({ err: error }, 'the sample data could not be loaded; trying again')
      return false
    })
    if (!isServed && !isEnded) timer = setTimeout(() => void look(), retryMs).unref()
  }
  await look()
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}

/** Goes the same way as an import. Of several instances one does it. @returns whether none is wanted any more */
async function ensureSample(database: Database<VehicleTables>, log: Logger): Promise<boolean> {
  if (!isWanted(await readServed(database.db))) return true
  return database.bulk(async (session) => {
    const { db } = session
    if (!(await tryTakeTurn(db, 'vehicle'))) return false
    const served = await readServed(db)
    if (!isWanted(served)) return true
    await dropUnused(db)
    const made = await makeVersion(session, sampleArguments, served, {
      print: (line) => log.debug(line),
      printError: () => {},
      report: unreported,
      now: new Date('2025-01-01T00:00:00Z'),
      sample: true,
    })
    if (made === undefined) return false
    const { numbers, loaded, fit } = made
    await session.transaction(() => publish(db, numbers, loaded, { sample: true, methodology: fit }))
    log.info({ dataVersion: numbers.version }, 'generated sample data are served until an import')
    return true
  })
}

function isWanted(served: ServedVersion | undefined): boolean {
  return served === undefined || (served.sample && !served.isReadable)
}

const sampleFile = (name: string): string => fileURLToPath(dataFile(import.meta.url, name))

const sampleArguments = {
  files: {
    complaints: [sampleFile('sample-complaints.txt.gz')],
    recalls: [sampleFile('sample-recalls.txt')],
    ratings: [sampleFile('sample-ratings.csv')],
    sales: [sampleFile('sample-sales.csv')],
  },
  report: undefined,
  maxRejected: 0,
  maxEmpty: 100,
  allowFewer: true,
  dryRun: false,
}
