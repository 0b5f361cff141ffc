import { accountMigrations, type Plans } from '@hearth/account'
import { startTestApp, type TestApp, type TestAppOptions } from '@hearth/account/testing/test-app'
import type { Express } from 'express'
import { sql } from 'kysely'
import { existsSync } from 'node:fs'
import { wildfireMigrations } from '../migrations/index.ts'
import { createApp } from '../src/app.ts'
import { openCountyData, type CountyData } from '../src/county-data.ts'
import { deployment, envelope } from '../src/deployment.ts'
import { plans } from '../src/plans.ts'

/** The service in this process on real stores, and its county data; see startTestApp. */
export type WildfireApp = TestApp & { readonly counties: CountyData }

/** Starts it with the shipped data loaded. */
export async function startWildfire(
  options: Pick<TestAppOptions, 'settings' | 'redis' | 'log'> & {
    /** In place of the plans of the deployment. */
    readonly plans?: Plans
    /** Shown the Express app before it serves. */
    readonly inspect?: (app: Express) => void
  } = {},
): Promise<WildfireApp> {
  const { inspect, ...rest } = options
  let counties: CountyData | undefined
  const app = await startTestApp({
    ...{ deployment, plans, envelope, migrations: [accountMigrations, wildfireMigrations], ...rest },
    createApp: ({ accounts, http, ready, clock, database }) => {
      // Tests say when to look for a new data version.
      counties = openCountyData({ database, log: http.log, pollMs: 3_600_000 })
      const made = createApp({ accounts, counties, http, ready, clock })
      inspect?.(made)
      return made
    },
  })
  if (counties === undefined) throw new Error('The app was not made.')
  await counties.refresh()
  const data = counties
  const closeApp = app.close
  const close = () => {
    data.close()
    return closeApp()
  }
  return Object.assign(app, { counties, close })
}

/** Plans with room for a request about every county. */
export const roomyPlans: Plans = {
  free: { name: 'Free', daily: 1, monthly: 30, features: [] },
  pro: { name: 'Pro', daily: 100_000, monthly: null, features: ['hardeningRoi', 'measureBreakdown'] },
}

/** Where the app's own database is. */
export async function databaseUrlOf(app: WildfireApp): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.database.db)
  const url = new URL(process.env['TEST_DATABASE_URL'] ?? '')
  url.pathname = `/${rows[0]?.name ?? ''}`
  return url.href
}

/** Where real files of FEMA and USDA lie on machines that have them. */
const shared = new URL('../../../../shared/data/wildfire/', import.meta.url)

/** A real file, or undefined where there is none. */
export function sharedFile(name: string): URL | undefined {
  const file = new URL(name, shared)
  return existsSync(file) ? file : undefined
}
