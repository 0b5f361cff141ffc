import type { Database } from '@hearth/chassis/database'
import { sql } from 'kysely'
import type { AccountDatabase, AccountTables } from '../src/database.ts'
import { forgetAnswers } from '../src/idempotency.ts'
import { insertAccount, openTestDatabase } from './support.ts'

describe('the answers that are remembered, when there are many', () => {
  let database: Database<AccountTables>
  let tag: string
  beforeAll(async () => {
    database = await openTestDatabase('postgres')
    const { db } = database
    tag = (await insertAccount(db)).tag
    const { tag: other } = await insertAccount(db)
    // One every five seconds for two days, but for the last two minutes.
    await sql`insert into idempotency (scope, fingerprint, tag, selector, created_at)
      select i, '-', case when i < 10 then ${tag} else ${other} end, 'aaaa',
        now() - interval '48 hours' + i * interval '5 seconds' from generate_series(-4, 34535) as i`.execute(
      db,
    )
    await sql`analyze idempotency`.execute(db)
  })
  afterAll(() => database.close())

  /** How often this connection has read the table from end to end lately. */
  const scans = async (trx: AccountDatabase) => {
    const { rows } = await sql<{ count: number }>`select seq_scan::integer as count
      from pg_stat_xact_user_tables where relid = 'idempotency'::regclass`.execute(trx)
    return rows[0]?.count ?? 0
  }

  /** Does something; how often the table was read from end to end for it, and what is left. */
  const lookingAt = (work: (trx: AccountDatabase) => Promise<unknown>) =>
    database.db.transaction().execute(async (trx) => {
      const before = await scans(trx)
      await work(trx)
      const during = (await scans(trx)) - before
      const { rows } = await sql<{ answers: number; ofTag: number }>`select count(*)::integer as answers,
        (count(*) filter (where tag = ${tag}))::integer as "ofTag" from idempotency`.execute(trx)
      return { scans: during, ...rows[0] }
    })

  test('are forgotten after two days without a look at the others', async () => {
    expect(await lookingAt(forgetAnswers)).toEqual({ scans: 0, answers: 34_535, ofTag: 9 })
  })

  test('go with their account without a look at the others', async () => {
    const erase = (trx: AccountDatabase) => trx.deleteFrom('account').where('tag', '=', tag).execute()

    expect(await lookingAt(erase)).toEqual({ scans: 0, answers: 34_526, ofTag: 0 })
  })
})
