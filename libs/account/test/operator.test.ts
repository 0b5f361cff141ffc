import { closeHttpApp, createHttpApp } from '@hearth/chassis/http'
import supertest from 'supertest'
import type { AccountContext } from '../src/context.ts'
import { mountOperator } from '../src/operator.ts'
import type { TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'
import { silent } from './support.ts'

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('the operator API on a service that counts in %s', (_store, redis) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ redis })
  })
  afterAll(() => app.close())

  const accountPath = (email: string, rest = '') => `/operator/accounts/${encodeURIComponent(email)}${rest}`
  const echo = (key: string) => app.call('post', '/v1/echo', { key, body: { text: 'a' } })

  test('shows an account with its keys, and nothing of a secret', async () => {
    const { key, email, tag } = await app.signUp()
    const { status, body, text } = await app.operate('get', accountPath(` ${email.toUpperCase()}`))

    expect(status).toBe(200)
    expect(body).toMatchObject({ id: `acc_${tag}`, name: 'Test', email, plan: 'free', suspendedAt: null })
    expect(body.keys).toEqual([
      expect.objectContaining({
        id: `key_${key.slice(9, 23)}`,
        name: 'default',
        revokedAt: null,
        expiresAt: null,
      }),
    ])
    expect(text).not.toMatch(/argon2|digest|password/)
    expect(text).not.toContain(key.slice(23))
  })

  test('lists accounts in pages, each account once, whatever the case of their addresses', async () => {
    const letters = ['a', 'B', 'c', 'D', 'e', 'F', '0', 'Z', '!', '_']
    const emails = letters.map((letter) => `${letter}.page.${app.server.listening}@example.com`)
    for (const email of emails) {
      const { status } = await app.call('post', '/v1/signup', {
        body: { name: 'Test', email, password: 'an unusual pass phrase' },
      })
      expect(status).toBe(201)
    }
    const seen: string[] = []
    let after = ''
    for (let page = 0; page < 100; page++) {
      const query = new URLSearchParams({ after, limit: '3' }).toString()
      const { body } = await app.operate('get', `/operator/accounts?${query}`)
      if (body.accounts.length === 0) break
      for (const { email } of body.accounts as { email: string }[]) seen.push(email)
      after = seen.at(-1) ?? ''
    }

    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(emails))
  })

  test('changes the plan with effect on the next request, counters untouched', async () => {
    const { key, email } = await app.signUp()
    for (let i = 0; i < 5; i++) await echo(key)
    expect((await echo(key)).status).toBe(429)
    const { status, body } = await app.operate('put', accountPath(email, '/plan'), { plan: 'pro' })

    const upgraded = await echo(key)
    await app.operate('put', accountPath(email, '/plan'), { plan: 'free' })
    const downgraded = await echo(key)

    expect([status, body.plan]).toEqual([200, 'pro'])
    expect([upgraded.status, upgraded.headers['x-ratelimit-remaining']]).toEqual([200, '44'])
    expect([downgraded.status, downgraded.headers['x-ratelimit-remaining']]).toEqual([429, '0'])
  })

  test('suspends with effect on the next request of every key and session, and resumes', async () => {
    const { key, email, password } = await app.signUp()
    const { token } = (await app.call('post', '/v1/account/sessions', { body: { email, password } })).body
      .data
    const other = (await app.call('post', '/v1/account/keys', { key, body: { name: 'b' } })).body.data.apiKey
    await echo(key)
    const { body } = await app.operate('put', accountPath(email, '/suspended'), { suspended: true })

    const answers = [
      await echo(key),
      await echo(other),
      await app.call('get', '/v1/account', { session: token }),
    ]

    expect(body.suspendedAt).toMatch(/Z$/)
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    await app.operate('put', accountPath(email, '/suspended'), { suspended: false })
    expect([(await echo(key)).status, (await echo(other)).status]).toEqual([200, 200])
  })

  test('revokes one key with effect on the next request, even the last one, and again without effect', async () => {
    const { key } = await app.signUp()
    await echo(key)
    const path = `/operator/keys/key_${key.slice(9, 23)}`
    const first = await app.operate('delete', path)
    const after = await echo(key)
    const second = await app.operate('delete', path)

    expect([first.status, after.status, after.body.code, second.status]).toEqual([
      200,
      401,
      'revoked_api_key',
      200,
    ])
    expect(second.body.keys[0].revokedAt).toBe(first.body.keys[0].revokedAt)
  })

  test.each<[string, string, object | undefined, number]>([
    ['get', '/operator/accounts/nobody%40example.com', undefined, 404],
    ['get', '/operator/accounts/nobody', undefined, 400],
    ['get', '/operator/accounts/%00', undefined, 400],
    ['get', '/operator/accounts/%', undefined, 400],
    ['put', '/operator/accounts/nobody%40example.com/plan', { plan: 'pro' }, 404],
    ['put', '/operator/accounts/nobody%40example.com/plan', { plan: 'gold' }, 400],
    ['put', '/operator/accounts/nobody%40example.com/plan', { plan: 'constructor' }, 400],
    ['put', '/operator/accounts/nobody%40example.com/plan', {}, 400],
    ['put', '/operator/accounts/nobody%40example.com/suspended', { suspended: 'yes' }, 400],
    ['delete', '/operator/keys/key_00000000000000', undefined, 404],
    ['delete', '/operator/keys/nonsense', undefined, 404],
    ['get', '/operator/accounts?limit=0', undefined, 400],
    ['get', '/operator/accounts?limit=1001', undefined, 400],
    ['get', '/operator/accounts?after=%00', undefined, 400],
    ['get', '/operator/nothing', undefined, 404],
    ['post', '/operator/accounts', undefined, 405],
  ])('answers %s %s %j with %d', async (method, path, body, expected) => {
    const { status, headers } = await app.operate(method, path, body)

    expect(status).toBe(expected)
    if (expected >= 400) expect(headers['content-type']).toContain('application/problem+json')
  })

  test('is not mounted on the public port', async () => {
    const { key } = await app.signUp()

    expect((await app.call('get', '/operator/accounts', { key })).status).toBe(404)
  })
})

