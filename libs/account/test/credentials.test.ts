import { makeKey, randomBase62 } from '../src/keys.ts'
import { newAddress, type TestApp, type TestRequest } from '../testing/test-app.ts'
import { bearerDeployment, startEcho } from './echo-service.ts'

const text = { text: 'a' }

describe('credentials where keys come in X-API-Key', () => {
  let app: TestApp
  let key: string
  let other: string
  let keys: Record<'revoked' | 'expired' | 'session', string>
  beforeAll(async () => {
    app = await startEcho()
    const account = await app.signUp('big')
    key = account.key
    other = (await app.signUp()).key
    keys = await badKeys(app, account)
  })
  afterAll(() => app.close())

  const unknown = () => makeKey({ service: 'slr', tag: randomBase62(10), selector: '0000' }, randomBase62(32))
  const foreign = () => makeKey({ service: 'wfr', tag: randomBase62(10), selector: '0000' }, randomBase62(32))
  const stolenName = () =>
    makeKey({ service: 'slr', tag: key.slice(9, 19), selector: key.slice(19, 23) }, randomBase62(32))

  test.each<[string, () => TestRequest, string, RegExp]>([
    ['none', () => ({}), 'missing_api_key', /X-API-Key: KEY.*Sign up at POST \/v1\/signup/],
    ['an empty header', () => ({ headers: { 'X-API-Key': '' } }), 'missing_api_key', /X-API-Key/],
    ['text that is no key', () => ({ key: 'abc' }), 'malformed_api_key', /61 characters/],
    ['a key with a typing error', () => ({ key: typo(key) }), 'malformed_api_key', /checksum/],
    ['a key in quotes', () => ({ key: `"${key}"` }), 'malformed_api_key', /quotes/],
    ['a key of 7 KB', () => ({ key: key.repeat(115) }), 'malformed_api_key', /61 characters/],
    ['Bearer within X-API-Key', () => ({ key: `Bearer ${key}` }), 'malformed_api_key', /malformed/],
    ['an unknown key', () => ({ key: unknown() }), 'invalid_api_key', /not one of this service/],
    [
      'a key with the name of another and another secret',
      () => ({ key: stolenName() }),
      'invalid_api_key',
      /not one/,
    ],
    ['a revoked key', () => ({ key: keys.revoked }), 'revoked_api_key', /revoked by rotation or deletion/],
    ['an expired key', () => ({ key: keys.expired }), 'expired_api_key', /has expired/],
    ['a key of another deployment', () => ({ key: foreign() }), 'invalid_api_key', /another deployment/],
    [
      'the key as Bearer',
      () => ({ session: key }),
      'missing_api_key',
      /came in Authorization.*X-API-Key: KEY/,
    ],
    ['the key as Basic', () => authorization(basic(key)), 'missing_api_key', /scheme is not one/],
    ['the key without a scheme', () => authorization(key), 'missing_api_key', /scheme is not one/],
    [
      'a session',
      () => ({ session: keys.session }),
      'missing_api_key',
      /session opens the account endpoints only/,
    ],
    ['a session in X-API-Key', () => ({ key: keys.session }), 'malformed_api_key', /malformed/],
  ])(
    '%s: 401 on a metered endpoint, with a challenge and a hint (T57)',
    async (_what, request, code, hint) => {
      const { status, body, headers } = await app.call('post', '/v1/echo', { body: text, ...request() })

      expect([status, body.code]).toEqual([401, code])
      expect(body.detail).toMatch(hint)
      expect(headers['www-authenticate']).toBe('ApiKey realm="test"')
      expect(JSON.stringify(body)).not.toContain(key)
    },
  )

  test.each(['api_key', 'apikey', 'api-key', 'key', 'token', 'access_token', 'X-API-Key'])(
    'a key in the query string as %s is refused with the advice to rotate it (T57)',
    async (name) => {
      const { status, body } = await app.call('get', `/v1/extra?${name}=${key}`)

      expect([status, body.code]).toEqual([401, 'missing_api_key'])
      expect(body.detail).toMatch(/query string are refused.*rotate/)
      expect(JSON.stringify(body)).not.toContain(key)
    },
  )

  test('a key in the query string is refused beside the same key in its header, too (T57)', async () => {
    const { status, body } = await app.call('get', `/v1/extra?api_key=${key}`, { key })

    expect([status, body.code]).toEqual([401, 'missing_api_key'])
    expect(body.detail).toMatch(/query string are refused.*rotate/)
  })

  test('a key in the query string beside another one in its header: 400 (T57)', async () => {
    const { status, body } = await app.call('get', `/v1/extra?api_key=${other}`, { key })

    expect([status, body.code]).toEqual([400, 'ambiguous_credentials'])
  })

  test('a bearer token of somebody else beside a good key is not our business', async () => {
    const { status } = await app.call('post', '/v1/echo', { body: text, key, session: 'gatewaytoken' })

    expect(status).toBe(200)
  })

  test.each<[string, () => TestRequest]>([
    ['in two headers', () => ({ key, session: other })],
    ['in one header twice', () => ({ headers: { 'X-API-Key': `${key}, ${other}` } })],
    ['of which one is malformed', () => ({ key, session: 'slr_live_abc' })],
  ])('two different keys %s: 400 (T57)', async (_where, request) => {
    const { status, body } = await app.call('post', '/v1/echo', { body: text, ...request() })

    expect([status, body.code]).toEqual([400, 'ambiguous_credentials'])
  })

  test.each<[string, () => TestRequest]>([
    ['once', () => ({ key })],
    ['twice in one header', () => ({ headers: { 'X-API-Key': `${key}, ${key}` } })],
    ['in both headers', () => ({ key, session: key })],
    ['with spaces around it', () => ({ headers: { 'X-API-Key': `  ${key}  ` } })],
    ['in a header written in small letters', () => ({ headers: { 'x-api-key': key } })],
    ['beside a session', () => ({ key, session: keys.session })],
  ])('the key %s is accepted (T57)', async (_how, request) => {
    expect((await app.call('post', '/v1/echo', { body: text, ...request() })).status).toBe(200)
  })

  test.each<[string, () => TestRequest]>([
    ['nothing', () => ({})],
    ['a session that is not valid', () => ({ session: 'a.b.c' })],
    ['a malformed key', () => ({ key: 'abc' })],
  ])('%s opens no account endpoint and no session endpoint', async (_what, request) => {
    const answers = await Promise.all([
      app.call('get', '/v1/account', request()),
      app.call('delete', '/v1/account', request()),
      app.call('post', '/v1/account/keys/rotate', request()),
    ])

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
  })

  test('a session beside a key opens what only a session opens', async () => {
    const account = await app.signUp()
    const { email, password } = account
    const { token } = (await app.call('post', '/v1/account/sessions', { body: { email, password } })).body
      .data

    const { status } = await app.call('delete', '/v1/account', { key: account.key, session: token })

    expect(status).toBe(200)
  })

  test('a session beside a key that is none opens nothing', async () => {
    const { email, password, key: good } = await app.signUp()
    const { token } = (await app.call('post', '/v1/account/sessions', { body: { email, password } })).body
      .data

    const answers = await Promise.all(
      [`${good.slice(0, -1)}?`, good.replace('slr_', 'wfr_')].map((wrong) =>
        app.call('delete', '/v1/account', { key: wrong, session: token }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([401, 401])
    expect((await app.call('get', '/v1/account', { key: good })).status).toBe(200)
  })

  test('unknown paths are for key holders: 401 without, 404 with a key', async () => {
    const [without, withKey] = [
      await app.call('get', '/v1/nothing'),
      await app.call('get', '/v1/nothing', { key }),
    ]

    expect([without.body.code, withKey.body.code]).toEqual(['missing_api_key', 'not_found'])
  })

  test('a wrong method on a public path is told without a key', async () => {
    const { status, headers } = await app.call('get', '/v1/signup')

    expect([status, headers['allow']]).toEqual([405, 'OPTIONS, POST'])
  })

  test('pages outside /v1 need no key and count nowhere', async () => {
    const address = newAddress()
    for (let i = 0; i < 70; i++) await app.call('get', '/livez', { address })

    expect((await app.call('get', '/livez', { address })).headers['x-ratelimit-remaining']).toBe('60')
  })
})

describe('credentials where keys come in Authorization', () => {
  let app: TestApp
  let key: string
  let keys: Record<'revoked' | 'expired' | 'session', string>
  beforeAll(async () => {
    app = await startEcho({}, bearerDeployment)
    const account = await app.signUp('big')
    key = account.key
    keys = await badKeys(app, account)
  })
  afterAll(() => app.close())

  const invalid = 'Bearer realm="bearer", error="invalid_token"'
  test.each<[string, () => TestRequest, string, RegExp, string]>([
    ['none', () => ({}), 'missing_api_key', /Authorization: Bearer KEY/, 'Bearer realm="bearer"'],
    ['a malformed key', () => ({ key: 'abc' }), 'malformed_api_key', /checksum/, invalid],
    ['a revoked key', () => ({ key: keys.revoked }), 'revoked_api_key', /revoked/, invalid],
    ['an expired key', () => ({ key: keys.expired }), 'expired_api_key', /expired/, invalid],
    [
      'the key in X-API-Key',
      () => ({ headers: { 'X-API-Key': key } }),
      'missing_api_key',
      /came in X-API-Key.*Bearer KEY/,
      'Bearer realm="bearer"',
    ],
    [
      'the key as Basic',
      () => authorization(basic(key)),
      'missing_api_key',
      /scheme is not one/,
      'Bearer realm="bearer"',
    ],
    [
      'a session',
      () => ({ session: keys.session }),
      'missing_api_key',
      /session opens the account/,
      'Bearer realm="bearer"',
    ],
  ])('%s: 401 with a challenge and a hint', async (_what, request, code, hint, challenge) => {
    const { status, body, headers } = await app.call('post', '/v1/echo', { body: text, ...request() })

    expect([status, body.code]).toEqual([401, code])
    expect(body.detail).toMatch(hint)
    expect(headers['www-authenticate']).toBe(challenge)
  })

  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('the scheme may be written %j', async (scheme) => {
    expect(
      (await app.call('post', '/v1/echo', { body: text, ...authorization(`${scheme} ${key}`) })).status,
    ).toBe(200)
  })

  test('the key in both headers is accepted, two different ones are not', async () => {
    const both = { headers: { 'X-API-Key': key }, key, body: text }
    const different = { headers: { 'X-API-Key': typo(key) }, key, body: text }

    expect((await app.call('post', '/v1/echo', both)).status).toBe(200)
    expect((await app.call('post', '/v1/echo', different)).body.code).toBe('ambiguous_credentials')
  })
})

const authorization = (value: string): TestRequest => ({ headers: { Authorization: value } })
const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`

/** The key with its last character changed. */
function typo(key: string): string {
  return key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
}

/** A revoked key, an expired one, and a session of the same account. */
async function badKeys(
  app: TestApp,
  { key, email, password }: { key: string; email: string; password: string },
) {
  const make = async (body: object) =>
    (await app.call('post', '/v1/account/keys', { key, body: { name: 'bad', ...body } })).body.data
  const revoked = await make({})
  await app.call('delete', `/v1/account/keys/${revoked.id}`, { key })
  const expired = await make({ expiresAt: new Date(Date.now() + 60_000).toISOString() })
  await app.database.db
    .updateTable('api_key')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('selector', '=', String(expired.apiKey).slice(19, 23))
    .execute()
  const session = await app.call('post', '/v1/account/sessions', { body: { email, password } })
  return { revoked: revoked.apiKey, expired: expired.apiKey, session: session.body.data.token }
}
