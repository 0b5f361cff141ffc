import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'
import { until } from './failover-rig.ts'

describe('while a revocation is committed but not every instance knows of it', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ redis: true })
    await sql`create function take_long() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.5); return old; end $$`.execute(app.database.db)
    await sql`create trigger take_long before delete on outbox for each row execute function take_long()`.execute(
      app.database.db,
    )
  })
  afterAll(() => app.close())
  // A change that takes so long is late: the instance gives Redis up, and notes nothing until it uses it again.
  beforeEach(() => until(async () => (await count('gate_instance')) === 1 && (await count('outbox')) === 0))

  const count = async (table: 'gate_instance' | 'outbox') => {
    const { rows } = await sql`select from ${sql.table(table)}`.execute(app.database.db)
    return rows.length
  }
  const idOf = (key: string) => `key_${key.slice(9, 23)}`
  const rotate = (key: string, idempotencyKey: string) =>
    app.call('post', '/v1/account/keys/rotate', { key, headers: { 'Idempotency-Key': idempotencyKey } })
  const sessionOf = async ({ email, password }: { email: string; password: string }): Promise<string> =>
    (await app.call('post', '/v1/account/sessions', { body: { email, password } })).body.data.token
  const isRevoked = async (key: string) => {
    const { rows } = await sql`select from api_key
      where tag = ${key.slice(9, 19)} and selector = ${key.slice(19, 23)} and revoked_at is not null`.execute(
      app.database.db,
    )
    return rows.length > 0
  }
  /** How many changes of the account wait for delivery. */
  const waiting = async (tag: string) => {
    const { rows } = await sql`select from outbox where tag = ${tag}`.execute(app.database.db)
    return rows.length
  }

  /** Asks for the same twice, the second time as soon as the first one is committed. */
  async function twice<T>(key: string, request: () => Promise<T>): Promise<{ second: T; left: number }> {
    const first = request()
    while (!(await isRevoked(key))) await new Promise((resume) => setTimeout(resume, 2))
    expect(await waiting(key.slice(9, 19))).toBeGreaterThan(0)
    const second = await request()
    const left = await waiting(key.slice(9, 19))
    await first
    return { second, left }
  }

  test('an operator who revokes the key again is not told so before they do', async () => {
    const { key } = await app.signUp()

    const { second, left } = await twice(key, () => app.operate('delete', `/operator/keys/${idOf(key)}`))

    expect([second.status, left]).toEqual([200, 0])
  })

  test('who deletes the key again is not told before that it is gone', async () => {
    const account = await app.signUp()
    const session = await sessionOf(account)
    const path = `/v1/account/keys/${idOf(account.key)}?force=true`

    const { second, left } = await twice(account.key, () => app.call('delete', path, { session }))

    expect([second.status, left]).toEqual([404, 0])
  })

  test('who repeats the rotation is not given the new key before', async () => {
    const { key } = await app.signUp()
    const idempotencyKey = randomUUID()

    const { second, left } = await twice(key, () => rotate(key, idempotencyKey))

    expect([second.status, left]).toEqual([201, 0])
  })

  test('the loser of two rotations is not told before that the key is revoked', async () => {
    const { key } = await app.signUp()

    const answers = await Promise.all(
      [randomUUID(), randomUUID()].map(async (idempotencyKey) => ({
        ...(await rotate(key, idempotencyKey)),
        left: await waiting(key.slice(9, 19)),
      })),
    )

    expect(answers.map(({ status, left }) => [status, left]).toSorted()).toEqual([
      [201, 0],
      [401, 0],
    ])
  })
})
