import {
  accountMigrations,
  accountVariables,
  openAccounts,
  operatorCommand,
  type AccountTables,
} from '@hearth/account'
import { runMain } from '@hearth/chassis/serve'
import { runService, type ServiceDefinition } from '@hearth/chassis/service'
import { createApp } from './app.ts'
import { deployment, envelope } from './deployment.ts'
import { plans } from './plans.ts'

/** `node src/main.ts [serve | migrate | account ...]` */
const service: ServiceDefinition<AccountTables, typeof accountVariables> = {
  name: 'solar',
  port: 3001,
  internalPort: 9001,
  variables: accountVariables,
  migrations: [accountMigrations],
  async open({ config, database, redis, log, metrics, ready, isStarted }) {
    const { db } = database
    const accounts = await openAccounts({ deployment, plans, envelope, db, redis, log, settings: config })
    const { publicUrl, trustProxy } = config
    const http = { log, publicUrl, trustProxy, isStarted, observe: metrics.observeRequest }
    return {
      app: createApp({ accounts, http, ready, clock: Date.now }),
      limitHeadersFor: accounts.limitHeadersFor,
      mountInternal: accounts.mountOperator,
      close: accounts.close,
    }
  },
  commands: {
    account: operatorCommand,
  },
}

await runMain(() => runService(service, process.env, process.argv.slice(2)))
