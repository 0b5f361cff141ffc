import { sql } from 'kysely'
import supertest from 'supertest'
import { makeKey } from '../src/keys.ts'
import { newAddress, type TestApp, type TestRequest } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'

const text = { text: 'a' }

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('charging on a service that counts in %s', (_store, redis) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ redis })
  })
  afterAll(() => app.close())

  const usedBy = async (key: string) =>
    (await app.call('get', '/v1/account/usage', { key })).body.data.windows.daily.used as number
  const send = (
    method: string,
    path: string,
    key: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const sent = supertest(app.server)
      [method as 'post'](path)
      .set({ 'X-API-Key': key, 'X-Forwarded-For': newAddress(), ...headers })
    return body === undefined ? sent : sent.send(body as object)
  }
  const json = { 'Content-Type': 'application/json' }
  const rows: [string, number, number, (key: string) => PromiseLike<{ status: number }>][] = [
    ['2xx', 200, 100, (key) => send('post', '/v1/echo', key, text)],
    ['HEAD, answered as GET', 200, 100, (key) => send('head', '/v1/extra', key)],
    ['malformed JSON', 400, 0, (key) => send('post', '/v1/echo', key, '{"text":', json)],
    ['a field that is not valid', 400, 0, (key) => send('post', '/v1/echo', key, { text: 5 })],
    ['two keys', 400, 0, (key) => send('post', '/v1/echo', `${key},${typo(key)}`, text)],
    ['a malformed key', 401, 0, (key) => send('post', '/v1/echo', typo(key), text)],
    ['an unknown route', 404, 0, (key) => send('get', '/v1/nothing', key)],
    ['a wrong method', 405, 0, (key) => send('get', '/v1/echo', key)],
    ['HEAD where there is no GET', 405, 0, (key) => send('head', '/v1/echo', key)],
    ['a body over 64 KiB', 413, 0, (key) => send('post', '/v1/echo', key, { text: 'x'.repeat(65_536) })],
    [
      'a body that is not JSON',
      415,
      0,
      (key) => send('post', '/v1/echo', key, 'a=b', { 'Content-Type': 'text/plain' }),
    ],
    ['a bug', 500, 0, (key) => send('get', '/v1/broken', key)],
    ['OPTIONS', 204, 0, (key) => send('options', '/v1/echo', key)],
    ['an account endpoint', 200, 0, (key) => send('get', '/v1/account', key)],
  ]
  test.each(rows)('%s: status %d, and 100 of them cost %d (T11)', async (_what, status, cost, request) => {
    const { key } = await app.signUp('big')

    const statuses: number[] = []
    for (let i = 0; i < 10; i++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => request(key)))
      statuses.push(...answers.map((answer) => answer.status))
    }

    expect(statuses).toEqual(Array<number>(100).fill(status))
    expect(await usedBy(key)).toBe(cost)
  })

  test('a call that the plan does not include costs nothing, and is told which plans include it', async () => {
    const { key } = await app.signUp()
    const { status, body } = await app.call('get', '/v1/extra', { key })

    expect(status).toBe(403)
    expect(body).toMatchObject({
      code: 'plan_upgrade_required',
      plan: 'free',
      requiredPlans: ['pro', 'lifetime', 'big'],
    })
    expect(body.detail).toContain('pro, lifetime, big')
    expect(await usedBy(key)).toBe(0)
    for (let i = 0; i < 6; i++) await app.call('post', '/v1/echo', { key, body: text })
    expect((await app.call('get', '/v1/extra', { key })).status).toBe(403)
  })

  test('what has not changed is confirmed for nothing, also when the quota is used up', async () => {
    const { key } = await app.signUp()
    for (let i = 0; i < 5; i++) await app.call('get', '/v1/cached', { key })
    const conditional = (etag: string) =>
      app.call('get', '/v1/cached', { key, headers: { 'If-None-Match': etag } })

    expect((await app.call('get', '/v1/cached', { key })).status).toBe(429)
    expect((await conditional('"1"')).status).toBe(304)
    expect((await conditional('"2"')).body).toMatchObject({ status: 429, code: 'quota_exceeded' })
    expect(await usedBy(key)).toBe(5)
  })

  test('a bug shows nothing of itself', async () => {
    const { key } = await app.signUp()
    const { body, headers } = await app.call('get', '/v1/broken', { key })

    expect(body.code).toBe('internal_error')
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(headers['x-ratelimit-remaining']).toBe('5')
  })

  test('remaining goes down by one with each success and stays with each failure', async () => {
    const { key } = await app.signUp()
    const remaining = []
    for (const body of [text, {}, text, {}, text]) {
      remaining.push((await app.call('post', '/v1/echo', { key, body })).headers['x-ratelimit-remaining'])
    }

    expect(remaining).toEqual(['4', '4', '3', '3', '2'])
  })

  test('over the quota: 429 that says which window, how much, of which plan and until when; nothing changes', async () => {
    app.now = Date.UTC(2026, 10, 20, 18)
    const { key } = await app.signUp()
    for (let i = 0; i < 5; i++) await app.call('post', '/v1/echo', { key, body: text })
    for (let i = 0; i < 5; i++) await app.call('post', '/v1/echo', { key, body: text })
    const { status, body, headers } = await app.call('post', '/v1/echo', { key, body: text })
    const used = await usedBy(key)
    app.now = undefined

    expect(status).toBe(429)
    expect(body).toMatchObject({
      ...{ code: 'quota_exceeded', 'violated-policies': ['daily'], limit: 5, plan: 'free', retryable: false },
      resetsAt: '2026-11-21T00:00:00Z',
    })
    expect(headers).toMatchObject({
      ...{ 'retry-after': '21600', 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' },
      'x-ratelimit-reset': String(Date.UTC(2026, 10, 21) / 1000),
    })
    expect(used).toBe(5)
  })

  test('over the month: 429 names the month and waits for its end', async () => {
    const { key } = await app.signUp()
    for (const day of [18, 19, 20]) {
      app.now = Date.UTC(2026, 10, day, 12)
      for (let i = 0; i < 5; i++) await app.call('post', '/v1/echo', { key, body: text })
    }
    const { body, headers } = await app.call('post', '/v1/echo', { key, body: text })
    app.now = undefined

    expect(body).toMatchObject({
      'violated-policies': ['monthly'],
      limit: 12,
      resetsAt: '2026-12-01T00:00:00Z',
    })
    expect(headers['retry-after']).toBe(String((Date.UTC(2026, 11, 1) - Date.UTC(2026, 10, 20, 12)) / 1000))
    expect(headers['x-ratelimit-limit']).toBe('12')
  })

  test('a suspended account is refused with 403 until it is resumed', async () => {
    const { key, email } = await app.signUp()
    await app.operate('put', `/operator/accounts/${email}/suspended`, { suspended: true })
    const suspended = await app.call('post', '/v1/echo', { key, body: text })
    const account = await app.call('get', '/v1/account', { key })
    await app.operate('put', `/operator/accounts/${email}/suspended`, { suspended: false })
    const resumed = await app.call('post', '/v1/echo', { key, body: text })

    expect([suspended.status, suspended.body.code]).toEqual([403, 'account_suspended'])
    expect(account.body.code).toBe('account_suspended')
    expect([resumed.status, resumed.headers['x-ratelimit-remaining']]).toEqual([200, '4'])
  })

  test('a plan that is no longer in the table counts as free', async () => {
    const { key, tag } = await app.signUp()
    await app.database.db.updateTable('account').set({ plan: 'gone' }).where('tag', '=', tag).execute()
    const statuses = []
    for (let i = 0; i < 7; i++)
      statuses.push((await app.call('post', '/v1/echo', { key, body: text })).status)

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect((await app.call('get', '/v1/account', { key })).body.data.plan).toBe('free')
  })
})

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('the burst limit on a service that counts in %s', (_store, redis) => {
  test('lets twice the rate through at once, refuses the rest with 429, and charges nothing for it', async () => {
    const app = await startEcho({ redis, settings: { burstPerSecond: 2 } })
    try {
      const { key } = await app.signUp('big')
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => app.call('post', '/v1/echo', { key, body: text })),
      )
      const refused = answers.filter(({ status }) => status === 429)
      const allowed = answers.filter(({ status }) => status === 200)
      await new Promise((resume) => setTimeout(resume, 1100))
      const after = await app.call('get', '/v1/account/usage', { key })

      expect(allowed.length).toBeGreaterThanOrEqual(4)
      expect(allowed.length).toBeLessThanOrEqual(6)
      expect(refused.length + allowed.length).toBe(20)
      expect(refused[0]?.body).toMatchObject({
        ...{ code: 'rate_limited', 'violated-policies': ['burst'], limit: 4, plan: 'big', retryable: true },
      })
      expect(refused[0]?.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining': '0' })
      expect(after.status).toBe(200)
      expect(after.body.data.windows.daily.used).toBe(allowed.length)
      expect(after.headers['ratelimit-policy']).toContain('"burst";q=4;w=2')
    } finally {
      await app.close()
    }
  })
})

