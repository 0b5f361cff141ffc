import { accountMigrations, accountVariables, openAccounts, operatorCommand } from '@hearth/account'
import { filesFrom } from '@hearth/chassis/importing/file-paths'
import { runMain } from '@hearth/chassis/serve'
import { runService, type ServiceDefinition } from '@hearth/chassis/service'
import { wildfireMigrations } from '../migrations/index.ts'
import { createApp } from './app.ts'
import { openCountyData } from './county-data.ts'
import type { WildfireTables } from './database.ts'
import { deployment, envelope, problemMembers } from './deployment.ts'
import { runImport } from './import/run-import.ts'
import { plans } from './plans.ts'

const terminal = {
  print: (line: string) => process.stdout.write(`${line}\n`),
  printError: (line: string) => process.stderr.write(`${line}\n`),
}
const migrations = [accountMigrations, wildfireMigrations]

/** `node src/main.ts [serve | migrate | account ... | import ...]` */
const service: ServiceDefinition<WildfireTables, typeof accountVariables> = {
  name: 'wildfire',
  port: 3002,
  internalPort: 9002,
  variables: accountVariables,
  migrations,
  async open({ config, database, redis, log, metrics, ready, isStarted }) {
    const accounts = await openAccounts({
      ...{ deployment, plans, envelope, settings: config },
      ...{ database, redis, log, metrics },
    })
    const counties = openCountyData({ database, log })
    await counties.refresh().catch((error: unknown) => {
      log.warn({ err: error }, 'the county data are not there yet; trying again each second')
    })
    const { publicUrl, trustProxy } = config
    const http = { log, publicUrl, trustProxy, isStarted, observe: metrics.observeRequest }
    return {
      app: createApp({ accounts, counties, http, ready, clock: Date.now }),
      limitHeadersFor: accounts.limitHeadersFor,
      usesRedis: () => accounts.serving() === 'redis',
      problemMembers,
      mountInternal: accounts.mountOperator,
      close: async () => {
        counties.close()
        await accounts.close()
      },
    }
  },
  commands: {
    account: operatorCommand,
    import: (config, args) =>
      runImport(args, { ...config, ...terminal, migrations, filesFrom: filesFrom(process.env) }),
  },
}

await runMain(() => runService(service, process.env, process.argv.slice(2)))
