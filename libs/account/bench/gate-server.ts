import { createLogger } from '@hearth/chassis/logger'
import { openDatabase } from '@hearth/chassis/database'
import { endpoint } from '@hearth/chassis/endpoint'
import { closeHttpApp, createHttpApp, send } from '@hearth/chassis/http'
import { createMetrics } from '@hearth/chassis/metrics'
import { openRedis } from '@hearth/chassis/redis'
import { createServer } from '@hearth/chassis/http-server'
import Joi from 'joi'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { openAccounts, type AccountTables } from '../src/index.ts'

/*
 * The gate in front of next to nothing, for infra/bench/gate.ts: GET /v1/small answers a constant, with log line and
 * metrics on; GET /unmetered answers the same without key and quota. It is one more instance of the solar deployment,
 * with plans that nobody can use up.
 */

const {
  PORT = '',
  DATABASE_URL = '',
  REDIS_URL = '',
  KEY_PEPPER = '',
  JWT_SECRET = '',
  SMALL_ANSWER = '',
} = process.env
const answer: unknown = JSON.parse(readFileSync(SMALL_ANSWER, 'utf8'))
const log = createLogger({ level: 'info', service: 'bench' })
const database = await openDatabase<AccountTables>({ url: DATABASE_URL, dataDir: '', schema: 'solar', log })
const plan = { daily: 2e9, monthly: 2e9, features: [] }
const accounts = await openAccounts({
  ...{ database, redis: openRedis(REDIS_URL, { log }), log },
  deployment: { name: 'solar', code: 'slr', keyHeader: 'X-API-Key' },
  plans: { free: { ...plan, name: 'Free' }, api_business: { ...plan, name: 'API Business' } },
  envelope: { wrap: (data) => data, schema: (data) => data },
  settings: {
    ...{ peppers: [KEY_PEPPER], sessionSecrets: [JWT_SECRET], operatorTokens: [JWT_SECRET] },
    ...{ burstPerSecond: 0, signupsPerHour: 0, failedAuthPerMinute: 0 },
  },
})
const { observeRequest: observe } = createMetrics()
const app = createHttpApp({
  ...{ log, publicUrl: 'http://127.0.0.1', trustProxy: 0, observe },
  ...{ limitHeaders: accounts.limitHeaders, settle: accounts.settle },
})
app.use(accounts.meter)
app.get('/v1/small', constant('small', 'metered'))
app.get('/unmetered', constant('unmetered', 'public'))
const server = createServer(closeHttpApp(app), {
  parserErrorResponse: () => ({ headers: [], body: '' }),
})
server.listen(Number(PORT), '127.0.0.1')
await once(process, 'SIGTERM')
await accounts.close()
process.exit(0)

function constant(id: string, access: 'metered' | 'public') {
  return endpoint(
    {
      ...{ id, summary: 'A constant', tag: 'Bench', access },
      responses: { 200: { description: 'Always the same.', schema: Joi.any() } },
    },
    (_input, _req, res) => send(res, 200, answer),
  )
}
