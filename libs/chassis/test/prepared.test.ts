import { createDatabase, dropDatabase } from '@hearth/infra/test-servers'
import { sql, type Kysely } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '../src/database.ts'
import { executePrepared } from '../src/prepared.ts'
import { recordingLogger } from './logs.ts'

let directory: string
let url: string
let database: Database<unknown>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-prepared-'))
  url = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
})
afterEach(() => database.close())
afterAll(async () => {
  await dropDatabase(url)
  await rm(directory, { recursive: true, force: true })
})

async function open(given: { readonly url?: string }): Promise<Kysely<unknown>> {
  const { log } = recordingLogger()
  database = await openDatabase({ schema: 'solar', dataDir: directory, log, maxConnections: 1, ...given })
  return database.db
}

const ask = async (db: Kysely<unknown>, value: number) => {
  const { rows } = await executePrepared(db, sql<{ sum: number }>`select ${value}::integer + 1 as sum`)
  return rows[0]?.sum
}

const statements = sql<{ statement: string }>`select statement from pg_prepared_statements`

test('a connection keeps one statement for all values, and none of other queries', async () => {
  const db = await open({ url })
  expect([await ask(db, 1), await ask(db, 2), await ask(db, 3)]).toEqual([2, 3, 4])
  await sql`select ${1}::integer as other`.execute(db)
  expect((await statements.execute(db)).rows).toEqual([{ statement: 'select $1::integer + 1 as sum' }])
})

test('a table that was dropped and made again is found again', async () => {
  const db = await open({ url })
  const read = () => executePrepared(db, sql`select name from thing where name = ${'a'}`)
  await sql`create schema if not exists solar`.execute(db)
  for (const round of [1, 2]) {
    await sql`create table thing (name text)`.execute(db)
    await sql`insert into thing values ('a')`.execute(db)
    expect([round, (await read()).rows]).toEqual([round, [{ name: 'a' }]])
    await sql`drop table thing`.execute(db)
    await expect(read()).rejects.toMatchObject({ code: '42P01' })
  }
})

test('the embedded database answers the same', async () => {
  const db = await open({})
  expect([await ask(db, 1), await ask(db, 2)]).toEqual([2, 3])
})