describe('the operator token', () => {
  const tokens = ['present-token-present-token-present', 'former-token-former-token-former-to']
  const app = createHttpApp({
    ...{ log: silent, publicUrl: '', trustProxy: 0 },
    limitHeaders: () => [],
    settle: () => undefined,
  })
  mountOperator(app, { plans: {} } as AccountContext, tokens) // no request of these tests reaches the accounts
  closeHttpApp(app)
  const paths = [
    '/operator/accounts',
    '/operator/accounts/a',
    '/operator/keys/a',
    '/operator/nothing',
    '/operator',
  ]

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['without its scheme', tokens[0]],
    ['of another scheme', `Basic ${tokens[0]}`],
    ['wrong', 'Bearer wrong'],
    ['cut', `Bearer ${tokens[0]?.slice(0, -1)}`],
    ['too long', `Bearer ${tokens[0]}x`],
    ['in other case', `Bearer ${tokens[0]?.toUpperCase()}`],
    ['two tokens', `Bearer ${tokens.join(', ')}`],
    ['64 KB', `Bearer ${'x'.repeat(7_000)}`],
  ])('%s opens nothing, not even the knowledge of what exists', async (_what, authorization) => {
    for (const path of paths) {
      const sent = supertest(app).get(path)
      const { status, body, headers } = await (authorization === undefined
        ? sent
        : sent.set('Authorization', authorization))

      expect([status, body.code]).toEqual([401, 'operator_token_required'])
      expect(headers['www-authenticate']).toBe('Bearer realm="operator"')
      expect(JSON.stringify(body)).not.toContain('token-')
    }
  })

  test.each(tokens)('is any of those that are listed: %s', async (token) => {
    const { status } = await supertest(app).get('/operator/nothing').set('Authorization', `Bearer ${token}`)

    expect(status).toBe(404)
  })
})
