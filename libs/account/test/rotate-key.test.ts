import { randomUUID } from 'node:crypto'
import { makeKey, randomBase62 } from '../src/keys.ts'
import type { TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('rotation on a service that counts in %s', (_store, redis) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ redis })
  })
  afterAll(() => app.close())
  afterEach(() => {
    app.now = undefined
  })

  const list = async (key: string): Promise<{ status: string }[]> =>
    (await app.call('get', '/v1/account/keys', { key })).body.data.keys
  const create = (key: string, body: object = { name: 'further' }) =>
    app.call('post', '/v1/account/keys', { key, body })
  const remove = (key: string, id: string) => app.call('delete', `/v1/account/keys/${id}`, { key })
  const rotate = (key: string, idempotencyKey?: string) =>
    app.call('post', '/v1/account/keys/rotate', {
      key,
      ...(idempotencyKey && { headers: { 'Idempotency-Key': idempotencyKey } }),
    })
  const echo = (key: string) => app.call('post', '/v1/echo', { key, body: { text: 'a' } })
  const idOf = (key: string) => `key_${key.slice(9, 23)}`

  test('replaces the key: the old one is dead with the next request, counters go on', async () => {
    const { key } = await app.signUp()
    for (let i = 0; i < 3; i++) await echo(key)
    const { status, body } = await rotate(key)

    expect(status).toBe(201)
    expect(Object.keys(body.data)).toEqual(['message', 'id', 'apiKeyPrefix', 'apiKey', 'revokedKeyId'])
    expect(body.data).toMatchObject({ id: idOf(body.data.apiKey), revokedKeyId: idOf(key) })
    const [old, fresh] = [await echo(key), await echo(body.data.apiKey)]
    expect([old.status, old.body.code]).toEqual([401, 'revoked_api_key'])
    expect([fresh.status, fresh.headers['x-ratelimit-remaining']]).toEqual([200, '1'])
  })

  test('takes no body, or an empty one; a field that it would ignore is refused, and the key stays', async () => {
    const { key } = await app.signUp()
    const send = (body: object) => app.call('post', '/v1/account/keys/rotate', { key, body })

    const refused = await send({ expiresAt: '2027-01-01T00:00:00Z' })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/expiresAt'])
    expect((await echo(key)).status).toBe(200)
    expect((await send({})).status).toBe(201)
  })

  test('keeps the name and the expiry, and costs nothing', async () => {
    app.now = Date.UTC(2026, 10, 20, 12)
    const { key } = await app.signUp()
    const expiresAt = '2026-11-20T13:00:00.000Z'
    const other = (await create(key, { name: 'worker', expiresAt })).body.data.apiKey
    app.now += 1000
    const { body, headers } = await rotate(other)

    const [rotated] = await list(key)

    expect(rotated).toMatchObject({ id: body.data.id, name: 'worker', expiresAt, status: 'active' })
    expect(headers['x-ratelimit-remaining']).toBe('5')
  })

  test('of one key 20 times at once gives exactly one new key (T28)', async () => {
    const { key } = await app.signUp()

    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(key)))

    const won = answers.filter(({ status }) => status === 201)
    expect(won).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
    const fresh = won[0]?.body.data.apiKey
    const keys = await list(fresh)
    expect(keys.map(({ status }) => status)).toEqual(['active', 'revoked'])
  })

  test('with an Idempotency-Key gives the same new key again to who shows the old one', async () => {
    const { key } = await app.signUp()
    const idempotencyKey = randomUUID()
    const first = await rotate(key, idempotencyKey)
    const again = await rotate(key, idempotencyKey)

    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
    expect(again.status).toBe(201)
    expect((await echo(again.body.data.apiKey)).status).toBe(200)
    expect(await list(again.body.data.apiKey)).toHaveLength(2)
  })

  test('with one Idempotency-Key 10 times at once gives one and the same new key to all', async () => {
    const { key } = await app.signUp()
    const idempotencyKey = randomUUID()

    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(key, idempotencyKey)))

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map(({ body }) => body.data.apiKey)).size).toBe(1)
  })

  test('with another Idempotency-Key, or none, stays refused', async () => {
    const { key } = await app.signUp()
    await rotate(key, randomUUID())

    const answers = [await rotate(key, randomUUID()), await rotate(key)]

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [401, 'revoked_api_key']),
    )
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail)
  })

  test('says to the losers of several at once that it happened meanwhile, and to nobody later', async () => {
    const { key } = await app.signUp()
    const { db } = app.database
    const detailOf = ({ body }: { body: { detail?: string } }) => body.detail

    // All of them are let in before the first one can begin.
    const sent = await db.transaction().execute(async (trx) => {
      await trx.selectFrom('account').select('tag').where('tag', '=', key.slice(9, 19)).forUpdate().execute()
      const all = Array.from({ length: 3 }, () => rotate(key, randomUUID()))
      await new Promise((resume) => setTimeout(resume, 300))
      return all
    })
    const answers = await Promise.all(sent)
    const later = await rotate(key, randomUUID())

    const lost = answers.filter(({ status }) => status === 401)
    expect(lost).toHaveLength(2)
    for (const answer of lost) expect(detailOf(answer)).toContain('while this request was under way')
    expect(detailOf(later)).toContain('was revoked by rotation or deletion')
  })

  test('cannot be had again by another account with the same Idempotency-Key', async () => {
    const [ann, ben] = [await app.signUp(), await app.signUp()]
    const idempotencyKey = randomUUID()
    const first = await rotate(ann.key, idempotencyKey)
    const other = await rotate(ben.key, idempotencyKey)

    expect([first.status, other.status]).toEqual([201, 201])
    expect(other.body.data.id).toContain(`key_${ben.tag}`)
  })

  test('cannot be had again with a forged old key of the same name', async () => {
    const { key } = await app.signUp()
    const idempotencyKey = randomUUID()
    await rotate(key, idempotencyKey)
    const name = { service: 'slr', tag: key.slice(9, 19), selector: key.slice(19, 23) } as const

    const { status, body } = await rotate(makeKey(name, randomBase62(32)), idempotencyKey)

    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
  })

  test('can be had again for 10 minutes and not longer', async () => {
    app.now = Date.UTC(2026, 10, 20, 12)
    const { key } = await app.signUp()
    const idempotencyKey = randomUUID()
    await rotate(key, idempotencyKey)
    app.now += 10 * 60_000 - 1
    const within = await rotate(key, idempotencyKey)
    app.now += 1
    const after = await rotate(key, idempotencyKey)

    expect([within.status, after.status, after.body.code]).toEqual([201, 401, 'revoked_api_key'])
  })

  test('of a deleted key is refused even with an Idempotency-Key', async () => {
    const { key } = await app.signUp()
    await remove(key, `${idOf(key)}?force=true`)

    expect((await rotate(key, randomUUID())).body.code).toBe('revoked_api_key')
  })
})
