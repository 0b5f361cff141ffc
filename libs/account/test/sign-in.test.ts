import argon2 from 'argon2'
import jwt from 'jsonwebtoken'
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { argon2Hasher, needsRehash } from '../src/argon2-hasher.ts'
import { createSessions } from '../src/sessions.ts'
import { newAddress, testSettings, type TestApp } from '../testing/test-app.ts'
import { bearerDeployment, echoDeployment, startEcho } from './echo-service.ts'

const [secret = ''] = testSettings.sessionSecrets
const { privateKey: ownKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

describe.each([
  ['X-API-Key', echoDeployment],
  ['Authorization', bearerDeployment],
])('a session, where keys come in %s', (_header, deployment) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({}, deployment)
  })
  afterAll(() => app.close())

  const signIn = (email: string, password: string, address?: string) =>
    app.call('post', '/v1/account/sessions', { body: { email, password }, ...(address && { address }) })
  const session = async ({ email, password }: { email: string; password: string }) =>
    (await signIn(email, password)).body.data.token as string

  test('lasts 15 minutes and is not cached', async () => {
    app.now = Date.UTC(2026, 10, 20, 12)
    const account = await app.signUp()
    const { status, body, headers } = await signIn(account.email, account.password)

    expect(status).toBe(201)
    expect(body.data.expiresAt).toBe('2026-11-20T12:15:00.000Z')
    expect(headers['cache-control']).toBe('no-store')
    app.now += 15 * 60_000 - 1000
    expect((await app.call('get', '/v1/account', { session: body.data.token })).status).toBe(200)
    app.now += 1000
    expect((await app.call('get', '/v1/account', { session: body.data.token })).status).toBe(401)
    app.now = undefined
  })

  test('opens the account endpoints and nothing that is metered or needs a key', async () => {
    const token = await session(await app.signUp())
    const opened = ['/v1/account', '/v1/account/keys', '/v1/account/usage']

    const answers = await Promise.all(opened.map((path) => app.call('get', path, { session: token })))
    const echo = await app.call('post', '/v1/echo', { session: token, body: { text: 'a' } })
    const rotate = await app.call('post', '/v1/account/keys/rotate', { session: token })

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect([echo.status, echo.body.code]).toEqual([401, 'missing_api_key'])
    expect([rotate.status, rotate.body.code]).toEqual([401, 'missing_api_key'])
    expect(echo.body.detail).toContain('session')
  })

  test('marks no key as current and makes a key when the only one is lost (T31)', async () => {
    const account = await app.signUp()
    const token = await session(account)
    const made = await app.call('post', '/v1/account/keys', { session: token, body: { name: 'new' } })
    const { body } = await app.call('get', '/v1/account/keys', { session: token })
    const keys: { current: boolean }[] = body.data.keys

    expect(made.status).toBe(201)
    expect((await app.call('get', '/v1/account', { key: made.body.data.apiKey })).status).toBe(200)
    expect(keys.map(({ current }) => current)).toEqual([false, false])
  })

  test('is opened by the address in any spelling', async () => {
    const { email, password } = await app.signUp()

    expect((await signIn(` ${email.toUpperCase()} `, password)).status).toBe(201)
  })

  test('is refused in one and the same way to a wrong password and an unknown address', async () => {
    const account = await app.signUp()
    const wrong = await signIn(account.email, 'not the password')
    const unknown = await signIn('nobody@example.com', 'not the password')

    expect([wrong.status, unknown.status]).toEqual([401, 401])
    const anonymous = ({ requestId: _, ...rest }: Record<string, unknown>) => rest
    expect(anonymous(wrong.body)).toEqual(anonymous(unknown.body))
    expect(wrong.body.code).toBe('invalid_credentials')
    expect(wrong.headers['www-authenticate']).toBe(unknown.headers['www-authenticate'])
    expect(Object.keys(wrong.headers)).toEqual(Object.keys(unknown.headers))
  })

  test('takes as long to be refused to an unknown address as to a wrong password (T55)', async () => {
    const account = await app.signUp()
    const times: Record<'wrong' | 'unknown', number[]> = { wrong: [], unknown: [] }
    for (let i = 0; i < 30; i++) {
      times.wrong.push(await milliseconds(() => signIn(account.email, 'not the password')))
      times.unknown.push(await milliseconds(() => signIn(`nobody${i}@example.com`, 'not the password')))
    }

    const ratio = median(times.unknown) / median(times.wrong)
    expect(ratio).toBeGreaterThan(1 / 3)
    expect(ratio).toBeLessThan(3)
  })

  test('ends with a change of the password; the answer brings a new one, and keys go on', async () => {
    const account = await app.signUp()
    const [first, second] = [await session(account), await session(account)]
    const changed = await app.call('put', '/v1/account/password', {
      session: first,
      body: { password: 'another pass phrase' },
    })

    const statusOf = async (token: string) =>
      (await app.call('get', '/v1/account', { session: token })).status
    expect(changed.status).toBe(200)
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401])
    expect(await statusOf(changed.body.data.token)).toBe(200)
    expect((await app.call('get', '/v1/account', { key: account.key })).status).toBe(200)
    expect((await signIn(account.email, account.password)).status).toBe(401)
    expect((await signIn(account.email, 'another pass phrase')).status).toBe(201)
  })

  test('does not change the password to a weak one', async () => {
    const account = await app.signUp()
    const token = await session(account)
    for (const password of ['short', 'password', account.email]) {
      const { status, body } = await app.call('put', '/v1/account/password', {
        session: token,
        body: { password },
      })

      expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/password'])
    }
    expect((await signIn(account.email, account.password)).status).toBe(201)
    expect((await app.call('get', '/v1/account', { session: token })).status).toBe(200)
  })

  test('is needed to change the password and to delete the account: a key is not enough', async () => {
    const { key } = await app.signUp()
    const change = await app.call('put', '/v1/account/password', {
      key,
      body: { password: 'another pass phrase' },
    })
    const remove = await app.call('delete', '/v1/account', { key })

    expect([change.status, change.body.code]).toEqual([401, 'invalid_credentials'])
    expect([remove.status, remove.body.code]).toEqual([401, 'invalid_credentials'])
    expect((await app.call('get', '/v1/account', { key })).status).toBe(200)
  })

  test('is refused after ten wrong passwords in a quarter of an hour from one address (T56)', async () => {
    const account = await app.signUp()
    const address = newAddress()
    app.now = Date.UTC(2026, 10, 20, 12)
    const statuses: number[] = []
    for (let i = 0; i < 11; i++)
      statuses.push((await signIn(account.email, 'not the password', address)).status)
    const right = await signIn(account.email, account.password, address)
    const elsewhere = await signIn(account.email, account.password)
    app.now += 15 * 60_000
    const later = await signIn(account.email, account.password, address)
    app.now = undefined

    expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
    expect(right.body).toMatchObject({ code: 'rate_limited', 'violated-policies': ['sign-in'], limit: 10 })
    expect([elsewhere.status, later.status]).toEqual([201, 201])
  })

  test('may be opened any number of times with the right password', async () => {
    const account = await app.signUp()
    const address = newAddress()
    const statuses = []
    for (let i = 0; i < 13; i++)
      statuses.push((await signIn(account.email, account.password, address)).status)

    expect(statuses).toEqual(Array<number>(13).fill(201))
  })

  describe('forged or damaged', () => {
    let tag: string
    let token: string
    beforeAll(async () => {
      const account = await app.signUp()
      tag = account.tag
      token = await session(account)
    })
    const statusOf = async (forged: string) => {
      const { status, body, headers } = await app.call('get', '/v1/account', { session: forged })
      if (status !== 200) {
        expect(body.code).toBe('invalid_credentials')
        expect(headers['www-authenticate']).toBe(`Bearer realm="${deployment.name}", error="invalid_token"`)
      }
      return status
    }
    const now = Math.floor(Date.now() / 1000)
    const claims = () => ({
      ...{ sv: 1, iat: now, exp: now + 600, iss: deployment.name, aud: 'account', sub: tag },
    })
    const signed = (changes: object, options: jwt.SignOptions = {}, key = secret) =>
      jwt.sign(clean({ ...claims(), ...changes }), key, { algorithm: 'HS256', ...options })

    test('is not what the service itself would make: the forger of these tests is able', async () => {
      expect(await statusOf(token)).toBe(200)
      expect(await statusOf(signed({}))).toBe(200)
    })

    test.each([
      ['signed with another secret', () => signed({}, {}, randomBytes(32).toString('base64'))],
      ['signed with an empty secret', () => sign({ alg: 'HS256', typ: 'JWT' }, claims(), '')],
      ['with the algorithm none', () => jwt.sign(claims(), '', { algorithm: 'none' })],
      ['with the algorithm None and a signature', () => sign({ alg: 'None' }, claims(), secret)],
      ['with the algorithm HS512', () => signed({}, { algorithm: 'HS512' })],
      ['with the algorithm RS256', () => jwt.sign(claims(), ownKey, { algorithm: 'RS256' })],
      ['expired', () => signed({ exp: now - 1 })],
      ['without an expiry', () => signed({ exp: undefined })],
      ['not valid yet', () => signed({ nbf: now + 60 })],
      ['of another issuer', () => signed({ iss: 'other' })],
      ['without an issuer', () => signed({ iss: undefined })],
      ['for another audience', () => signed({ aud: 'other' })],
      ['without an audience', () => signed({ aud: undefined })],
      ['without a subject', () => signed({ sub: undefined })],
      ['of an account that does not exist', () => signed({ sub: 'nobodyhere' })],
      ['with SQL for a subject', () => signed({ sub: "' or '1'='1" })],
      ['of another session version', () => signed({ sv: 2 })],
      ['with text for a session version', () => signed({ sv: '1' })],
      ['without a session version', () => signed({ sv: undefined })],
      ['with a kid that names a file', () => sign({ alg: 'HS256', kid: '/dev/null' }, claims(), '')],
      ['with a kid that is SQL', () => sign({ alg: 'HS256', kid: "x' union select ''" }, claims(), '')],
      ['with a key of its own', () => sign({ alg: 'HS256', jwk: { kty: 'oct', k: '' } }, claims(), '')],
      ['without a signature', () => `${token.split('.').slice(0, 2).join('.')}.`],
      ['with a fourth part', () => `${token}.x`],
      ['of dots', () => '...'],
      ['cut', () => token.slice(0, -3)],
    ])('is refused: %s (T54)', async (_what, forge) => {
      expect(await statusOf(forge())).toBe(401)
    })

    test('is refused after the change of any single bit (T54)', () => {
      const sessions = createSessions(deployment.name, [secret], Date.now)
      const bytes = Buffer.from(token)
      const accepted: string[] = []
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const text = changed.toString('latin1')
        if (sessions.read(text) !== undefined) accepted.push(text)
      }

      expect(sessions.read(token)).toEqual({ tag, version: 1 })
      expect([bytes.length * 8 >= 1_000, accepted]).toEqual([true, []])
    })

    test('is refused at a length that a header cannot have and the library does not parse (T54)', () => {
      const sessions = createSessions(deployment.name, [secret], Date.now)

      expect(sessions.read(`${'a'.repeat(2 ** 20)}.b.c`)).toBeUndefined()
      expect(sessions.read(signed({ padding: 'x'.repeat(2000) }))).toBeUndefined()
    })
  })
})

