import { sql } from 'kysely'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createDatabase, dropDatabase, startPostgres } from '@hearth/infra/test-servers'
import { isRefusal, isUnavailable, openDatabase, waitUntilReady, type Database } from '../src/database.ts'
import { recordingLogger } from './logs.ts'

type Tables = { counters: { id: number; used: number } }

const { log } = recordingLogger()
const opened: Database<Tables>[] = []
let directory: string
let serverUrl: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-database-'))
  serverUrl = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
})

afterAll(async () => {
  for (const database of opened) await database.close()
  await dropDatabase(serverUrl)
  await rm(directory, { recursive: true, force: true })
})

async function open(options: {
  url?: string
  dataDir?: string
  connectTimeoutMs?: number
  queryTimeoutMs?: number
  maxConnections?: number
}) {
  const database = await openDatabase<Tables>({ schema: 'solar', dataDir: directory, log, ...options })
  opened.push(database)
  return database
}

const VALUES = sql`
  select 9007199254740991::int8 as int8, count(*) as count, '2024-02-29'::date as date,
    '2024-02-29T12:00:00.123Z'::timestamptz as timestamptz, '{"a":[1,null,{"b":"c"}]}'::jsonb as jsonb,
    '{"b":1}'::json as json, '{a,"b c",NULL,"q\\"uote"}'::text[] as texts, '{1,NULL,3}'::int8[] as int8s, '{}'::int8[] as none,
    '{2024-02-29}'::date[] as dates, 12345678901234567890.123::numeric as numeric, true as boolean,
    '\\xdeadbeef'::bytea as bytea, 1.5::float8 as float8, 7::int2 as int2, 7::int4 as int4, null::int8 as nothing,
    'x'::varchar(3) as varchar, '7c7ee2f2-4a5c-4d40-8a1f-0d3a5ad3c8d0'::uuid as uuid`

const EXPECTED = {
  int8: 9007199254740991,
  count: 1,
  date: '2024-02-29',
  timestamptz: new Date('2024-02-29T12:00:00.123Z'),
  jsonb: { a: [1, null, { b: 'c' }] },
  json: { b: 1 },
  texts: ['a', 'b c', null, 'q"uote'],
  int8s: [1, null, 3],
  none: [],
  dates: ['2024-02-29'],
  numeric: '12345678901234567890.123',
  boolean: true,
  bytea: Buffer.from('deadbeef', 'hex'),
  float8: 1.5,
  int2: 7,
  int4: 7,
  nothing: null,
  varchar: 'x',
  uuid: '7c7ee2f2-4a5c-4d40-8a1f-0d3a5ad3c8d0',
}

describe.each(['postgres', 'pglite'] as const)('on %s', (engine) => {
  let database: Database<Tables>

  beforeAll(async () => {
    database = await open(engine === 'postgres' ? { url: serverUrl } : { dataDir: join(directory, engine) })
    await sql`create schema solar`.execute(database.db)
    await sql`create table counters (id int4 primary key, used int8 not null)`.execute(database.db)
  }, 60_000)

  test('every column type becomes the documented JavaScript value', async () => {
    const { rows } = await VALUES.execute(database.db)

    expect(rows).toEqual([EXPECTED])
    expect(Buffer.isBuffer((rows[0] as typeof EXPECTED).bytea)).toBe(true)
  })

  test('parameters of every type come back as they were given', async () => {
    const at = new Date('2024-12-31T23:59:59.999Z')
    const { rows } = await sql`
      select ${at}::timestamptz as at, ${Buffer.from([0, 255])}::bytea as bytes, ${['a', null, 'b"c']}::text[] as texts,
        ${[1, 2]}::int8[] as ids, ${JSON.stringify({ a: [1] })}::jsonb as json, ${'2024-02-29'}::date as date,
        ${true}::boolean as flag, ${9007199254740991}::int8 as big, ${'1.50'}::numeric as price, ${null}::text as nothing
    `.execute(database.db)

    expect(rows).toEqual([
      {
        at,
        bytes: Buffer.from([0, 255]),
        texts: ['a', null, 'b"c'],
        ids: [1, 2],
        json: { a: [1] },
        date: '2024-02-29',
        flag: true,
        big: 9007199254740991,
        price: '1.50',
        nothing: null,
      },
    ])
  })

  test('tables are found in the schema of the service and times are UTC', async () => {
    const { rows } = await sql`
      select to_regclass('counters')::text = 'counters' as found, current_schema() as schema,
        '2024-01-01'::date::timestamptz as midnight`.execute(database.db)

    expect(rows).toEqual([{ found: true, schema: 'solar', midnight: new Date('2024-01-01T00:00:00Z') }])
  })

  test('an update tells how many rows it changed, and a duplicate key its code and constraint', async () => {
    const { db } = database
    await db.insertInto('counters').values({ id: 1, used: 0 }).execute()

    const updated = await db.updateTable('counters').set({ used: 1 }).where('id', '=', 1).executeTakeFirst()
    const duplicate = db.insertInto('counters').values({ id: 1, used: 0 }).execute()

    expect(updated.numUpdatedRows).toBe(1n)
    await expect(duplicate).rejects.toMatchObject({ code: '23505', constraint: 'counters_pkey' })
    await duplicate.catch((error: unknown) =>
      expect([isUnavailable(error), isRefusal(error)]).toEqual([false, true]),
    )
  })

  test('a failed transaction leaves nothing behind', async () => {
    const failing = database.db.transaction().execute(async (trx) => {
      await trx.insertInto('counters').values({ id: 2, used: 0 }).execute()
      throw new Error('changed my mind')
    })

    await expect(failing).rejects.toThrow('changed my mind')
    const rows = await database.db.selectFrom('counters').selectAll().where('id', '=', 2).execute()
    expect(rows).toEqual([])
  })

  test('concurrent transactions that read and write one row lose no update', async () => {
    await database.db.insertInto('counters').values({ id: 3, used: 0 }).execute()

    await Promise.all(
      Array.from({ length: 20 }, () =>
        database.db.transaction().execute(async (trx) => {
          const row = await trx
            .selectFrom('counters')
            .select('used')
            .where('id', '=', 3)
            .forUpdate()
            .executeTakeFirstOrThrow()
          await trx
            .updateTable('counters')
            .set({ used: row.used + 1 })
            .where('id', '=', 3)
            .execute()
        }),
      ),
    )

    const { used } = await database.db
      .selectFrom('counters')
      .select('used')
      .where('id', '=', 3)
      .executeTakeFirstOrThrow()
    expect(used).toBe(20)
  })

  test('work without deadlines runs in the same schema', async () => {
    const found = await database.withoutDeadlines(async (db) => {
      const { rows } = await sql<{
        found: boolean
      }>`select to_regclass('counters') is not null as found`.execute(db)
      return rows
    })

    expect(found).toEqual([{ found: true }])
  })
})

