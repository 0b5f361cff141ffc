import type { Database } from '@hearth/chassis/database'
import { sql } from 'kysely'
import type { AccountDatabase, AccountTables } from '../src/database.ts'
import { insertKey } from '../src/key-rows.ts'
import { writeUses } from '../src/ledger-rows.ts'
import { insertAccount, openTestDatabase } from './support.ts'

describe('who deletes what keys were used for, while it is being added to', () => {
  let database: Database<AccountTables>
  let batch = 0
  beforeAll(async () => {
    database = await openTestDatabase('postgres')
  })
  afterAll(() => database.close())

  /** Adds to the row of an endpoint, as the ledger does. */
  const write = (db: AccountDatabase, tag: string, endpoint: string) => {
    const tally = { tag, isKept: true, counter: undefined, uses: undefined }
    const use = { tally, selector: 'gone', day: 20_000, endpoint, calls: 1, usedAt: 0 }
    const uses = [{ ...use, isWaiting: false, next: undefined }]
    return writeUses(db, { writer: 'writer', number: ++batch, uses })
  }
  const [first, last] = ['endpoint 000', 'endpoint 999']
  /** An account whose uses lie in the table the other way round: last key first. */
  async function account(): Promise<string> {
    const { tag } = await insertAccount(database.db)
    await write(database.db, tag, last)
    await sql`insert into usage_key (tag, day, selector, endpoint, calls, last_used_at)
      select ${tag}, 20000, 'gone', 'endpoint ' || i, 1, now() from generate_series(998, 100, -1) as i`.execute(
      database.db,
    )
    await write(database.db, tag, first)
    await sql`analyze usage_key`.execute(database.db)
    return tag
  }
  const endpointsOf = async (tag: string) => {
    const { rows } = await sql<{ selector: string; calls: number }>`
      select selector, sum(calls)::integer as calls from usage_key where tag = ${tag} group by selector`.execute(
      database.db,
    )
    return rows
  }
  async function untilSomebodyWaits(): Promise<void> {
    for (;;) {
      const { rows } = await sql`select from pg_locks where not granted`.execute(database.db)
      if (rows.length > 0) return
      await new Promise((resume) => setTimeout(resume, 5))
    }
  }

  /** Adds to the first row, lets the other begin, and adds to the last one. */
  async function writeDuring<T>(tag: string, work: () => Promise<T>): Promise<T> {
    const { working } = await database.db.transaction().execute(async (trx) => {
      await write(trx, tag, first)
      const working = work()
      await untilSomebodyWaits()
      await write(trx, tag, last)
      return { working }
    })
    return working
  }

  test('does not stand in its way, and waits for it: deleting an account', async () => {
    const tag = await account()

    await writeDuring(tag, () => database.db.deleteFrom('account').where('tag', '=', tag).execute())

    expect(await endpointsOf(tag)).toEqual([])
  })

  test('does not stand in its way, and waits for it: forgetting a key', async () => {
    const tag = await account()
    const { db } = database
    // One more former key than are kept.
    await sql`insert into api_key (tag, selector, digest, name, revoked_at)
      select ${tag}, 'r' || i, '-', '-', now() from generate_series(100, 200) as i`.execute(db)
    const key = { tag, selector: 'good', digest: '-', name: '-', created_at: new Date(), expires_at: null }

    await writeDuring(tag, () => insertKey(db, key, new Date()))

    expect(await endpointsOf(tag)).toEqual([{ selector: '', calls: 903 }])
  })
})
