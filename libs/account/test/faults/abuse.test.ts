import { size } from '@hearth/infra/campaign'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { sql } from 'kysely'
import { makeKey, parseKey, randomBase62 } from '../../src/keys.ts'
import { newAddress, type TestApp, type TestRequest } from '../../testing/test-app.ts'
import { startEcho } from '../echo-service.ts'

import.meta.jest.setTimeout(size(60_000, 1_200_000))

const text = { text: 'a' }

describe('keys that nobody has', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ settings: { failedAuthPerMinute: 0 } })
  })
  afterAll(() => app.close())

  test('are never made twice, and every one of them is well formed (T32)', () => {
    const seen = new Set<string>()
    const count = size(100_000, 1_000_000)
    for (let i = 0; i < count; i++) {
      const name = { service: 'slr', tag: randomBase62(10), selector: randomBase62(4) } as const
      const key = makeKey(name, randomBase62(32))
      if (i % 100 === 0) expect(parseKey(key)).toEqual(name)
      seen.add(key.slice(23, 55)) // the secret
    }
    expect(seen.size).toBe(count)
  })

  test('are refused without a look at the database when their form or checksum is wrong (T32)', async () => {
    const { key } = await app.signUp()
    const broken = () => {
      const at = 9 + ((randomBytes(1)[0] ?? 0) % 52)
      const other = key[at] === 'a' ? 'b' : 'a'
      return key.slice(0, at) + other + key.slice(at + 1)
    }
    const random = () => `slr_live_${randomBase62(52)}`
    // Without the function every look-up fails, and so shows.
    await sql`alter function pass_gate rename to away`.execute(app.database.db)

    const counts: Record<number, number> = {}
    for (let i = 0; i < size(40, 2_000); i++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, one) =>
          app.call('post', '/v1/echo', { key: one % 2 === 0 ? broken() : random(), body: text }),
        ),
      )
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    }
    await sql`alter function away rename to pass_gate`.execute(app.database.db)

    expect(counts).toEqual({ 401: size(2_000, 100_000) })
  })
})

describe('credentials in places where none belong', () => {
  test('are not looked for: cookies, bodies and other headers (T57)', async () => {
    const app = await startEcho()
    try {
      const { key } = await app.signUp()
      const requests: TestRequest[] = [
        { headers: { Cookie: `api_key=${key}; X-API-Key=${key}` } },
        { headers: { 'X-Auth-Token': key } },
        { headers: { 'X-Api-Token': key, 'Proxy-Authorization': `Bearer ${key}` } },
        { body: { ...text, apiKey: key } },
        { body: { ...text, key, token: key } },
      ]
      for (const request of requests) {
        const { status, body } = await app.call('post', '/v1/echo', { body: text, ...request })
        expect([status, body.code]).toEqual([401, 'missing_api_key'])
        expect(JSON.stringify(body)).not.toContain(key)
      }
      const { status } = await app.call('post', '/v1/echo', {
        headers: { 'X-API-Key': 'k'.repeat(7_000) },
        body: text,
      })
      expect(status).toBe(401)
    } finally {
      await app.close()
    }
  })
})

describe('fields that no body has', () => {
  const secret = { plan: 'big', role: 'admin', isAdmin: true, id: 'acc_x', tag: 'x', accountId: 'acc_x' }
  const smuggled = [
    ...Object.entries({
      ...secret,
      createdAt: '2000-01-01T00:00:00Z',
      suspendedAt: null,
      version: 99,
      features: ['extra'],
    }),
    ['counted_in', 'postgres'],
    ['constructor', { prototype: { polluted: true } }],
  ] as [string, unknown][]

  test('are refused everywhere, change nothing, and reach no prototype (T53)', async () => {
    const app = await startEcho({ settings: { signupsPerHour: 0 } })
    try {
      const account = await app.signUp()
      const { email, password, key } = account
      const session: string = (await app.call('post', '/v1/account/sessions', { body: { email, password } }))
        .body.data.token
      const bodies = (extra: object) => [
        app.call('post', '/v1/signup', { body: { name: 'Eve', email: `eve-${email}`, password, ...extra } }),
        app.call('post', '/v1/account/sessions', { body: { email, password, ...extra } }),
        app.call('post', '/v1/account/keys', { key, body: { name: 'b', ...extra } }),
        app.call('put', '/v1/account/password', { session, body: { password: `${password}!`, ...extra } }),
        app.call('post', '/v1/echo', { key, body: { ...text, ...extra } }),
      ]
      const rows = async () => ({
        account: await app.database.db
          .selectFrom('account')
          .selectAll()
          .where('tag', '=', account.tag)
          .execute(),
        accounts: await app.database.db.selectFrom('account').select('tag').execute(),
        keys: await app.database.db.selectFrom('api_key').select(['tag', 'selector', 'name']).execute(),
      })
      const before = await rows()

      for (const [name, value] of smuggled) {
        const answers = await Promise.all(bodies({ [name]: value }))
        expect([name, answers.map(({ status }) => status)]).toEqual([name, [400, 400, 400, 400, 400]])
      }
      // JSON.stringify leaves __proto__ out, so it is sent as text.
      const raw = `{"name":"Eve","email":"eve@example.com","password":"${password}","__proto__":{"polluted":true,"plan":"big"}}`
      const answer = await sendText(app, raw)
      expect(answer).toBe(400)

      expect(await rows()).toEqual(before)
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    } finally {
      await app.close()
    }
  })
})

