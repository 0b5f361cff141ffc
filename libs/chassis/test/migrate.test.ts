import { sql, type Kysely } from 'kysely'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabase, dropDatabase } from '@hearth/infra/test-servers'
import { openDatabase, type Database } from '../src/database.ts'
import { migrate, pendingMigrations, type MigrationList } from '../src/migrate.ts'
import { recordingLogger } from './logs.ts'

type Tables = Record<string, never>

const { log } = recordingLogger()
const opened: Database<Tables>[] = []
let directory: string
let url: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-migrate-'))
})

afterAll(() => rm(directory, { recursive: true, force: true }))

beforeEach(async () => {
  url = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
})

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
  await dropDatabase(url)
})

describe.each(['postgres', 'pglite'] as const)('on %s', (engine) => {
  test('applies the lists in order into the schema of the service, once, and later only what is new', async () => {
    const dataDir = join(directory, 'order')
    const database = await open(engine === 'postgres' ? { url } : { dataDir })
    const before = await pendingMigrations(database, [ACCOUNT, SOLAR])

    const first = await migrate(database, [ACCOUNT, SOLAR], log)
    const second = await migrate(database, [ACCOUNT, SOLAR], log)
    const grown = { owner: 'account', migrations: { ...ACCOUNT.migrations, '0003_extra': create('extra') } }
    const third = await migrate(database, [grown, SOLAR], log)

    expect(before).toEqual(['account/0001_accounts', 'account/0002_keys', 'solar/0001_runs'])
    expect(first).toEqual(before)
    expect(second).toEqual([])
    expect(third).toEqual(['account/0003_extra'])
    expect(await pendingMigrations(database, [grown, SOLAR])).toEqual([])
    expect(await tablesOf(database)).toEqual([
      'account_migration',
      'account_migration_lock',
      'accounts',
      'extra',
      'keys',
      'runs',
      'solar_migration',
      'solar_migration_lock',
    ])
  }, 30_000)

  test('a migration that fails is named and leaves nothing of its list behind', async () => {
    const database = await open(engine === 'postgres' ? { url } : { dataDir: join(directory, 'failure') })
    const broken = {
      owner: 'account',
      migrations: {
        ...ACCOUNT.migrations,
        '0003_broken': { up: (db: Kysely<unknown>) => run(db, 'create nonsense') },
      },
    }

    await expect(migrate(database, [broken], log)).rejects.toThrow(
      /^The migration account\/0003_broken failed/,
    )

    expect(await pendingMigrations(database, [broken])).toHaveLength(3)
    expect(await tablesOf(database)).not.toContain('accounts')
    expect(await migrate(database, [ACCOUNT], log)).toHaveLength(2)
  }, 30_000)

  test('a release that is older than the database starts on it', async () => {
    const database = await open(engine === 'postgres' ? { url } : { dataDir: join(directory, 'older') })
    await migrate(database, [ACCOUNT, SOLAR], log)
    const older = { owner: 'account', migrations: { '0001_accounts': create('accounts') } }

    expect(await pendingMigrations(database, [older])).toEqual([])
    expect(await migrate(database, [older], log)).toEqual([])
  }, 30_000)
})

test('three processes that start at once apply each migration once', async () => {
  const children = [startMigrating(), startMigrating(), startMigrating()]

  const outputs = await Promise.all(children.map(output))

  expect(outputs.flat().sort()).toEqual(['slow/0001_first', 'slow/0002_second'])
  const database = await open({ url })
  const { rows } = await sql`select count(*) as marks from marks`.execute(database.db)
  expect(rows).toEqual([{ marks: 2 }])
}, 30_000)

test('a run that is killed in the middle leaves nothing half done, and the next run completes', async () => {
  const victim = startMigrating()
  const watcher = new pg.Client(url)
  await watcher.connect()
  while (!(await isSleeping(watcher))) await new Promise((resolve) => setTimeout(resolve, 10))
  victim.kill('SIGKILL')
  await once(victim, 'exit')

  const applied = await output(startMigrating())

  expect(applied).toEqual(['slow/0001_first', 'slow/0002_second'])
  expect((await watcher.query('select count(*)::int as marks from solar.marks')).rows).toEqual([{ marks: 2 }])
  await watcher.end()
}, 30_000)

