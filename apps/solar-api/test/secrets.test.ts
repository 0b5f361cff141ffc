import { openDatabase } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import { openRedis } from '@hearth/chassis/redis'
import { createDatabase, startRedis, type TestServer } from '@hearth/infra/test-servers'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  endAll,
  freePorts,
  newDirectory,
  newSecret,
  send,
  startProcess,
  type Outgoing,
  type ServiceProcess,
} from '@hearth/chassis/testing/service-process'
import { threeNumbers } from './support.ts'

// A start takes a core for a second, and the cores may be busy.
import.meta.jest.setTimeout(60_000)

const log = createLogger({ level: 'silent', service: 'test' })
const settings = { KEY_PEPPER: newSecret(), JWT_SECRET: newSecret(), OPERATOR_TOKEN: newSecret() }

/** Everything secret that was used, by what it is. */
const secrets = new Map<string, string>(Object.entries(settings))
/** Everything that the service said, by where. */
const said: { where: string; text: string }[] = []

let redis: TestServer
let databaseUrl: string
let service: ServiceProcess

beforeAll(async () => {
  redis = await startRedis()
  databaseUrl = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
  const limits = { SIGNUPS_PER_HOUR: '0', FAILED_AUTH_PER_MINUTE: '0' }
  const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, DATA_DIR: newDirectory() }
  service = await startProcess({
    ...settings,
    ...stores,
    ...limits,
    ...(await freePorts()),
    LOG_LEVEL: 'trace',
  })
  await useEverything()
})
afterAll(async () => {
  await endAll()
  await redis.stop()
})

test('no secret is in any answer but the one that hands it over', () => {
  expect(said.length).toBeGreaterThan(25)
  expect(hits(said)).toEqual([])
})

test('no secret is in the log, at any level', () => {
  const output = service.output()
  expect(output).toContain('unexpected error')
  expect(output.split('\n').length).toBeGreaterThan(30)
  expect(hits([{ where: 'log', text: output }])).toEqual([])
})

test('no secret is in the database', async () => {
  const dump = await dumpDatabase()
  expect(dump).toContain('ann@example.com')
  expect(hits([{ where: 'database', text: dump }])).toEqual([])
})

test('no secret is in Redis', async () => {
  const dump = await dumpRedis()
  expect(dump).toMatch(/slr/)
  expect(hits([{ where: 'Redis', text: dump }])).toEqual([])
})

test('no secret is in the metrics', async () => {
  const { body } = await send(`${service.internalUrl}/metrics`)
  expect(body).toContain('/v1/account/keys/rotate')
  expect(hits([{ where: 'metrics', text: body }])).toEqual([])
})

test('the search finds what it looks for, whole or in part, and however it is written', () => {
  const key = secrets.get('first key') ?? ''
  const forms = [
    key,
    key.slice(23),
    Buffer.from(key).toString('base64'),
    encodeURIComponent(settings.JWT_SECRET),
  ]

  expect(forms.map((text) => hits([{ where: 'here', text: `…${text}…` }]).length > 0)).toEqual([
    true,
    true,
    true,
    true,
  ])
})

/** Which secrets are where: whole, the secret part of keys, and both in base64 and hexadecimal. */
function hits(texts: readonly { where: string; text: string }[]): string[] {
  return texts.flatMap(({ where, text }) =>
    [...secrets].flatMap(([what, secret]) =>
      formsOf(secret).some((form) => text.includes(form)) ? [`${what}: ${where}`] : [],
    ),
  )
}

function formsOf(secret: string): string[] {
  const isKey = /^slr_live_/.test(secret)
  const parts = isKey ? [secret, secret.slice(23, 55)] : [secret]
  return parts.flatMap((part) => [
    part,
    Buffer.from(part).toString('base64').replace(/=+$/, ''),
    Buffer.from(part).toString('hex'),
  ])
}

