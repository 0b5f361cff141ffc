import type { Database } from '@hearth/chassis/database'
import { sql } from 'kysely'
import type { AccountTables } from '../src/database.ts'
import { sweepDeleted } from '../src/deleted-accounts.ts'
import { writeCounters, writeUses } from '../src/ledger-rows.ts'
import { insertAccount, openTestDatabase } from './support.ts'

const day = 20_000

describe('the usage of a deleted account', () => {
  let database: Database<AccountTables>
  beforeAll(async () => {
    database = await openTestDatabase('postgres')
  })
  afterAll(() => database.close())

  let batch = 0
  const account = async () => (await insertAccount(database.db)).tag
  const write = async (tag: string, db = database.db) => {
    const counted = { tag, used: 3, refunded: 0, direct: 0, isListed: false }
    const of = { day, isWaiting: false }
    await writeCounters(db, [{ ...counted, ...of }])
    const tally = { tag, isKept: true, counter: undefined, uses: undefined }
    const use = {
      ...of,
      tally,
      selector: 'aaaa',
      endpoint: 'POST /v1/echo',
      calls: 1,
      usedAt: 0,
      next: undefined,
    }
    await writeUses(db, { writer: 'writer', number: ++batch, uses: [use] })
  }
  const erase = (tag: string) => database.db.deleteFrom('account').where('tag', '=', tag).execute()
  const rowsOf = async (tag: string) => {
    const { rows } = await sql<{ name: string }>`
      select 'usage_day' as name from usage_day where tag = ${tag}
      union all select 'usage_key' from usage_key where tag = ${tag}
      union all select 'deleted_account' from deleted_account where tag = ${tag}`.execute(database.db)
    return rows.map(({ name }) => name)
  }
  /** As if it had been deleted so long ago. */
  const age = (tag: string, interval: string) =>
    sql`update deleted_account set deleted_at = deleted_at - ${interval}::interval where tag = ${tag}`.execute(
      database.db,
    )

  test('goes with it, also when the row is deleted by hand, and is not written again', async () => {
    const [gone, other] = [await account(), await account()]
    for (const tag of [gone, other]) await write(tag)
    await sql`delete from account where tag = ${gone}`.execute(database.db)
    expect(await rowsOf(gone)).toEqual(['deleted_account'])

    for (const tag of [gone, other]) await write(tag)
    expect(await rowsOf(gone)).toEqual(['deleted_account'])
    expect(await rowsOf(other)).toEqual(['usage_day', 'usage_key'])
  })

  test('goes within minutes when it was being written at that very moment', async () => {
    const [gone, other] = [await account(), await account()]
    await write(other)
    await database.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        await sql`select 1`.execute(trx) // from here on it sees nothing that others do
        await erase(gone)
        await write(gone, trx)
      })
    await sweepDeleted(database.db) // somebody could still be writing
    expect(await rowsOf(gone)).toEqual(['usage_day', 'usage_key', 'deleted_account'])

    await age(gone, '61 seconds')
    await sweepDeleted(database.db)
    expect(await rowsOf(gone)).toEqual(['deleted_account'])
    expect(await rowsOf(other)).toEqual(['usage_day', 'usage_key'])
  })

  test('is known to belong to nobody for a day', async () => {
    const gone = await account()
    await erase(gone)
    await age(gone, '23 hours')
    await sweepDeleted(database.db)
    expect(await rowsOf(gone)).toEqual(['deleted_account'])

    await age(gone, '2 hours')
    await sweepDeleted(database.db)
    expect(await rowsOf(gone)).toEqual([])
  })
})
