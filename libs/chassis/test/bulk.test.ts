import fc from 'fast-check'
import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, dropDatabase } from '@hearth/infra/test-servers'
import type { BulkSession } from '../src/bulk.ts'
import { copyLine } from '../src/copy-line.ts'
import { openDatabase, type Database } from '../src/database.ts'
import { recordingLogger } from './logs.ts'

type Session = BulkSession<unknown>

const { log } = recordingLogger()
let directory: string
let serverUrl: string
const databases: Partial<Record<'postgres' | 'pglite', Database<unknown>>> = {}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-bulk-'))
  serverUrl = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
  const options = { schema: 'solar', dataDir: directory, log }
  databases.postgres = await openDatabase({ ...options, url: serverUrl })
  databases.pglite = await openDatabase(options)
  for (const { db } of Object.values(databases)) {
    await sql`create schema solar`.execute(db)
    await sql`create table item (id integer primary key, name text, tags text[], sizes integer[], notes jsonb,
      price real, sold boolean)`.execute(db)
  }
})

afterAll(async () => {
  for (const database of Object.values(databases)) await database.close()
  await dropDatabase(serverUrl)
  await rm(directory, { recursive: true, force: true })
})

async function* inChunks(...chunks: string[]): AsyncGenerator<string> {
  yield* chunks
}