/** Uses every endpoint that sees a secret, rightly and wrongly. */
async function useEverything(): Promise<void> {
  const password = remember('password', newSecret())
  const account = { name: 'Ann', email: 'ann@example.com', password }
  const made = await send(`${service.baseUrl}/v1/signup`, {
    body: account,
    headers: { 'Idempotency-Key': newSecret() },
  })
  const first = remember('first key', made.body.data.apiKey)
  await call('signup again', '/v1/signup', { body: account })
  await call('calculate', '/v1/calculate', { body: threeNumbers, headers: { 'X-API-Key': first } })
  await wrongPlaces(first, password)

  const headers = { 'X-API-Key': first, 'Idempotency-Key': newSecret() }
  const rotated = await send(`${service.baseUrl}/v1/account/keys/rotate`, { method: 'POST', headers })
  const second = remember('second key', rotated.body.data.apiKey)
  await call('the old key', '/v1/account', { headers: { 'X-API-Key': first } })
  const further = await send(`${service.baseUrl}/v1/account/keys`, {
    body: { name: 'b' },
    headers: { 'X-API-Key': second },
  })
  remember('further key', further.body.data.apiKey)
  await call('keys', '/v1/account/keys', { headers: { 'X-API-Key': second } })

  await sessions(account)
  await operate(further.body.data.id)
  await breakDatabase(second, account)
  await sleep(600) // usage and outbox are written in the background
}

/** Keys and passwords where they do not belong. */
async function wrongPlaces(key: string, password: string): Promise<void> {
  const valid = { 'X-API-Key': key }
  await call('key in the query', `/v1/account?api_key=${key}`)
  await call('key in the query beside a good one', `/v1/account/usage?key=${key}`, { headers: valid })
  await call('key in the body', '/v1/calculate', { body: { ...threeNumbers, apiKey: key } })
  await call('key as a number', '/v1/calculate', {
    body: { ...threeNumbers, utilityRate: key },
    headers: valid,
  })
  await call('key as a field', '/v1/calculate', { body: { ...threeNumbers, [key]: 1 }, headers: valid })
  await call('key as a field inside', '/v1/calculate', {
    body: { ...threeNumbers, loan: { [key]: 1 } },
    headers: valid,
  })
  await call('key in Authorization', '/v1/account', { headers: { Authorization: `Bearer ${key}` } })
  await call('key as another scheme', '/v1/account', { headers: { Authorization: `Basic ${key}` } })
  await call('key in the path', `/v1/account/keys/${key}`, { method: 'DELETE', headers: valid })
  await call('key in an unknown path', `/v1/${key}`, { headers: valid })
  await call('key in an unknown page', `/errors/${key}`)
  await call('key with a wrong method', `/v1/account/keys/${key}`, { method: 'PATCH', headers: valid })
  await call('key in User-Agent', '/v1/nothing', {
    headers: { ...valid, 'User-Agent': key, Referer: `https://x/?${key}` },
  })
  await call('key in Idempotency-Key', '/v1/account/keys/rotate', {
    method: 'POST',
    headers: { ...valid, 'Idempotency-Key': `${key} ` + 'x'.repeat(250) },
  })
  await call('two keys', '/v1/account', {
    headers: { ...valid, Authorization: `Bearer ${key.slice(0, -1)}x` },
  })
  await call('a cut key', '/v1/account', { headers: { 'X-API-Key': `"${key}"` } })
  const json = { 'Content-Type': 'application/json' }
  for (const text of [`{"password": "${password}", "key": ${key}`, key, `"${password}"`]) {
    const response = await fetch(`${service.baseUrl}/v1/signup`, {
      method: 'POST',
      headers: json,
      body: text,
    })
    said.push({ where: 'a body that is no JSON object', text: await response.text() })
  }
  await call('password as a list', '/v1/signup', {
    body: { name: [password], email: password, password: [password] },
  })
  await call('wrong password', '/v1/account/sessions', {
    body: { email: 'ann@example.com', password: `${password}x` },
  })
}

