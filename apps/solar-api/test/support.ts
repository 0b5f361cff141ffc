import { accountMigrations } from '@hearth/account'
import { startTestApp, type TestApp, type TestAppOptions } from '@hearth/account/testing/test-app'
import type { Express } from 'express'
import { createApp } from '../src/app.ts'
import { deployment, envelope } from '../src/deployment.ts'
import { plans } from '../src/plans.ts'

/** The service in this process on real stores; see startTestApp. */
export function startSolar(
  options: Pick<TestAppOptions, 'settings' | 'redis' | 'log'> & {
    /** Shown the Express app before it serves. */
    readonly inspect?: (app: Express) => void
  } = {},
): Promise<TestApp> {
  const { inspect, ...rest } = options
  return startTestApp({
    ...{ deployment, plans, envelope, migrations: [accountMigrations], ...rest },
    createApp: (parts) => {
      const app = createApp(parts)
      inspect?.(app)
      return app
    },
  })
}

/** The three numbers that are enough. */
export const threeNumbers = { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 }
