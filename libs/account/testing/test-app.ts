import { closeHttpApp, createHttpApp } from '@hearth/chassis/http'
import { createLogger } from '@hearth/chassis/logger'
import { openDatabase, type Database } from '@hearth/chassis/database'
import { migrate, type MigrationList } from '@hearth/chassis/migrate'
import type { Readiness } from '@hearth/chassis/lifecycle'
import { openRedis } from '@hearth/chassis/redis'
import { createServer } from '@hearth/chassis/http-server'
import { createContract, type Answer, type Contract } from '@hearth/chassis/testing/contract'
import { createDatabase } from '@hearth/infra/test-servers'
import type { Express } from 'express'
import type { Cluster, Redis } from 'ioredis'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import supertest from 'supertest'
import { argon2Hasher } from '../src/argon2-hasher.ts'
import {
  openAccounts,
  type Accounts,
  type AccountSettings,
  type AccountsOptions,
  type AccountTables,
} from '../src/index.ts'

/** What a service test says of its service. */
export type TestAppOptions = Pick<AccountsOptions, 'deployment' | 'plans' | 'envelope' | 'hasher'> & {
  readonly migrations: readonly MigrationList[]
  readonly createApp: (parts: TestParts) => Express
  readonly settings?: Partial<AccountSettings>
  /** Serve quotas from the Redis of the test run. */
  readonly redis?: boolean
  /** Go by the clocks of the process and of the stores, as in production; `now` of the app means nothing then. */
  readonly ownClock?: boolean
  readonly log?: Logger
}

export type TestParts = {
  readonly accounts: Accounts
  readonly database: Database<AccountTables>
  readonly http: { log: Logger; publicUrl: string; trustProxy: number }
  readonly ready: () => Promise<Readiness>
  readonly clock: () => number
}

/** A request of a test; `address` is the client's, a new one unless given. */
export type TestRequest = {
  readonly key?: string
  readonly session?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
}

/** A running service on real stores; every answer is checked against the API description. */
export type TestApp = {
  readonly server: Server
  readonly contract: Contract
  readonly database: Database<AccountTables>
  /** Unix milliseconds that the service takes for now; undefined lets the clock run. */
  now: number | undefined
  call(method: string, path: string, request?: TestRequest): Promise<Answer & { body: any }> // eslint-disable-line @typescript-eslint/no-explicit-any -- bodies are checked against the description
  /** Signs up and returns the key and what was signed up with. */
  signUp(
    plan?: string,
  ): Promise<{ key: string; email: string; password: string; tag: string; address: string }>
  /** A call of the operator API. */
  operate(method: string, path: string, body?: object): Promise<supertest.Response>
  readonly close: () => Promise<void>
}

export const testSettings: AccountSettings = {
  peppers: [randomBytes(32).toString('base64')],
  sessionSecrets: [randomBytes(32).toString('base64')],
  operatorTokens: [randomBytes(32).toString('base64')],
  burstPerSecond: 1000,
  signupsPerHour: 5,
  failedAuthPerMinute: 60,
}

/** Starts a service in this process: its own database, real HTTP. */
export async function startTestApp(options: TestAppOptions): Promise<TestApp> {
  const log = options.log ?? createLogger({ level: 'silent', service: 'test' })
  const { deployment, plans, envelope } = options
  const url = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
  const database = await openDatabase<AccountTables>({
    url,
    dataDir: '',
    schema: deployment.name,
    log,
    queryTimeoutMs: 10_000,
  })
  await migrate(database, options.migrations, log)
  const redis = options.redis
    ? openRedis(process.env['TEST_REDIS_URL'] ?? '', { log, commandTimeoutMs: 1000 })
    : undefined
  const time: { now: number | undefined } = { now: undefined }
  const clock = () => time.now ?? Date.now()
  const settings = { ...testSettings, ...options.settings }
  const accounts = await openAccounts({
    deployment,
    plans,
    envelope,
    database,
    redis,
    log,
    settings,
    clock: options.ownClock ? undefined : clock,
    answerWithinMs: 1000,
    hasher: options.hasher ?? argon2Hasher,
  })
  const ready = () => Promise.resolve({ status: 200, state: 'ok', checks: {} } as const)
  const http = { log, publicUrl: 'http://127.0.0.1', trustProxy: 1 }
  const app = options.createApp({ accounts, database, http, ready, clock })
  const internal = createHttpApp({ ...http, limitHeaders: () => [], settle: () => undefined })
  accounts.mountOperator(internal)
  closeHttpApp(internal)
  const server = await listening(
    createServer(app, { parserErrorResponse: () => ({ headers: [], body: '' }) }),
  )
  const { body: document } = await supertest(server).get('/openapi.json')
  const contract = createContract(document)

  const call: TestApp['call'] = async (method, path, request = {}) => {
    const name = deployment.keyHeader
    const headers = {
      'X-Forwarded-For': request.address ?? newAddress(),
      ...(request.session !== undefined && { Authorization: `Bearer ${request.session}` }),
      ...(request.key !== undefined && {
        [name]: name === 'Authorization' ? `Bearer ${request.key}` : request.key,
      }),
      ...request.headers,
    }
    const sent = supertest(server)[verb(method)](path).set(headers)
    const response = await (request.body === undefined ? sent : sent.send(request.body as object))
    const answer = { status: response.status, headers: response.headers, body: response.body as unknown }
    contract.check(method, path, answer)
    return answer
  }

  return Object.assign(time, {
    ...{ server, contract, database, call },
    async signUp(plan = 'free') {
      const email = `${randomUUID()}@example.com`
      const password = `pass ${randomUUID()}`
      const address = newAddress()
      const { status, body } = await call('post', '/v1/signup', {
        address,
        body: { name: 'Test', email, password },
      })
      if (status !== 201) throw new Error(`signup: ${status} ${JSON.stringify(body)}`)
      const key: string = body.data.apiKey
      const tag = key.slice(9, 19)
      if (plan !== 'free') await operate('put', `/operator/accounts/${email}/plan`, { plan })
      return { key, email, password, tag, address }
    },
    operate,
    async close() {
      await new Promise((done) => server.close(done))
      await accounts.close()
      disconnect(redis)
      await database.close()
    },
  })

  function operate(method: string, path: string, body?: object): Promise<supertest.Response> {
    const sent = supertest(internal)
      [verb(method)](path)
      .set('Authorization', `Bearer ${settings.operatorTokens[0]}`)
    return Promise.resolve(body === undefined ? sent : sent.send(body))
  }
}

/** An address that no other request of the run has. */
export function newAddress(): string {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

let addresses = 0

function verb(method: string): 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'head' {
  return method as 'get' // the tests write them in lower case
}

function disconnect(redis: Redis | Cluster | undefined): void {
  redis?.disconnect()
}

async function listening(server: Server): Promise<Server & { address(): AddressInfo }> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return server as Server & { address(): AddressInfo } // it listens on a port
}
