import { sql } from 'kysely'
import type { Database } from '@hearth/chassis/database'
import type { AccountTables } from '../src/database.ts'
import { createLedger } from '../src/ledger.ts'
import { insertAccount, openTestDatabase } from './support.ts'

const day = 20_000

describe('the ledger', () => {
  let database: Database<AccountTables>
  beforeAll(async () => {
    database = await openTestDatabase('postgres')
  })
  afterAll(() => database.close())

  const accounts = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await insertAccount(database.db)).tag))
  const usedIn = async (table: 'usage_day' | 'usage_endpoint', tag: string) => {
    const rows =
      table === 'usage_day'
        ? await database.db
            .selectFrom('usage_day')
            .select('redis_used as used')
            .where('tag', '=', tag)
            .execute()
        : await database.db.selectFrom('usage_endpoint').select('used').where('tag', '=', tag).execute()
    return rows.reduce((sum, { used }) => sum + used, 0)
  }

  test('forgets what is written when it remembers too much, and counts on without a loss', async () => {
    const ledger = createLedger(database.db, 'one', undefined, 3)
    const tags = await accounts(10)
    for (let round = 1; round <= 4; round++) {
      for (const tag of tags) {
        ledger.saw(tag, { day, used: round * 2, refunded: 0 })
        ledger.called(tag, day, 'POST /v1/echo')
      }
      await ledger.flush()
    }

    expect(tags.filter((tag) => ledger.highest(tag) !== undefined)).toEqual([])
    for (const tag of tags) {
      expect(await usedIn('usage_day', tag)).toBe(8)
      expect(await usedIn('usage_endpoint', tag)).toBe(4)
    }
  })

  test('forgets nothing that is yet to be written', async () => {
    const ledger = createLedger(database.db, 'two', undefined, 3)
    const tags = await accounts(10)
    for (const tag of tags) {
      ledger.saw(tag, { day, used: 5, refunded: 2 })
      ledger.called(tag, day, 'POST /v1/echo')
    }
    await sql`alter table usage_day rename to away`.execute(database.db)
    await expect(ledger.flush()).rejects.toThrow('usage_day')
    await sql`alter table away rename to usage_day`.execute(database.db)

    expect(tags.map((tag) => ledger.highest(tag)?.used)).toEqual(tags.map(() => 5))
    await ledger.flush()
    for (const tag of tags) expect(await usedIn('usage_day', tag)).toBe(5)
  })

  test('remembers the counts of today and yesterday while they are few', async () => {
    const ledger = createLedger(database.db, 'three')
    const [tag = ''] = await accounts(1)
    ledger.saw(tag, { day, used: 5, refunded: 0 })
    await ledger.flush()

    expect(ledger.highest(tag)).toMatchObject({ day, used: 5 })
  })
})
