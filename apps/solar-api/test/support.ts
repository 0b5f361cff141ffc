import { accountMigrations, type Plans } from '@hearth/account'
import { startTestApp, type TestApp, type TestAppOptions } from '@hearth/account/testing/test-app'
import type { Express } from 'express'
import { randomBytes } from 'node:crypto'
import { solarMigrations } from '../migrations/index.ts'
import { createApp } from '../src/app.ts'
import type { SolarDatabase } from '../src/database.ts'
import { deployment, envelope } from '../src/deployment.ts'
import { plans } from '../src/plans.ts'
import { openSimulations, type SimulationOptions, type Simulations } from '../src/simulations.ts'

/** The service in this process on real stores, and what runs its simulations; see startTestApp. */
export type SolarApp = TestApp & { readonly simulations: Simulations }

/** Starts it. */
export async function startSolar(
  options: Pick<TestAppOptions, 'settings' | 'redis' | 'log'> & {
    /** Shown the Express app before it serves. */
    readonly inspect?: (app: Express) => void
    readonly simulations?: Partial<SimulationOptions>
    /** In place of the plans of the deployment. */
    readonly plans?: Plans
  } = {},
): Promise<SolarApp> {
  const { inspect, simulations: ofSimulations, ...rest } = options
  let opened: Simulations | undefined
  const app = await startTestApp({
    ...{ deployment, plans, envelope, migrations: [accountMigrations, solarMigrations], ...rest },
    createApp: (parts) => {
      opened = openTestSimulations({ log: parts.http.log, ...ofSimulations })
      const app = createApp({ ...parts, db: databaseOf(parts), simulations: opened })
      inspect?.(app)
      return app
    },
  })
  if (opened === undefined) throw new Error('The app was not made.')
  const simulations = opened
  const closeApp = app.close
  const close = async () => {
    await simulations.close()
    await closeApp()
  }
  return Object.assign(app, { simulations, close })
}

/** The database of a test app with the tables of this service. */
export function databaseOf({ database }: { readonly database: { readonly db: unknown } }): SolarDatabase {
  return database.db as SolarDatabase // startSolar has made the tables
}

/** What runs simulations, with two workers and the usual queue unless told. */
export function openTestSimulations(options: Pick<SimulationOptions, 'log'> & Partial<SimulationOptions>) {
  const randomSeed = () => randomBytes(8).readBigUInt64BE().toString()
  return openSimulations({ simulationWorkers: 2, simulationQueue: 32, randomSeed, ...options })
}

/** The three numbers that are enough. */
export const threeNumbers = { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 }