describe.each(['postgres', 'pglite'] as const)('a bulk session on %s', (engine) => {
  const bulk = <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const database = databases[engine]
    if (database === undefined) throw new Error('The database is not open.')
    return database.bulk(work)
  }

  beforeEach(() => bulk(({ db }) => sql`truncate item`.execute(db)))

  test('brings back whatever text was put in, but for the character that Postgres does not have', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 })
    const row = fc.record({ name: fc.option(text), tags: fc.array(text, { maxLength: 4 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const back = await bulk(async ({ db, copyIn }) => {
          await sql`truncate item`.execute(db)
          const lines = rows.map(({ name, tags }, id) =>
            copyLine([id, name, tags, [1, -2], JSON.stringify({ name }), 1.5, true]),
          )
          expect(await copyIn('item', inChunks(...lines))).toBe(rows.length)
          return sql<{
            name: string | null
            tags: string[]
          }>`select name, tags from item order by id`.execute(db)
        })
        const expected = rows.map(({ name, tags }) => ({
          name: name?.replaceAll('\0', '') ?? null,
          tags: tags.map((tag) => tag.replaceAll('\0', '')),
        }))
        expect(back.rows).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })

  test.each(['\\N', '\\', '\t', '\r\n', '"', 'NULL', '{}', '{"a"}', '\\.', '', 'é€😀\u0081'])(
    'keeps %j',
    async (text) => {
      const { rows } = await bulk(async ({ db, copyIn }) => {
        await copyIn('item', inChunks(copyLine([1, text, [text], [], null, null, false])))
        return sql`select name, tags, sizes, notes, price, sold from item`.execute(db)
      })
      expect(rows).toEqual([{ name: text, tags: [text], sizes: [], notes: null, price: null, sold: false }])
    },
  )

  test('takes more than one blob of the embedded database holds', async () => {
    const name = 'x'.repeat(1_000)
    async function* lines() {
      for (let id = 0; id < 9_000; id++) yield copyLine([id, name, [], [], null, null, null])
    }
    const counted = await bulk(async ({ db, copyIn }) => {
      expect(await copyIn('item', lines())).toBe(9_000)
      return sql<{ n: number }>`select count(*) as n from item`.execute(db)
    })
    expect(counted.rows).toEqual([{ n: 9_000 }])
  })

  test('takes lines as bytes, too', async () => {
    const { rows } = await bulk(async ({ db, copyIn }) => {
      const line = (id: number) => copyLine([id, `é€😀 ${id}`, [], [], null, null, null])
      async function* both() {
        yield new TextEncoder().encode(line(1))
        yield line(2)
      }
      expect(await copyIn('item', both())).toBe(2)
      return sql`select id, name from item order by id`.execute(db)
    })
    expect(rows).toEqual([
      { id: 1, name: 'é€😀 1' },
      { id: 2, name: 'é€😀 2' },
    ])
  })

  test('does two works that do not wait for each other, and gives what both say', async () => {
    const insert = async (id: number, { db, copyIn, transaction }: Session) => {
      await transaction(() => copyIn('item', inChunks(copyLine([id, 'a', [], [], null, null, null]))))
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
      return rows[0]?.pid
    }
    const { pids, rows } = await bulk(async ({ db, inParallel }) => ({
      pids: await inParallel(
        (session) => insert(1, session),
        (session) => insert(2, session),
      ),
      rows: (await sql`select id from item order by id`.execute(db)).rows,
    }))
    expect(rows).toEqual([{ id: 1 }, { id: 2 }])
    expect(new Set(pids).size).toBe(engine === 'postgres' ? 2 : 1)
  })

  test('waits for the other work when one fails', async () => {
    let isDone = false
    const failing = bulk(({ inParallel }) =>
      inParallel(
        async ({ db }) => {
          await sql`select pg_sleep(0.2)`.execute(db)
          isDone = true
        },
        ({ db }) => sql`select nonsense`.execute(db),
      ),
    )
    await expect(failing).rejects.toThrow(/nonsense/)
    expect(isDone).toBe(true)
  })

  test('says which line was wrong, and goes on being usable', async () => {
    await bulk(async ({ db, copyIn }) => {
      const line = copyLine([1, 'a', [], [], null, null, null])
      await expect(copyIn('item', inChunks(line, line))).rejects.toThrow(/duplicate key/)
      await expect(copyIn('item', inChunks('not a line\n'))).rejects.toThrow(/invalid input syntax/)
      const { rows } = await sql`select 1 as one`.execute(db)
      expect(rows).toEqual([{ one: 1 }])
    })
  })

  test('passes on what goes wrong in the source of the lines, and keeps nothing of a transaction then', async () => {
    async function* broken() {
      yield copyLine([1, 'a', [], [], null, null, null])
      throw new Error('the file ended early')
    }
    await expect(
      bulk(({ copyIn, transaction }) =>
        transaction(async () => {
          await copyIn('item', inChunks(copyLine([2, 'b', [], [], null, null, null])))
          await copyIn('item', broken())
        }),
      ),
    ).rejects.toThrow('the file ended early')
    const { rows } = await bulk(({ db }) => sql<{ n: number }>`select count(*) as n from item`.execute(db))
    expect(rows).toEqual([{ n: 0 }])
  })

  test('reads and writes in one transaction', async () => {
    const { rows } = await bulk(async ({ db, copyIn, transaction }) => {
      await copyIn('item', inChunks(copyLine([1, 'a', [], [], null, null, null])))
      await transaction(async () => {
        await sql`declare walk cursor for select id from item`.execute(db)
        await copyIn('item', inChunks(copyLine([2, 'b', [], [], null, null, null])))
        const walked = await sql`fetch 10 from walk`.execute(db)
        expect(walked.rows).toEqual([{ id: 1 }])
      })
      return sql<{ n: number }>`select count(*) as n from item`.execute(db)
    })
    expect(rows).toEqual([{ n: 2 }])
  })

  test('a lock of the session ends with it', async () => {
    const lock = sql<{ taken: boolean }>`select pg_try_advisory_lock(42) as taken`
    const once = () => bulk(async ({ db }) => (await lock.execute(db)).rows[0]?.taken)
    expect(await once()).toBe(true)
    expect(await once()).toBe(true)
  })
})

test('a session on a server has none of the limits that its role has for requests', async () => {
  const limited = new URL(serverUrl)
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout']
  limited.searchParams.set('options', limits.map((name) => `-c ${name}=100`).join(' '))
  const database = await openDatabase<unknown>({ url: limited.href, schema: 'solar', dataDir: '', log })

  const { rows } = await database.bulk(async ({ db, transaction }) => {
    await sleep(300)
    await transaction(async () => {
      await sql`select pg_sleep(0.3)`.execute(db)
      await sleep(300)
    })
    return sql`select 1 as one`.execute(db)
  })

  expect(rows).toEqual([{ one: 1 }])
  await database.close()
})
