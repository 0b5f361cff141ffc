import { sql } from 'kysely'
import { accountMigrations } from '../migrations/index.ts'
import { migrate } from '@hearth/chassis/migrate'
import type { TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'
import { openTestDatabase, silent } from './support.ts'

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('the account on a service that counts in %s', (_store, redis) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ redis })
  })
  afterAll(() => app.close())

  test('shows who it is and what its plan opens', async () => {
    const { key, email, tag } = await app.signUp()
    const { body } = await app.call('get', '/v1/account', { key })

    expect(body.data).toEqual({
      ...{ id: `acc_${tag}`, name: 'Test', email, plan: 'free', features: [] },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  test('follows a change of plan with the next request', async () => {
    const { key } = await app.signUp('pro')

    expect((await app.call('get', '/v1/account', { key })).body.data).toMatchObject({
      plan: 'pro',
      features: ['extra'],
    })
  })

  test('that is deleted leaves nothing but its random tag, for a day, and its address is free again', async () => {
    const account = await app.signUp()
    const { email, password, tag } = account
    const second = (await app.call('post', '/v1/account/keys', { key: account.key, body: { name: 'b' } }))
      .body.data
    await app.call('post', '/v1/echo', { key: account.key, body: { text: 'a' } })
    const idempotent = { 'Idempotency-Key': 'a-key-that-is-long-enough' }
    const rotated = await app.call('post', '/v1/account/keys/rotate', {
      key: account.key,
      headers: idempotent,
    })
    await app.call('get', '/v1/account/usage', { key: second.apiKey })
    const before = await rowsNaming(app, tag)
    const signIn = () => app.call('post', '/v1/account/sessions', { body: { email, password } })
    const { token } = (await signIn()).body.data

    const { status, body } = await app.call('delete', '/v1/account', { session: token })

    expect([status, body.data]).toEqual([200, { id: `acc_${tag}`, deleted: true }])
    for (const key of [account.key, second.apiKey, rotated.body.data.apiKey]) {
      const answer = await app.call('post', '/v1/echo', { key, body: { text: 'a' } })
      expect([answer.status, answer.body.code]).toEqual([401, 'invalid_api_key'])
    }
    expect((await app.call('get', '/v1/account', { session: token })).status).toBe(401)
    expect((await signIn()).status).toBe(401)
    expect(before).toEqual(['account', 'api_key', 'idempotency', 'usage_day', 'usage_key'])
    await new Promise((resume) => setTimeout(resume, 600)) // twice the time in which the ledger writes
    expect(await rowsNaming(app, tag)).toEqual(['deleted_account'])
    const again = await app.call('post', '/v1/signup', { body: { name: 'New', email, password } })
    expect(again.status).toBe(201)
    const usage = await app.call('get', '/v1/account/usage', { key: again.body.data.apiKey })
    expect(usage.body.data.windows.daily.used).toBe(0)
  })
})

describe('the tables of the library', () => {
  test('lie in the schema of the service and nowhere else, and migrating again changes nothing', async () => {
    const database = await openTestDatabase('postgres')
    const { db } = database
    try {
      const objects = async () =>
        (
          await sql<{ name: string }>`
          select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname !~ '^(pg_|information_schema)' and c.relkind in ('r', 'v', 'm', 'f', 'p')
          union all select n.nspname || '.' || p.proname || '()' from pg_proc p
          join pg_namespace n on n.oid = p.pronamespace where n.nspname !~ '^(pg_|information_schema)'
          order by 1`.execute(db)
        ).rows.map(({ name }) => name)
      const first = await objects()
      await migrate(database, [accountMigrations], silent)

      expect(first.filter((name) => !name.startsWith('test.'))).toEqual([])
      expect(first.filter((name) => !name.includes('migration'))).toEqual(
        [
          ...[
            'account',
            'api_key',
            'attempt',
            'deleted_account',
            'gate_epoch',
            'gate_instance',
            'idempotency',
            'ledger_writer',
            'outbox',
            'usage_day',
            'usage_endpoint',
            'usage_key',
          ],
          ...['forget_account()', 'join_gate()', 'month_start()', 'pass_gate()', 'pass_gate_in_place()'],
        ]
          .map((name) => `test.${name}`)
          .toSorted(),
      )
      expect(await objects()).toEqual(first)
    } finally {
      await database.close()
    }
  })
})

/** The tables that have a row in which the tag of an account occurs anywhere. */
async function rowsNaming(app: TestApp, tag: string): Promise<string[]> {
  const { db } = app.database
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
    db,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } =
      await sql`select 1 from ${sql.table(name)} as t where t::text like ${`%${tag}%`}`.execute(db)
    if (rows.length > 0) found.push(name)
  }
  return found.toSorted()
}
