import { dataFile } from '@hearth/chassis/data-file'
import type { Database } from '@hearth/chassis/database'
import { tryTakeTurn } from '@hearth/chassis/importing/import-command'
import { unreported } from '@hearth/chassis/importing/report'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { VehicleTables } from './database.ts'
import { makeVersion } from './import/make-version.ts'
import { publish, readServed } from './import/publish.ts'
import { dropUnused } from './import/tables.ts'

/**
 * Publishes the generated sample data unless something is served already: the same way an import goes. Of several
 * instances that start at once one does it.
 */
export async function ensureSample(database: Database<VehicleTables>, log: Logger): Promise<void> {
  if ((await readServed(database.db)) !== undefined) return
  await database.bulk(async (session) => {
    const { db } = session
    if (!(await tryTakeTurn(db, 'vehicle')) || (await readServed(db)) !== undefined) return
    await dropUnused(db)
    const made = await makeVersion(session, sampleArguments, undefined, {
      print: (line) => log.debug(line),
      printError: () => {},
      report: unreported,
      now: new Date('2025-01-01T00:00:00Z'),
      sample: true,
    })
    if (made === undefined) return
    const { numbers, loaded, fit } = made
    await session.transaction(() => publish(db, numbers, loaded, { sample: true, methodology: fit }))
    log.info({ dataVersion: numbers.version }, 'generated sample data are served until an import')
  })
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