describe('a password whose hash was made with weaker parameters', () => {
  const hook = { meanwhile: () => Promise.resolve() }
  const hash = async (password: string) => {
    await hook.meanwhile()
    return argon2Hasher.hash(password)
  }
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ hasher: { ...argon2Hasher, hash } })
  })
  afterAll(() => app.close())
  afterEach(() => {
    hook.meanwhile = () => Promise.resolve()
  })

  const weak = { memoryCost: 8192, timeCost: 2, parallelism: 1 }
  const store = (tag: string, password_hash: string) =>
    app.database.db.updateTable('account').set({ password_hash }).where('tag', '=', tag).execute()
  const stored = (tag: string) =>
    app.database.db
      .selectFrom('account')
      .select('password_hash')
      .where('tag', '=', tag)
      .executeTakeFirstOrThrow()
  const signIn = async (email: string, password: string) =>
    (await app.call('post', '/v1/account/sessions', { body: { email, password } })).status

  test('is hashed anew at sign-in', async () => {
    const { email, password, tag } = await app.signUp()
    await store(tag, await argon2.hash(password, weak))

    expect(await signIn(email, password)).toBe(201)
    expect(needsRehash((await stored(tag)).password_hash)).toBe(false)
    expect(await signIn(email, password)).toBe(201)
  })

  test('does not come back when it is changed while it is hashed anew', async () => {
    const { email, password, tag } = await app.signUp()
    await store(tag, await argon2.hash(password, weak))
    const changed = await argon2Hasher.hash('another pass phrase')
    hook.meanwhile = async () => {
      await store(tag, changed)
    }

    await signIn(email, password)

    expect(await stored(tag)).toEqual({ password_hash: changed })
    expect(await signIn(email, password)).toBe(401)
  })
})

describe('session secrets', () => {
  const [old, present] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  const session = { tag: 'abcdefghij', version: 3 }

  test('are accepted as long as they are listed; the first one signs (T54)', () => {
    const { token } = createSessions('test', [old], Date.now).issue(session)

    const rotating = createSessions('test', [present, old], Date.now)
    const after = createSessions('test', [present], Date.now)
    expect(rotating.read(token)).toEqual(session)
    expect(after.read(token)).toBeUndefined()
    expect(after.read(rotating.issue(session).token)).toEqual(session)
  })

  test('are required', () => {
    expect(() => createSessions('test', [], Date.now)).toThrow(RangeError)
  })

  test('sign for one deployment only', () => {
    const { token } = createSessions('test', [old], Date.now).issue(session)

    expect(createSessions('other', [old], Date.now).read(token)).toBeUndefined()
  })
})

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function clean(claims: object): object {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

/** A token with any header, signed with HMAC-SHA-256. */
function sign(header: object, claims: object, key: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const body = `${encode(header)}.${encode(claims)}`
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`
}
