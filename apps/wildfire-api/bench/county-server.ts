import { accountMigrations, openAccounts } from '@hearth/account'
import { createLogger } from '@hearth/chassis/logger'
import { openDatabase } from '@hearth/chassis/database'
import { closeHttpApp, createHttpApp } from '@hearth/chassis/http'
import { json } from '@hearth/chassis/json-body'
import { createMetrics } from '@hearth/chassis/metrics'
import { migrate } from '@hearth/chassis/migrate'
import { openRedis } from '@hearth/chassis/redis'
import { createServer } from '@hearth/chassis/http-server'
import { createDatabase, startPostgres, startRedis } from '@hearth/infra/test-servers'
import express, { type Express } from 'express'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { wildfireMigrations } from '../migrations/index.ts'
import { createApp } from '../src/app.ts'
import { openCountyData } from '../src/county-data.ts'
import type { WildfireTables } from '../src/database.ts'
import { deployment, envelope, problemMembers } from '../src/deployment.ts'
import { riskCounty } from '../src/risk-county.ts'

/*
 * One process that serves a county three ways, for infra/bench/wildfire.ts: the whole service (Redis, log line and
 * metrics on), the same endpoint without the meter, and a bare Express route that sends the same bytes. Prints one
 * JSON line and runs until SIGTERM.
 */

const path = '/v1/risk/county/:county_code'
const [postgres, redisServer] = await Promise.all([startPostgres(), startRedis()])
const log = createLogger({
  ...{ level: 'info', service: 'bench' },
  destination: pino.destination({ dest: '/dev/null', sync: false }),
})
const url = await createDatabase(postgres.url)
const database = await openDatabase<WildfireTables>({ url, dataDir: '', schema: 'wildfire', log })
await migrate(database, [accountMigrations, wildfireMigrations], log)
const counties = openCountyData({ database, log })
await counties.refresh()
const secret = randomBytes(32).toString('base64')
const accounts = await openAccounts({
  ...{ deployment, envelope, database, log },
  plans: { free: { name: 'Free', daily: 2e9, monthly: 2e9, features: [] } },
  redis: openRedis(redisServer.url, { log }),
  settings: {
    ...{ peppers: [secret], sessionSecrets: [secret], operatorTokens: [secret] },
    ...{ burstPerSecond: 0, signupsPerHour: 0, failedAuthPerMinute: 0 },
  },
})
const { observeRequest: observe } = createMetrics()
const http = { log, publicUrl: 'http://127.0.0.1', trustProxy: 0, observe }
const ready = () => Promise.resolve({ status: 200, state: 'ok', checks: {} } as const)
const full = await listen(createApp({ accounts, counties, http, ready, clock: Date.now }))

const unmetered = createHttpApp({
  ...{ ...http, problemMembers, limitHeaders: () => [], settle: () => undefined },
})
unmetered.use(json())
unmetered.get(path, riskCounty(counties))
const withoutMeter = await listen(closeHttpApp(unmetered))

const signup = await fetch(`http://127.0.0.1:${full}/v1/signup`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ name: 'Bench', email: 'bench@example.com', password: `pass ${secret}` }),
})
const { data } = (await signup.json()) as { data: { apiKey: string } }
const answer = await fetch(`http://127.0.0.1:${full}/v1/risk/county/06061`, {
  headers: { 'X-API-Key': data.apiKey },
})
const body: unknown = await answer.json()
const bare = express()
bare.get(path, (_req, res) => {
  res.json(body)
})
const bareExpress = await listen(bare)

process.stdout.write(
  `${JSON.stringify({ ports: { full, withoutMeter, bareExpress }, key: data.apiKey, redisPid: redisServer.pid, serving: accounts.serving() })}\n`,
)
await once(process, 'SIGTERM')
process.exit(0)

async function listen(app: Express): Promise<number> {
  const server = createServer(app, {
    parserErrorResponse: () => ({ headers: [], body: '' }),
    maxRequestsPerSocket: 0,
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
