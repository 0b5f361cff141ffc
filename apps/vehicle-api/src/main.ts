import { accountMigrations, accountVariables, openAccounts, operatorCommand } from '@hearth/account'
import { filesFrom } from '@hearth/chassis/importing/file-paths'
import { runMain } from '@hearth/chassis/serve'
import { runService, type ServiceDefinition } from '@hearth/chassis/service'
import { vehicleMigrations } from '../migrations/index.ts'
import { createApp } from './app.ts'
import type { VehicleTables } from './database.ts'
import { deployment, envelope, problemMembers } from './deployment.ts'
import { runImport } from './import/run-import.ts'
import { plans } from './plans.ts'
import { offerSample } from './sample.ts'
import { openServedData } from './served-data.ts'

const terminal = {
  print: (line: string) => process.stdout.write(`${line}\n`),
  printError: (line: string) => process.stderr.write(`${line}\n`),
}
const migrations = [accountMigrations, vehicleMigrations]

/** `node src/main.ts [serve | migrate | account ... | import ...]` */
const service: ServiceDefinition<VehicleTables, typeof accountVariables> = {
  name: 'vehicle',
  port: 3003,
  internalPort: 9003,
  variables: accountVariables,
  migrations,
  async open({ config, database, redis, log, metrics, ready, isStarted }) {
    const accounts = await openAccounts({
      ...{ deployment, plans, envelope, settings: config },
      ...{ database, redis, log, metrics },
    })
    const endOffer = await offerSample(database, log)
    const data = openServedData({ database, log })
    await data.refresh().catch((error: unknown) => {
      log.warn({ err: error }, 'the vehicle data are not there yet; looking again each second')
    })
    const { publicUrl, trustProxy } = config
    const http = { log, publicUrl, trustProxy, isStarted, observe: metrics.observeRequest }
    return {
      app: createApp({ accounts, data, http, ready, clock: Date.now }),
      limitHeadersFor: accounts.limitHeadersFor,
      problemMembers,
      mountInternal: accounts.mountOperator,
      close: async () => {
        endOffer()
        data.close()
        await accounts.close()
      },
    }
  },
  commands: {
    account: operatorCommand,
    import: (config, args) =>
      runImport(args, {
        ...{ ...config, ...terminal, migrations },
        ...{ filesFrom: filesFrom(process.env), now: new Date() },
      }),
  },
}

await runMain(() => runService(service, process.env, process.argv.slice(2)))
