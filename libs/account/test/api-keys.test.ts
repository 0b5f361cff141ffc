import { randomBase62 } from '../src/keys.ts'
import type { TestApp } from '../testing/test-app.ts'
import { insertKey } from './support.ts'
import { startEcho } from './echo-service.ts'

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('keys on a service that counts in %s', (_store, redis) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ redis })
  })
  afterAll(() => app.close())
  afterEach(() => {
    app.now = undefined
  })

  const list = async (
    key: string,
  ): Promise<{ id: string; status: string; expiresAt: string; lastUsedAt: string; revokedAt: string }[]> =>
    (await app.call('get', '/v1/account/keys', { key })).body.data.keys
  const create = (key: string, body: object = { name: 'further' }) =>
    app.call('post', '/v1/account/keys', { key, body })
  const remove = (key: string, id: string) => app.call('delete', `/v1/account/keys/${id}`, { key })
  const echo = (key: string) => app.call('post', '/v1/echo', { key, body: { text: 'a' } })
  const idOf = (key: string) => `key_${key.slice(9, 23)}`

  test('keys that no longer work are forgotten but for the newest 100, so an account cannot grow without end; their calls are not', async () => {
    const { key, tag } = await app.signUp()
    const { db } = app.database
    const old = new Date(Date.UTC(2026, 0, 1))
    const use = { tag, day: 20_000, endpoint: 'POST /v1/echo', calls: 2, last_used_at: old }
    for (const round of ['x', 'y']) {
      for (let i = 0; i < 120; i++) {
        const selector = `${round}${String(i).padStart(3, '0')}`
        const row = { tag, selector, digest: '-', name: 'old', created_at: old, revoked_at: old }
        await db.insertInto('api_key').values(row).execute()
        await db
          .insertInto('usage_key')
          .values({ ...use, selector })
          .execute()
      }

      expect((await create(key)).status).toBe(201)
    }

    const keys = await list(key)
    expect(keys.filter(({ status }) => status === 'revoked')).toHaveLength(100)
    expect(keys.filter(({ status }) => status === 'active')).toHaveLength(3)
    const { history } = (await app.call('get', '/v1/account/usage?from=2024-10-04&to=2024-10-04', { key }))
      .body.data
    expect(history).toMatchObject([{ byEndpoint: { 'POST /v1/echo': 480 } }])
    const rows = await db.selectFrom('usage_key').select('selector').where('day', '=', 20_000).execute()
    expect(rows).toHaveLength(101)
  })

  describe('the list', () => {
    test('shows every key with its state, newest first, and nothing of a secret', async () => {
      app.now = Date.UTC(2026, 10, 20, 12)
      const { key } = await app.signUp()
      app.now += 1000
      const expiring = (await create(key, { name: 'expiring', expiresAt: '2026-11-20T13:00:00Z' })).body.data
      app.now += 1000
      const deleted = (await create(key, { name: 'deleted' })).body.data
      await remove(key, deleted.id)
      app.now += 3_600_000

      const keys = await list(key)

      expect(keys).toEqual([
        {
          ...{
            id: deleted.id,
            name: 'deleted',
            prefix: deleted.apiKeyPrefix,
            status: 'revoked',
            current: false,
          },
          ...{ createdAt: '2026-11-20T12:00:02.000Z', expiresAt: null, lastUsedAt: null },
          revokedAt: '2026-11-20T12:00:02.000Z',
        },
        {
          ...{ id: expiring.id, name: 'expiring', prefix: expiring.apiKeyPrefix, status: 'expired' },
          ...{
            createdAt: '2026-11-20T12:00:01.000Z',
            expiresAt: '2026-11-20T13:00:00.000Z',
            lastUsedAt: null,
          },
          ...{ current: false, revokedAt: null },
        },
        {
          ...{
            id: idOf(key),
            name: 'default',
            prefix: `${key.slice(0, 23)}...`,
            status: 'active',
            current: true,
          },
          ...{ createdAt: '2026-11-20T12:00:00.000Z', expiresAt: null, revokedAt: null },
          lastUsedAt: keys[2]?.lastUsedAt, // of the requests that made the other keys
        },
      ])
    })

    test('says when a key was used last', async () => {
      const { key } = await app.signUp()
      const other = (await create(key)).body.data
      expect((await list(key))[0]?.lastUsedAt).toBeNull()
      const before = Date.now()
      await echo(other.apiKey)

      const lastUsedAt = (await list(key))[0]?.lastUsedAt ?? ''

      expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(before - 1000)
      expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now() + 1000)
    })

    test('says so of free requests and of calls that failed, too, which make one row of a day between them', async () => {
      const { key, tag } = await app.signUp()
      const other = (await create(key)).body.data
      const used = async () => Date.parse((await list(key))[0]?.lastUsedAt ?? '')
      await app.call('get', '/v1/account', { key: other.apiKey })
      const first = await used()
      await new Promise((resume) => setTimeout(resume, 5))
      expect((await app.call('post', '/v1/echo', { key: other.apiKey, body: {} })).status).toBe(400)

      expect(first).not.toBeNaN()
      expect(await used()).toBeGreaterThan(first)
      const rows = app.database.db.selectFrom('usage_key').select(['endpoint', 'calls'])
      const own = rows.where('tag', '=', tag).where('selector', '=', String(other.id).slice(-4))
      expect(await own.execute()).toEqual([{ endpoint: '', calls: 0 }])
    })

    test('says so, too, of a key that a release before this one has seen last', async () => {
      const { key, tag } = await app.signUp()
      await create(key)
      const at = '2026-11-20T11:00:00.000Z'
      await app.database.db
        .updateTable('api_key')
        .set({ last_used_at: new Date(at) })
        .where('tag', '=', tag)
        .execute()

      expect((await list(key))[0]?.lastUsedAt).toBe(at)
    })

    test('shows only the keys of the own account', async () => {
      const [ann, ben] = [await app.signUp(), await app.signUp()]
      await create(ben.key)

      expect((await list(ann.key)).map(({ id }) => id)).toEqual([idOf(ann.key)])
    })
  })

  describe('a further key', () => {
    test('works at once and shares the quota', async () => {
      const { key } = await app.signUp()
      const { status, body, headers } = await create(key)

      expect(status).toBe(201)
      expect(Object.keys(body.data)).toEqual(['id', 'name', 'apiKeyPrefix', 'apiKey'])
      expect(headers['cache-control']).toBe('no-store')
      await echo(key)
      expect((await echo(body.data.apiKey)).headers['x-ratelimit-remaining']).toBe('3')
    })

    test('stops working when it expires', async () => {
      app.now = Date.UTC(2026, 10, 20, 12)
      const { key } = await app.signUp()
      const { body } = await create(key, { name: 'short', expiresAt: '2026-11-20T15:00:00+02:00' })
      app.now += 3_599_000
      expect((await echo(body.data.apiKey)).status).toBe(200)
      app.now += 1000

      const after = await echo(body.data.apiKey)

      expect([after.status, after.body.code]).toEqual([401, 'expired_api_key'])
      expect((await echo(key)).status).toBe(200)
    })

    test.each([
      ['in the past', '2020-01-01T00:00:00Z'],
      ['now', 'now'],
      ['without a time zone', '2099-01-01T00:00:00'],
      ['a date alone', '2099-01-01'],
      ['not a date', 'tomorrow'],
      ['a date that no calendar has', '2099-02-30T00:00:00Z'],
      ['hour 24', '2099-01-31T24:00:01Z'],
      ['without hyphens', '20990131T000000Z'],
      ['a year alone', '2099'],
      ['a month alone', '2099-01'],
      ['a week', '2099-W05-1T00:00:00Z'],
      ['a day of the year', '2099-031T00:00:00Z'],
      ['a year of six digits', '+275761-01-01T00:00:00Z'],
      ['the first instant of the year 10000', '+010000-01-01T00:00:00Z'],
      ['in the year 10000 by UTC', '9999-12-31T23:30:00-01:00'],
      ['a number', 4102444800],
      ['empty', ''],
    ])('may not expire at a time that is %s', async (what, expiresAt) => {
      app.now = Date.UTC(2026, 10, 20, 12)
      const { key } = await app.signUp()
      const value = what === 'now' ? new Date(app.now).toISOString() : expiresAt

      const { status, body } = await create(key, { name: 'wrong', expiresAt: value })

      expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/expiresAt'])
      expect(await list(key)).toHaveLength(1)
    })

    test.each([
      ['tomorrow', 'expiresAt must be a date and a time with its time zone in ISO 8601, such as'],
      ['+010000-01-01T00:00:00Z', 'expiresAt must lie before the year 10000, such as'],
    ])('may not expire at %s, and is told by an example when it may', async (expiresAt, sentence) => {
      const { key } = await app.signUp()

      const { body } = await create(key, { name: 'wrong', expiresAt })

      expect(body.errors[0].detail).toBe(body.detail)
      expect(body.detail).toContain(`${sentence} 2027-01-31T00:00:00Z`)
    })

    test('may expire in the last moment of the year 9999', async () => {
      const { key } = await app.signUp()
      const expiresAt = '9999-12-31T23:59:59.999Z'

      expect((await create(key, { name: 'late', expiresAt })).status).toBe(201)
      expect((await list(key))[0]?.expiresAt).toBe(expiresAt)
      expect((await echo(key)).status).toBe(200)
    })

    test('may expire never', async () => {
      const { key } = await app.signUp()

      expect((await create(key, { name: 'for ever', expiresAt: null })).status).toBe(201)
    })

    test.each([
      {},
      { name: '' },
      { name: ' \t' },
      { name: 5 },
      { name: 'x', plan: 'pro' },
      { name: 'a\u0000b' },
    ])('is not made of %j', async (body) => {
      const { key } = await app.signUp()

      expect((await create(key, body)).status).toBe(400)
    })

    test('is refused when there are 100 active ones, and allowed again when one is deleted', async () => {
      const { key, tag } = await app.signUp()
      for (let i = 0; i < 98; i++) await insertKey(app.database.db, tag)
      const answers = await Promise.all([create(key), create(key), create(key)])

      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400])
      const refused = answers.find(({ status }) => status === 400)
      expect(refused?.body.errors[0]).toMatchObject({ code: 'too_many' })
      const made = answers.find(({ status }) => status === 201)?.body.data.id
      expect((await remove(key, made)).status).toBe(200)
      expect((await create(key)).status).toBe(201)
    })
  })

  describe('deleting', () => {
    test('another key refuses it from the next request', async () => {
      const { key } = await app.signUp()
      const other = (await create(key)).body.data
      await echo(other.apiKey)
      const { status, body } = await remove(key, other.id)

      const after = await echo(other.apiKey)

      expect([status, body.data]).toEqual([200, { id: other.id, deleted: true }])
      expect([after.status, after.body.code]).toEqual([401, 'revoked_api_key'])
    })

    test('the own key is possible while there is another one (T34)', async () => {
      const { key } = await app.signUp()
      const other = (await create(key)).body.data.apiKey

      expect((await remove(key, idOf(key))).status).toBe(200)
      expect((await echo(key)).status).toBe(401)
      expect((await list(other)).filter(({ status }) => status === 'active')).toHaveLength(1)
    })

    test('the last active key needs force (T34)', async () => {
      const { key } = await app.signUp()
      const refused = await remove(key, idOf(key))
      const forced = await remove(key, `${idOf(key)}?force=true`)

      expect([refused.status, refused.body.code]).toEqual([409, 'last_active_key'])
      expect(forced.status).toBe(200)
      expect((await echo(key)).body.code).toBe('revoked_api_key')
    })

    test('does not count an expired or a revoked key as active', async () => {
      app.now = Date.UTC(2026, 10, 20, 12)
      const { key } = await app.signUp()
      await create(key, { name: 'expiring', expiresAt: '2026-11-20T13:00:00Z' })
      const revoked = (await create(key)).body.data.id
      await remove(key, revoked)
      app.now += 3_600_000

      expect((await remove(key, idOf(key))).status).toBe(409)
    })

    test('twice answers 404 the second time and changes nothing (T34)', async () => {
      const { key } = await app.signUp()
      const { id } = (await create(key)).body.data
      await remove(key, id)
      const revokedAt = (await list(key))[0]?.revokedAt

      const again = await remove(key, id)

      expect([again.status, again.body.code]).toEqual([404, 'key_not_found'])
      expect((await list(key))[0]?.revokedAt).toBe(revokedAt)
    })

    test('of two last keys at once leaves one', async () => {
      const { key } = await app.signUp()
      const other = (await create(key)).body.data.apiKey

      const answers = await Promise.all([remove(key, idOf(other)), remove(other, idOf(key))])

      expect(answers.map(({ status }) => status).toSorted()).not.toEqual([200, 200])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    })

    test('a key of another account is answered like one that does not exist, byte for byte but for the ids (T34, T51)', async () => {
      const [ann, ben] = [await app.signUp(), await app.signUp()]
      const foreign = idOf(ben.key)
      const unknown = `key_${randomBase62(14)}`
      const ownUnknown = `key_${ann.tag}zzzz`
      const answers = await Promise.all([foreign, unknown, ownUnknown].map((id) => remove(ann.key, id)))

      const anonymous = answers.map(({ status, body, headers }, at) =>
        JSON.stringify([status, headers['content-type'], headers['content-length'], body])
          .replaceAll([foreign, unknown, ownUnknown][at] ?? '', 'ID')
          .replaceAll(body.requestId, 'REQUEST'),
      )
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        answers.map(() => [404, 'key_not_found']),
      )
      expect(new Set(anonymous).size).toBe(1)
      expect((await echo(ben.key)).status).toBe(200)
    })

    test.each(['key_', 'nonsense', '%00', '..%2f..', "key_'or'1'='1'", 'k'.repeat(64)])(
      'answers 404 to the id %j',
      async (id) => {
        const { key } = await app.signUp()

        expect((await remove(key, id)).body).toMatchObject({ status: 404, code: 'key_not_found' })
      },
    )

    test.each(['force=maybe', 'force=1', 'fource=true'])('refuses ?%s', async (query) => {
      const { key } = await app.signUp()

      expect((await remove(key, `${idOf(key)}?${query}`)).status).toBe(400)
      expect((await list(key))[0]?.status).toBe('active')
    })
  })
})
