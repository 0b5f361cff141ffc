import type { Database } from '@hearth/chassis/database'
import { sql } from 'kysely'
import { countingPlace } from '../src/counting-place.ts'
import type { AccountTables } from '../src/database.ts'
import { noOutbox, type Outbox } from '../src/outbox.ts'
import { openTestDatabase } from './support.ts'

const tag = 'AAAAAAAAAA'
let database: Database<AccountTables>
beforeAll(async () => {
  database = await openTestDatabase('postgres')
  await database.db
    .insertInto('account')
    .values({ tag, name: 'A', email: 'a@example.com', email_normalised: 'a@example.com', password_hash: '-' })
    .execute()
})
afterAll(() => database.close())
beforeEach(() => database.db.updateTable('account').set({ counted_in: 'redis' }).execute())

const placeWhile = (deliver: Outbox['deliver']) =>
  countingPlace({ db: database.db, outbox: { ...noOutbox, deliver }, replicate: () => Promise.resolve([]) })
const countedIn = async () => {
  const account = await database.db.selectFrom('account').select('counted_in').executeTakeFirst()
  return account?.counted_in
}

test('a move ends when it is delivered, also one that another instance has begun', async () => {
  await placeWhile(async () => expect(await countedIn()).toBe('moving')).toPostgres(tag)
  expect(await countedIn()).toBe('postgres')

  await database.db.updateTable('account').set({ counted_in: 'moving' }).execute()
  await placeWhile(() => Promise.resolve()).toPostgres(tag)
  expect(await countedIn()).toBe('postgres')
})

test('who was stopped while a move was delivered does not end a later one', async () => {
  const { db } = database
  const others = placeWhile(() => Promise.resolve())
  const stopped = placeWhile(async () => {
    await others.toPostgres(tag)
    await sql`update account set direct_until = clock_timestamp() - interval '1 second'`.execute(db)
    await others.toRedis(tag)
    expect(await countedIn()).toBe('redis')
    await sql`update account set counted_in = 'moving', version = version + 1`.execute(db) // the next one begins
  })

  await stopped.toPostgres(tag)

  expect(await countedIn()).toBe('moving')
})