test('a role that may not create schemas migrates in the schema that it was given', async () => {
  const role = `solar_${process.pid}`
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`create role ${role} login; create schema solar authorization ${role}`)
  const limited = new URL(url)
  limited.username = role
  const database = await open({ url: limited.href })
  try {
    const applied = await migrate(database, [SOLAR], log)

    expect(applied).toEqual(['solar/0001_runs'])
    await expect(sql`create schema other`.execute(database.db)).rejects.toMatchObject({ code: '42501' })
  } finally {
    await database.close()
    await admin.query(`drop schema solar cascade; drop role ${role}`)
    await admin.end()
  }
})

test('a table that a transaction holds is waited for in several short attempts', async () => {
  const database = await open({ url })
  await migrate(database, [ACCOUNT], log)
  const holder = new pg.Client(url)
  await holder.connect()
  await holder.query('begin; lock table solar.accounts in access exclusive mode')
  const altered = {
    owner: 'account',
    migrations: {
      ...ACCOUNT.migrations,
      '0003_column': { up: (db: Kysely<unknown>) => run(db, 'alter table accounts add column note text') },
    },
  }

  const migrating = migrate(database, [altered], log)
  await new Promise((resolve) => setTimeout(resolve, 2_300))
  await holder.query('rollback')
  await holder.end()

  expect(await migrating).toEqual(['account/0003_column'])
}, 20_000)

test('a process that migrates for too long is not waited for', async () => {
  const database = await open({ url })
  const holder = new pg.Client(url)
  await holder.connect()
  await holder.query(`select pg_advisory_lock(hashtextextended('hearth migrations of solar', 0))`)

  const waiting = migrate(database, [ACCOUNT], log, { lockWaitMs: 200 })

  await expect(waiting).rejects.toThrow('Another process has been migrating for 200 ms')
  await holder.end()
  expect(await migrate(database, [ACCOUNT], log)).toHaveLength(2)
})

test('migrations out of alphabetical order are refused before anything is done', async () => {
  const database = await open({ url })
  const list = { owner: 'solar', migrations: { '0002_b': create('b'), '0001_a': create('a') } }

  await expect(migrate(database, [list], log)).rejects.toThrow('"solar/0001_a" is out of order')
})

const ACCOUNT: MigrationList = {
  owner: 'account',
  migrations: { '0001_accounts': create('accounts'), '0002_keys': create('keys') },
}
const SOLAR: MigrationList = { owner: 'solar', migrations: { '0001_runs': create('runs') } }

function create(table: string) {
  return { up: (db: Kysely<unknown>) => run(db, `create table ${table} (id int)`) }
}

async function run(db: Kysely<unknown>, statement: string): Promise<void> {
  await sql.raw(statement).execute(db)
}

async function open(options: { url?: string; dataDir?: string }) {
  const database = await openDatabase<Tables>({ schema: 'solar', dataDir: directory, log, ...options })
  opened.push(database)
  return database
}

async function tablesOf(database: Database<Tables>): Promise<string[]> {
  const tables = sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'solar' order by 1`
  return (await tables.execute(database.db)).rows.map((row) => row.name)
}

async function isSleeping(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from pg_stat_activity where query like '%pg_sleep(0.8)' and state = 'active'`,
  )
  return (rowCount ?? 0) > 0
}

/** A process whose two migrations take 0.8 s each, longer than the usual deadline of a query together. */
function startMigrating(): ChildProcess {
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url).href)
  const script = `
    import { sql } from 'kysely'
    import { openDatabase } from ${source('database')}
    import { migrate } from ${source('migrate')}
    const log = { info() {}, warn() {} }
    const mark = (name) => ({ up: async (db) => {
      await sql\`create table if not exists marks (name text)\`.execute(db)
      await sql\`insert into marks values (\${name})\`.execute(db)
      await sql.raw('select pg_sleep(0.8)').execute(db)
    } })
    const database = await openDatabase({ url: ${JSON.stringify(url)}, dataDir: '.', schema: 'solar', log, queryTimeoutMs: 500 })
    const migrations = { '0001_first': mark('first'), '0002_second': mark('second') }
    console.log(JSON.stringify(await migrate(database, [{ owner: 'slow', migrations }], log)))
    await database.close()`
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function output(child: ChildProcess): Promise<string[]> {
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(child, 'close')
  return JSON.parse(text) as string[]
}
