import { accountMigrations } from '@hearth/account'
import { startTestApp, type TestApp, type TestAppOptions } from '@hearth/account/testing/test-app'
import { createApp } from '../src/app.ts'
import { deployment, envelope } from '../src/deployment.ts'
import { plans } from '../src/plans.ts'

/** The service in this process on real stores; see startTestApp. */
export function startSolar(
  options: Pick<TestAppOptions, 'settings' | 'redis' | 'log'> = {},
): Promise<TestApp> {
  return startTestApp({ deployment, plans, envelope, migrations: [accountMigrations], createApp, ...options })
}

/** The three numbers that are enough. */
export const threeNumbers = { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 }