describe('the embedded database', () => {
  test('a query that waits inside a transaction for the connection of that transaction fails', async () => {
    const { db } = await open({ dataDir: join(directory, 'busy'), connectTimeoutMs: 100 })

    const waiting = db.transaction().execute(() => sql`select 1`.execute(db))

    await expect(waiting).rejects.toThrow('The embedded database was busy for 100 ms.')
    await waiting.catch((error: unknown) => expect(isUnavailable(error)).toBe(true))
    await expect(sql`select 1 as one`.execute(db)).resolves.toMatchObject({ rows: [{ one: 1 }] })
  })

  test('a second opener is told who has it, and gets it once that one closes', async () => {
    const dataDir = join(directory, 'twice')
    const first = await open({ dataDir })

    await expect(open({ dataDir })).rejects.toThrow(`pid ${process.pid}`)
    await first.close()
    const second = await open({ dataDir })

    await expect(second.ping(2_000)).resolves.toBeUndefined()
  })

  test('a killed process gives way at once, keeps its rows, and only one of several successors wins', async () => {
    const dataDir = join(directory, 'killed')
    const victim = await openInChild(dataDir)
    expect(victim.outcome).toBe('open')
    victim.child.kill('SIGKILL')

    const rivals = await Promise.all([openInChild(dataDir), openInChild(dataDir), openInChild(dataDir)])
    const outcomes = rivals.map((rival) => rival.outcome).sort()
    for (const { child } of rivals) {
      if (child.exitCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const heir = await open({ dataDir })

    expect(outcomes).toEqual(['in use', 'in use', 'open'])
    const { rows } = await sql<{ pids: number }>`select count(*) as pids from public.openers`.execute(heir.db)
    expect(rows).toEqual([{ pids: 2 }])
  }, 60_000)

  test('a killed process whose parent has not looked yet gives way too', async () => {
    const dataDir = join(directory, 'zombie')
    const parent = spawnOpener(dataDir, 'sh', ['-c', '"$0" "$@" & exec sleep 60', process.execPath])
    expect(await firstLine(parent)).toBe('open')
    const lock = join(dataDir, 'postgres.lock')
    const [generation = ''] = await readdir(lock)
    const [pid] = (await readFile(join(lock, generation), 'utf8')).split(' ')
    process.kill(Number(pid), 'SIGKILL')
    await untilDead(Number(pid))

    const heir = await open({ dataDir })

    await expect(heir.ping(2_000)).resolves.toBeUndefined()
    parent.kill('SIGKILL')
  }, 60_000)
})

/** Waits until the kernel has ended a process, whether or not its parent has looked; a large one takes a while. */
async function untilDead(pid: number): Promise<void> {
  for (;;) {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({
      stdout: 'Z',
    }))
    if (stdout.trim().startsWith('Z')) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('a Postgres server', () => {
  test('that is down does not stop the start; queries fail until it is up, and then work', async () => {
    const server = await startPostgres()
    try {
      await server.kill()
      const database = await open({ url: server.url })
      const reason: unknown = await database.ping(2_000).catch((error: unknown) => error)
      expect([isUnavailable(reason), isRefusal(reason)]).toEqual([true, false])

      const ready = waitUntilReady(database, { deadlineMs: 15_000 })
      await server.restart()

      await expect(ready).resolves.toBeUndefined()
      await database.close()
    } finally {
      await server.stop()
    }
  }, 60_000)

  test('that hangs makes queries and whole transactions fail in time, and is used again when it wakes', async () => {
    const server = await startPostgres()
    const database = await open({
      url: server.url,
      queryTimeoutMs: 600,
      connectTimeoutMs: 300,
      maxConnections: 2,
    })
    try {
      await Promise.all([
        sql`select pg_sleep(0.1)`.execute(database.db),
        sql`select pg_sleep(0.1)`.execute(database.db),
      ])
      let pausedAt = 0
      const inTransaction = database.db.transaction().execute(async (trx) => {
        await sql`select 1`.execute(trx)
        server.pause()
        // The signal is sent at once, but the server may finish what it is doing.
        await new Promise((resolve) => setTimeout(resolve, 20))
        pausedAt = performance.now()
        await sql`select 1`.execute(trx)
      })
      const reason: unknown = await inTransaction.catch((error: unknown) => error)
      const tookMs = performance.now() - pausedAt
      const alone: unknown = await sql`select 1`.execute(database.db).catch((error: unknown) => error)
      const others = await Promise.allSettled(
        Array.from({ length: 5 }, () => sql`select 1`.execute(database.db)),
      )
      server.resume()

      expect(String(reason)).toContain('Query read timeout')
      expect([isUnavailable(reason), isRefusal(reason)]).toEqual([true, false])
      // The rollback would take another 600 ms.
      expect(tookMs).toBeLessThan(1_100)
      expect(String(alone)).toContain('Query read timeout')
      for (const other of others) {
        const { reason } = other as PromiseRejectedResult
        expect(isUnavailable(reason)).toBe(true)
        // Both connections have hung by now, and neither is given to anybody else.
        expect(String(reason)).toMatch(/connect/)
      }
      await expect(waitUntilReady(database, { deadlineMs: 5_000 })).resolves.toBeUndefined()
    } finally {
      server.resume()
      await database.close()
      await server.stop()
    }
  }, 60_000)

  test('that ends connections, idle or inside a transaction, does not end the process', async () => {
    const database = await open({ url: serverUrl })
    const other = await open({ url: serverUrl })
    const endAll = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'hearth-solar' and pid <> pg_backend_pid() and datname = current_database()`
    await database.ping(2_000)

    const broken = database.db.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx)
      await endAll.execute(other.db)
      await new Promise((resolve) => setTimeout(resolve, 50))
      await sql`select 1`.execute(trx)
    })

    const reason: unknown = await broken.catch((error: unknown) => error)
    expect([isUnavailable(reason), isRefusal(reason)]).toEqual([true, false])
    await expect(database.ping(2_000)).resolves.toBeUndefined()
  })

  test('gives up on a slow statement by itself', async () => {
    const database = await open({ url: serverUrl, queryTimeoutMs: 400 })

    const reason: unknown = await sql`select pg_sleep(5)`
      .execute(database.db)
      .catch((error: unknown) => error)

    expect(reason).toMatchObject({ code: '57014' })
    expect([isUnavailable(reason), isRefusal(reason)]).toEqual([true, true])
  })

  test('is asked with the options of its URL and ours together', async () => {
    const url = new URL(serverUrl)
    url.searchParams.set('options', '-c work_mem=5MB')
    const database = await open({ url: url.href })

    const { rows } =
      await sql`select current_setting('work_mem') as memory, current_setting('search_path') as path`.execute(
        database.db,
      )

    expect(rows).toEqual([{ memory: '5MB', path: 'solar' }])
  })
})

/** Starts a process that opens the embedded database, notes its visit, and stays. */
async function openInChild(dataDir: string) {
  const child = spawnOpener(dataDir, process.execPath, [])
  return { child, outcome: await firstLine(child) }
}

function spawnOpener(dataDir: string, command: string, args: readonly string[]) {
  const script = `
    import { sql } from 'kysely'
    import { openDatabase } from ${JSON.stringify(new URL('../src/database.ts', import.meta.url).href)}
    try {
      const { db } = await openDatabase({ dataDir: ${JSON.stringify(dataDir)}, schema: 'solar', log: console })
      await sql\`create table if not exists public.openers (pid int)\`.execute(db)
      await sql\`insert into public.openers values (\${process.pid})\`.execute(db)
      console.log('open')
      setInterval(() => {}, 1000)
    } catch (error) {
      console.log(/in use/.test(error.message) ? 'in use' : error.stack)
    }`
  return spawn(command, [...args, '--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function firstLine(child: { stdout: Readable }): Promise<string> {
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return line.toString().trim()
}