async function sessions({ email, password }: { email: string; password: string }): Promise<void> {
  const signedIn = await send(`${service.baseUrl}/v1/account/sessions`, { body: { email, password } })
  const token = remember('session token', signedIn.body.data.token)
  const headers = { Authorization: `Bearer ${token}` }
  await call('account by session', '/v1/account', { headers })
  await call('session in a calculation', '/v1/calculate', { body: threeNumbers, headers })
  await call('session in the path', `/v1/${token}`, { headers })
  await call('a weak new password', '/v1/account/password', {
    method: 'PUT',
    body: { password: email },
    headers,
  })
  const next = remember('new password', newSecret())
  const changed = await send(`${service.baseUrl}/v1/account/password`, {
    method: 'PUT',
    body: { password: next },
    headers,
  })
  remember('second session token', changed.body.data.token)
  await call('the old session', '/v1/account', { headers })
}

async function operate(keyId: string): Promise<void> {
  const headers = { Authorization: `Bearer ${settings.OPERATOR_TOKEN}` }
  const path = '/operator/accounts/ann@example.com'
  await call('operator list', '/operator/accounts', { headers }, service.internalUrl)
  await call('operator show', path, { headers }, service.internalUrl)
  await call(
    'operator plan',
    `${path}/plan`,
    { method: 'PUT', body: { plan: 'pro' }, headers },
    service.internalUrl,
  )
  await call('operator revoke', `/operator/keys/${keyId}`, { method: 'DELETE', headers }, service.internalUrl)
  await call(
    'operator, cut token',
    '/operator/accounts',
    { headers: { Authorization: settings.OPERATOR_TOKEN } },
    service.internalUrl,
  )
  await call(
    'operator, wrong body',
    `${path}/plan`,
    { method: 'PUT', body: { plan: settings.OPERATOR_TOKEN }, headers },
    service.internalUrl,
  )
  await call('operator token outside', '/v1/account', { headers })
}

/** A fault of the program, with secrets in the request. */
async function breakDatabase(
  key: string,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, dataDir: '', schema: 'solar', log })
  await sql`alter table account rename to account_away`.execute(database.db)
  const broken = await send(`${service.baseUrl}/v1/account/sessions`, { body: { email, password } })
  said.push({ where: 'a fault at sign-in', text: JSON.stringify(broken.body) })
  await call('a fault', '/v1/account', { headers: { 'X-API-Key': key } })
  await sql`alter table account_away rename to account`.execute(database.db)
  await database.close()
  expect(broken.status).toBe(500)
}

async function call(where: string, path: string, init: Outgoing = {}, base = service.baseUrl) {
  const { status, headers, body } = await send(`${base}${path}`, init)
  said.push({
    where: `${where} (${status})`,
    text: `${JSON.stringify([...headers])} ${JSON.stringify(body)}`,
  })
}

function remember(what: string, secret: string): string {
  expect(typeof secret).toBe('string')
  secrets.set(what, secret)
  return secret
}

async function dumpDatabase(): Promise<string> {
  const database = await openDatabase({ url: databaseUrl, dataDir: '', schema: 'solar', log })
  const tables = await sql<{ name: string }>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema')`.execute(database.db)
  expect(tables.rows.length).toBeGreaterThanOrEqual(6)
  const rows = await Promise.all(
    tables.rows.map(({ name }) =>
      sql.raw<{ row: string }>(`select t::text as row from ${name} t`).execute(database.db),
    ),
  )
  await database.close()
  return rows.flatMap((result) => result.rows.map(({ row }) => row)).join('\n')
}

async function dumpRedis(): Promise<string> {
  const client = openRedis(redis.url, { log, commandTimeoutMs: 2000 })
  await new Promise((done) => client.once('ready', done))
  const names = await client.keys('*')
  const contents = await Promise.all(
    names.map(async (name) => {
      const isHash = (await client.type(name)) === 'hash'
      return isHash ? JSON.stringify(await client.hgetall(name)) : client.dump(name)
    }),
  )
  client.disconnect()
  return names.map((name, at) => `${name} ${contents[at]}`).join('\n')
}
