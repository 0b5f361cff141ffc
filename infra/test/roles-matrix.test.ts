import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findBinary } from '../binaries.ts'
import { startPostgres, type TestServer } from '../test-servers.ts'

const ROLES = fileURLToPath(new URL('../postgres/roles.sql', import.meta.url))
const DENIED = '42501'
/** Each service migrates itself, so there is no role for migrations besides these. */
const services = ['solar', 'wildfire', 'vehicle'] as const

let server: TestServer
/** Somebody whose connection the services might like to end. */
let administrator: pg.Client
const clients = new Map<string, pg.Client>()

beforeAll(async () => {
  server = await startPostgres()
  administrator = new pg.Client(server.url)
  await administrator.connect()
  const variables = services.flatMap((name) => ['-v', `${name}_password=${name}-1`])
  execFileSync(findBinary('psql') ?? 'psql', ['-X', '-q', server.url, ...variables, '-f', ROLES], {
    stdio: 'pipe',
  })
  for (const service of services) {
    const url = new URL(server.url)
    const client = new pg.Client({
      ...{ host: url.hostname, port: Number(url.port), database: url.pathname.slice(1) },
      ...{ user: service, password: `${service}-1` },
    })
    await client.connect()
    await client.query(`create table ${service}.mine (id int)`)
    await client.query(`create function ${service}.answer() returns int language sql as $$ select 42 $$`)
    clients.set(service, client)
  }
})
afterAll(async () => {
  for (const client of [administrator, ...clients.values()]) await client.end()
  await server.stop()
})

/** SQLSTATE of what a role gets for a statement; `ok` when it may. */
async function outcome(role: string, statement: string): Promise<string> {
  try {
    await clients.get(role)?.query(statement)
    return 'ok'
  } catch (error) {
    return String((error as { code?: string }).code)
  }
}

/** What every role may do in the schema of a service: everything in its own, nothing in another. */
const statements = (schema: string): readonly string[] => [
  `select * from ${schema}.mine`,
  `insert into ${schema}.mine values (1)`,
  `update ${schema}.mine set id = 2`,
  `delete from ${schema}.mine`,
  `select ${schema}.answer()`,
  `create table ${schema}.other (id int)`,
  `create index on ${schema}.mine (id)`,
  `drop table if exists ${schema}.other`,
]

/** What no role may do anywhere. */
const forbidden: readonly string[] = [
  'create schema mine',
  'create table public.mine (id int)',
  'create temporary table mine (id int)',
  'create role friend',
  'create database mine',
  'set role postgres',
  'select * from pg_authid',
  `copy (select 1) to program 'true'`,
  `copy (select 1) to '/tmp/hearth-roles-matrix'`,
  `select pg_read_file('postgresql.conf')`,
  'create extension file_fdw',
  `alter system set fsync = 'off'`,
  `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres'`,
]

test('every role may use its own schema and no other: the whole table (T58)', async () => {
  const expected: Record<string, string> = {}
  const found: Record<string, string> = {}
  for (const role of services) {
    for (const schema of services) {
      for (const statement of statements(schema)) {
        expected[`${role}: ${statement}`] = role === schema ? 'ok' : DENIED
        found[`${role}: ${statement}`] = await outcome(role, statement)
      }
    }
  }
  // Dropping what cannot be seen is no crime: Postgres says that there is nothing.
  const seen = Object.entries(found).filter(([key, value]) => !(key.includes('drop table') && value === 'ok'))
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(seen.map(([key]) => [key, expected[key]])))
  expect(Object.keys(found)).toHaveLength(9 * statements('x').length)
})

test.each(services)('the role of %s may do nothing beyond its schema (T58)', async (role) => {
  const found: string[][] = []
  for (const statement of forbidden) found.push([statement, await outcome(role, statement)])
  expect(found).toEqual(forbidden.map((statement) => [statement, DENIED]))
})

test.each(services)('waiting for a lock ends for the role of %s (T58)', async (role) => {
  const holder = new pg.Client(server.url)
  await holder.connect()
  await holder.query('begin')
  await holder.query(`lock table ${role}.mine in access exclusive mode`)
  const LOCK_TIMEOUT = '55P03'
  expect(await outcome(role, `select * from ${role}.mine`)).toBe(LOCK_TIMEOUT)
  await holder.query('rollback')
  await holder.end()
})

test('statements of every role end after eight seconds (T58)', async () => {
  const STATEMENT_TIMEOUT = '57014'
  const outcomes = services.map((role) => outcome(role, 'select pg_sleep(12)'))
  expect(await Promise.all(outcomes)).toEqual(services.map(() => STATEMENT_TIMEOUT))
}, 30_000)

test('a transaction that is left open ends for every role (T58)', async () => {
  const settings = services.map(async (role) => {
    const result = await clients
      .get(role)
      ?.query<{ idle: string }>(`select current_setting('idle_in_transaction_session_timeout') as idle`)
    return result?.rows[0]?.idle
  })
  expect(await Promise.all(settings)).toEqual(services.map(() => '15s'))
})