describe('the limit of requests without a valid key', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho()
  })
  afterAll(() => app.close())
  beforeEach(() => {
    app.now = Date.UTC(2026, 10, 20, 12)
  })
  afterEach(() => {
    app.now = undefined
  })

  /** Asks 100 times at once; without the function every look-up fails, and so shows. */
  const ask100 = async (address: string, keyOf: (i: number) => string) => {
    await sql`alter function pass_gate rename to away`.execute(app.database.db)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => app.call('get', '/v1/account', { address, key: keyOf(i) })),
    )
    await sql`alter function away rename to pass_gate`.execute(app.database.db)
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    return { lookedUp: count(500), refused: count(429) }
  }

  test.each<[string, TestRequest]>([
    ['without a key', {}],
    ['with a malformed key', { key: 'abc' }],
    [
      'with an unknown key',
      { key: makeKey({ service: 'slr', tag: 'nobodyhere', selector: '0000' }, 'x'.repeat(32)) },
    ],
    ['with a bad session', { session: 'a.b.c' }],
  ])('lets 60 a minute through, %s', async (_what, request) => {
    const address = newAddress()
    const answers = []
    for (let i = 0; i < 61; i++) answers.push(await app.call('get', '/v1/account', { address, ...request }))
    app.now = Date.UTC(2026, 10, 20, 12, 1)
    const later = await app.call('get', '/v1/account', { address, ...request })

    expect(answers.slice(0, 60).every(({ status }) => status === 401)).toBe(true)
    expect(answers[0]?.headers['x-ratelimit-remaining']).toBe('59')
    expect(answers[60]?.body).toMatchObject({
      code: 'rate_limited',
      'violated-policies': ['address'],
      limit: 60,
    })
    expect(answers[60]?.headers['retry-after']).toBe('60')
    expect(later.status).toBe(401)
  })

  test('does not touch a valid key from the same address', async () => {
    const { key } = await app.signUp()
    const address = newAddress()
    for (let i = 0; i < 62; i++) await app.call('get', '/v1/account', { address })

    expect((await app.call('post', '/v1/echo', { key, address, body: text })).status).toBe(200)
    expect((await app.call('get', '/v1/account', { address })).status).toBe(429)
  })

  test('looks up only a few unknown keys a second from an address over it', async () => {
    const address = newAddress()
    for (let i = 0; i < 62; i++) await app.call('get', '/v1/account', { address })
    const unknown = (i: number) =>
      makeKey({ service: 'slr', tag: `stranger${10 + (i % 90)}`, selector: '0000' }, 'x'.repeat(32))

    const { lookedUp, refused } = await ask100(address, unknown)

    expect(lookedUp).toBeGreaterThan(0)
    expect(lookedUp).toBeLessThanOrEqual(50)
    expect(refused).toBe(100 - lookedUp)
  })

  test.each<[string, (key: string) => Promise<unknown>]>([
    [
      'was revoked',
      async (key) => {
        await app.operate('delete', `/operator/keys/key_${key.slice(9, 23)}`)
      },
    ],
    [
      'is of a deleted account',
      (key) => sql`delete from account where tag = ${key.slice(9, 19)}`.execute(app.database.db),
    ],
  ])('looks up a key that was good and %s as seldom as an unknown one', async (_what, end) => {
    const { key } = await app.signUp()
    const address = newAddress()
    expect((await app.call('get', '/v1/account', { key, address })).status).toBe(200)
    await end(key)
    for (let i = 0; i < 62; i++) await app.call('get', '/v1/account', { address, key })

    const { lookedUp, refused } = await ask100(address, () => key)

    expect(lookedUp).toBeLessThanOrEqual(50)
    expect(refused).toBe(100 - lookedUp)
  })

  test('goes on looking up the keys of a suspended account: they may be good again at any moment', async () => {
    const { key, email } = await app.signUp()
    const address = newAddress()
    const suspend = (suspended: boolean) =>
      app.operate('put', `/operator/accounts/${email}/suspended`, { suspended })
    await app.call('get', '/v1/account', { key, address })
    await suspend(true)
    for (let i = 0; i < 90; i++) await app.call('get', '/v1/account', { address, key })
    await suspend(false)

    const answers = await Promise.all(
      Array.from({ length: 30 }, () => app.call('get', '/v1/account', { address, key })),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array<number>(30).fill(200))
  })

  test('takes a /56 of IPv6 for one address (T56)', async () => {
    for (let i = 0; i < 60; i++)
      await app.call('get', '/v1/account', { address: `2001:db8:1:abc${i % 10}:${i}::` })

    expect((await app.call('get', '/v1/account', { address: '2001:db8:1:abff::1' })).status).toBe(429)
    expect((await app.call('get', '/v1/account', { address: '2001:db8:1:ac00::1' })).status).toBe(401)
  })

  test('does not believe what a client puts before the entry of our proxy (T56)', async () => {
    const address = newAddress()
    const statuses = new Set<number>()
    for (let i = 0; i < 62; i++) {
      statuses.add((await app.call('get', '/v1/account', { address: `${newAddress()}, ${address}` })).status)
    }

    expect([...statuses]).toEqual([401, 429])
  })
})

/** The key with its last character changed. */
function typo(key: string): string {
  return key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
}
