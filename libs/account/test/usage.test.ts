import { closeHttpApp, createHttpApp } from '@hearth/chassis/http'
import type Joi from 'joi'
import supertest from 'supertest'
import type { AccountContext } from '../src/context.ts'
import { createLedger } from '../src/ledger.ts'
import { getUsage } from '../src/usage.ts'
import type { TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'
import { insertAccount, openTestDatabase, silent, testPlans } from './support.ts'

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('GET /v1/account/usage on a service that counts in %s', (_store, redis) => {
  let app: TestApp
  const noon = Date.UTC(2026, 10, 20, 12)
  const dayMs = 86_400_000
  beforeAll(async () => {
    app = await startEcho({ redis })
  })
  afterAll(() => app.close())
  beforeEach(() => {
    app.now = noon
  })
  afterEach(() => {
    app.now = undefined
  })

  const usage = (key: string, query = '') => app.call('get', `/v1/account/usage${query}`, { key })
  const echo = (key: string) => app.call('post', '/v1/echo', { key, body: { text: 'a' } })

  test('shows both windows as the headers of the same answer do, and costs nothing', async () => {
    const { key } = await app.signUp()
    for (let i = 0; i < 2; i++) await echo(key)
    await usage(key)

    const { body, headers } = await usage(key)

    expect(body.data).toMatchObject({
      plan: 'free',
      windows: {
        daily: { limit: 5, used: 2, remaining: 3, resetsAt: '2026-11-21T00:00:00Z' },
        monthly: { limit: 12, used: 2, remaining: 10, resetsAt: '2026-12-01T00:00:00Z' },
      },
    })
    expect(headers).toMatchObject({
      ...{ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '3' },
      'x-ratelimit-reset': String(Date.parse('2026-11-21T00:00:00Z') / 1000),
    })
    expect(headers['ratelimit']).toContain('"daily";r=3;t=43200, "monthly";r=10;t=907200')
    expect(headers['ratelimit-policy']).toContain('"daily";q=5;w=86400, "monthly";q=12;w=2592000')
  })

  test('shows the month as the binding window when less of it is left', async () => {
    const { key } = await app.signUp()
    for (const day of [0, 1, 2]) {
      app.now = noon + day * dayMs
      for (let i = 0; i < 4 - day; i++) await echo(key)
    }
    app.now = noon + 3 * dayMs

    const { body, headers } = await usage(key)

    expect(body.data.windows).toMatchObject({
      daily: { used: 0, remaining: 5 },
      monthly: { used: 9, remaining: 3 },
    })
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '12', 'x-ratelimit-remaining': '3' })
  })

  test('shows null for the limit of an unlimited month', async () => {
    const { key } = await app.signUp('lifetime')
    await echo(key)

    const { body, headers } = await usage(key)

    expect(body.data.windows.monthly).toEqual({ limit: null, used: 1, remaining: null, resetsAt: null })
    expect(headers['ratelimit']).not.toContain('monthly')
  })

  test('shows what is left as 0, not less, after a change to a smaller plan', async () => {
    const { key, email } = await app.signUp('pro')
    for (let i = 0; i < 8; i++) await echo(key)
    await app.operate('put', `/operator/accounts/${email}/plan`, { plan: 'free' })

    const { body, headers } = await usage(key)

    expect(body.data.windows.daily).toMatchObject({ limit: 5, used: 8, remaining: 0 })
    expect(headers['x-ratelimit-remaining']).toBe('0')
  })

  test('has a row for each day of the month so far, by endpoint, successes only', async () => {
    const { key } = await app.signUp('pro')
    app.now = noon - 2 * dayMs
    await echo(key)
    app.now = noon
    for (let i = 0; i < 3; i++) await echo(key)
    await app.call('get', '/v1/extra', { key })
    await app.call('get', '/v1/broken', { key })
    await app.call('post', '/v1/echo', { key, body: {} })

    const { history } = (await usage(key)).body.data

    expect(history).toHaveLength(20)
    expect(history[0]).toEqual({ date: '2026-11-01', used: 0, byEndpoint: {} })
    expect(history[17]).toEqual({ date: '2026-11-18', used: 1, byEndpoint: { 'POST /v1/echo': 1 } })
    expect(history[19]).toEqual({
      ...{ date: '2026-11-20', used: 4 },
      byEndpoint: { 'POST /v1/echo': 3, 'GET /v1/extra': 1 },
    })
  })

  test('has the calls that a release before this one has written, beside the later ones', async () => {
    const { key, tag } = await app.signUp('pro')
    await echo(key)
    const row = { tag, day: Math.floor(noon / dayMs), endpoint: 'POST /v1/echo', used: 2 }
    for (const instance of ['one', 'other'])
      await app.database.db
        .insertInto('usage_endpoint')
        .values({ ...row, instance })
        .execute()

    const { history } = (await usage(key)).body.data

    expect(history[19].byEndpoint).toEqual({ 'POST /v1/echo': 5 })
  })

  test('has the days of the span asked for, also over the end of a year', async () => {
    const { key } = await app.signUp()
    app.now = Date.UTC(2026, 11, 31, 23, 59, 59)
    await echo(key)
    app.now = Date.UTC(2027, 0, 1)
    await echo(key)

    const { body } = await usage(key, '?from=2026-12-30&to=2027-01-02')
    const history: { date: string; used: number }[] = body.data.history

    expect(history.map(({ date, used }) => [date, used])).toEqual([
      ...[['2026-12-30', 0], ['2026-12-31', 1], ['2027-01-01', 1], ['2027-01-02', 0]],
    ]) // prettier-ignore
  })

  test.each([
    ['?from=2026-11-19', 2],
    ['?to=2026-10-10', 10],
    ['?from=2026-11-20&to=2026-11-20', 1],
    ['?from=2028-02-28&to=2028-03-01', 3],
    ['?from=2025-11-20&to=2026-11-21', 367],
  ])('answers %s with %d days', async (query, days) => {
    const { key } = await app.signUp()

    expect((await usage(key, query)).body.data.history).toHaveLength(days)
  })

  test.each([
    ['?from=2026-11-21', 'from'],
    ['?from=2026-11-20&to=2026-11-19', 'from'],
    ['?from=2026-02-29', 'from'],
    ['?to=2026-13-01', 'to'],
    ['?from=yesterday', 'from'],
    ['?from=', 'from'],
    ['?from=2026-11-20T00:00:00Z', 'from'],
    ['?from=2025-11-19&to=2026-11-21', 'from'],
    ['?since=2026-11-20', 'since'],
    ['?from=2026-11-01&from=2026-11-02', 'from'],
  ])('refuses %s', async (query, parameter) => {
    const { key } = await app.signUp()
    const { status, body } = await usage(key, query)

    expect([status, body.code]).toEqual([400, 'validation_failed'])
    expect(body.errors[0].parameter).toBe(parameter)
  })

  test('is open when the quota is used up', async () => {
    const { key } = await app.signUp()
    for (let i = 0; i < 6; i++) await echo(key)

    const { status, body } = await usage(key)

    expect([status, body.data.windows.daily.remaining]).toEqual([200, 0])
  })

  test('shows nothing of other accounts', async () => {
    const [ann, ben] = [await app.signUp(), await app.signUp()]
    await echo(ann.key)

    expect((await usage(ben.key)).body.data.windows.daily.used).toBe(0)
  })
})

