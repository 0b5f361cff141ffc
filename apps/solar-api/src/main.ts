import { accountMigrations, accountVariables, openAccounts, operatorCommand } from '@hearth/account'
import { runMain } from '@hearth/chassis/serve'
import { runService, type ServiceDefinition } from '@hearth/chassis/service'
import { randomBytes } from 'node:crypto'
import { solarMigrations } from '../migrations/index.ts'
import { createApp } from './app.ts'
import type { SolarTables } from './database.ts'
import { deployment, envelope } from './deployment.ts'
import { plans } from './plans.ts'
import { openSimulations, simulationVariables } from './simulations.ts'

const variables = { ...accountVariables, ...simulationVariables }

/** `node src/main.ts [serve | migrate | account ...]` */
const service: ServiceDefinition<SolarTables, typeof variables> = {
  name: 'solar',
  port: 3001,
  internalPort: 9001,
  variables,
  migrations: [accountMigrations, solarMigrations],
  async open({ config, database, redis, log, metrics, ready, isStarted }) {
    const { db } = database
    const accounts = await openAccounts({
      ...{ deployment, plans, envelope, settings: config },
      ...{ database, redis, log, metrics },
    })
    const simulations = openSimulations({ ...config, randomSeed, log })
    const { publicUrl, trustProxy } = config
    const http = { log, publicUrl, trustProxy, isStarted, observe: metrics.observeRequest }
    return {
      app: createApp({ accounts, db, simulations, http, ready, clock: Date.now }),
      limitHeadersFor: accounts.limitHeadersFor,
      usesRedis: () => accounts.serving() === 'redis',
      mountInternal: accounts.mountOperator,
      async close() {
        await simulations.close()
        await accounts.close()
      },
    }
  },
  commands: {
    account: operatorCommand,
  },
}

/** 64 bits for a run without a seed. */
function randomSeed(): string {
  return randomBytes(8).readBigUInt64BE().toString()
}

await runMain(() => runService(service, process.env, process.argv.slice(2)))