describe('guessing passwords', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ settings: { signupsPerHour: 5, failedAuthPerMinute: 0 } })
  })
  afterAll(() => app.close())

  const signIn = (email: string, password: string, address: string) =>
    app.call('post', '/v1/account/sessions', { address, body: { email, password } })
  const statusesOf = (answers: readonly { readonly status: number }[]) => {
    const counts: Record<number, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  test.each<[string, (at: number) => string]>([
    ['one address', () => '198.51.100.7'],
    ['one /56 of IPv6', (at) => `2001:db8:77:${(at % 256).toString(16).padStart(2, '0')}::${at + 1}`],
    ['forged addresses in front of one', (at) => `10.9.${at % 250}.${at % 199}, 198.51.100.8`],
  ])('from %s is stopped after ten, however many come at once (T56)', async (_where, address) => {
    const { email } = await app.signUp()
    const answers: { readonly status: number }[] = []
    for (let from = 0; from < size(200, 1_000); from += 20) {
      const wave = Array.from({ length: 20 }, (_, i) => signIn(email, 'not the password', address(from + i)))
      answers.push(...(await Promise.all(wave)))
    }

    expect(statusesOf(answers)).toEqual({ 401: 10, 429: answers.length - 10 })
  })

  test('is not helped by the parser of forwarded addresses: it is one without known faults (T56)', () => {
    const ofExpress = createRequire(createRequire(import.meta.url).resolve('express'))
    const manifest = readFileSync(ofExpress.resolve('proxy-addr/package.json'), 'utf8')
    const { version } = JSON.parse(manifest) as { version: string }
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(2_000_008)
  })

  test('from many addresses together is slowed to one each, and does not lock the owner out (T56)', async () => {
    const { email, password } = await app.signUp()
    const unknown = `${randomBase62(12)}@example.com`
    const guess = async (at: string) => {
      const waves: { readonly status: number }[] = []
      for (let i = 0; i < 11; i++) {
        const address = newAddress()
        for (let attempt = 0; attempt < 10; attempt++)
          waves.push(await signIn(at, 'not the password', address))
      }
      return statusesOf(waves)
    }

    const [guesses, strangers] = [await guess(email), await guess(unknown)]
    const owner = await signIn(email, password, newAddress())

    // Of the eleventh address only the first guess is looked at: 100 have failed before it.
    expect(guesses).toEqual({ 401: 101, 429: 9 })
    expect(strangers).toEqual(guesses)
    expect(owner.status).toBe(201)
  })

  test('signups from one bucket are five an hour, whatever they forge (T56)', async () => {
    const signUp = (i: number) =>
      app.call('post', '/v1/signup', {
        address: `10.8.${i % 250}.1, 198.51.100.9`,
        body: { name: 'Ann', email: `${randomBase62(12)}@example.com`, password: 'an unusual pass phrase' },
      })
    const answers: { readonly status: number }[] = []
    for (let i = 0; i < 100; i += 10) {
      answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, one) => signUp(i + one)))))
    }

    expect(statusesOf(answers)).toEqual({ 201: 5, 429: 95 })
  })
})

async function sendText(app: TestApp, body: string): Promise<number> {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('The app does not listen.')
  const response = await fetch(`http://127.0.0.1:${address.port}/v1/signup`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body },
  })
  await response.arrayBuffer()
  return response.status
}