test('usage is read when the counts of its account are written, and does not wait for those of others', async () => {
  const database = await openTestDatabase('postgres')
  const { db } = database
  const ledger = createLedger(db)
  const [{ tag }, other] = [await insertAccount(db), await insertAccount(db)]
  const day = 20_000
  for (const one of [tag, other.tag])
    for (const on of [day - 1, day]) ledger.saw(ledger.of(one), { day: on, used: 2, refunded: 0 })
  const app = createHttpApp({
    ...{ log: silent, publicUrl: '', trustProxy: 0 },
    limitHeaders: () => [],
    settle: () => undefined,
  })
  app.use((_req, res, next) => {
    res.locals.caller = { tag, selector: '', key: '', tally: ledger.of(tag) }
    const standing = { plan: 'free', now: day * 86_400_000, day, usedToday: 3, usedBefore: 2 }
    res.locals.standing = { ...standing, burstRemaining: 0 }
    next()
  })
  const envelope = { wrap: (data: object) => data, schema: (data: Joi.Schema) => data }
  const context = { envelope, plans: testPlans, db, ledger, clock: Date.now }
  app.get('/v1/account/usage', getUsage(context as unknown as AccountContext)) // it reads no more of it
  const response = await supertest(closeHttpApp(app)).get('/v1/account/usage')
  const { history } = response.body as { history: { used: number }[] }
  const written = await db.selectFrom('usage_day').select(['tag', 'day']).orderBy('day').execute()
  await database.close()

  expect(history.slice(-2).map(({ used }) => used)).toEqual([2, 3])
  expect(written).toEqual([{ tag, day: day - 1 }, { tag, day }]) // prettier-ignore
})
