import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findBinary } from '../binaries.ts'
import { startPostgres, type TestServer } from '../test-servers.ts'

const ROLES = fileURLToPath(new URL('../postgres/roles.sql', import.meta.url))
const INSUFFICIENT_PRIVILEGE = '42501'
const PASSWORDS = { solar: "it's solar", wildfire: 'wildfire-1', vehicle: 'vehicle-1' }

let server: TestServer
let solar: pg.Client

beforeAll(async () => {
  server = await startPostgres()
  applyRoles(PASSWORDS)
  const vehicle = await connectAs('vehicle')
  await vehicle.query('create table complaints (id int)')
  await vehicle.query('create function answer() returns int language sql as $$ select 42 $$')
  await vehicle.end()
  solar = await connectAs('solar')
})

afterAll(async () => {
  await solar.end()
  await server.stop()
})

test('each service creates, fills and drops tables in the schema of its name without saying so', async () => {
  await solar.query('create table saved (id int)')
  await solar.query('insert into saved values (1)')

  expect(
    (await solar.query('select schemaname from pg_tables where tablename = $1', ['saved'])).rows,
  ).toEqual([{ schemaname: 'solar' }])
  await solar.query('drop table saved')
})

test.each([
  ['read a table of another service', 'select * from vehicle.complaints'],
  ['write into a table of another service', 'insert into vehicle.complaints values (1)'],
  ['call a function of another service', 'select vehicle.answer()'],
  ['create a table in the schema of another service', 'create table wildfire.mine (id int)'],
  ['drop the schema of another service', 'drop schema vehicle cascade'],
  ['create a table in the public schema', 'create table public.mine (id int)'],
  ['create a schema', 'create schema mine'],
  ['create a temporary table', 'create temporary table mine (id int)'],
  ['create a role', 'create role friend'],
  ['create a database', 'create database mine'],
  ['become another role', 'set role vehicle'],
  ['become the superuser', 'set role postgres'],
  ['grant itself the role of another service', 'grant vehicle to solar'],
  ['read the hashes of passwords', 'select * from pg_authid'],
  ['run a program on the server', "copy (select 1) to program 'true'"],
  ['write a file on the server', "copy (select 1) to '/tmp/hearth-roles-test'"],
  ['read a file on the server', "select pg_read_file('postgresql.conf')"],
  ['install an extension', 'create extension file_fdw'],
])('the solar role may not %s', async (_action, statement) => {
  await expect(solar.query(statement)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE })
})

test('every role has its own limits of time', async () => {
  for (const role of ['solar', 'wildfire', 'vehicle'] as const) {
    const client = await connectAs(role)
    const { rows } = await client.query(
      "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
    )
    await client.end()

    expect(rows).toEqual([{ statement: '8s', lock: '2s' }])
  }
})

test('running the file again changes passwords and keeps data', async () => {
  applyRoles(PASSWORDS)

  const vehicle = await connectAs('vehicle')
  expect((await vehicle.query('select * from complaints')).rows).toEqual([])
  await vehicle.end()
})

function applyRoles(passwords: Readonly<Record<string, string>>): void {
  const psql = findBinary('psql')
  if (psql === undefined)
    throw new Error('roles.sql is written for psql, which comes with the postgresql package.')
  const variables = Object.entries(passwords).flatMap(([role, password]) => [
    '-v',
    `${role}_password=${password}`,
  ])
  execFileSync(psql, ['-X', '-q', server.url, ...variables, '-f', ROLES], { stdio: 'pipe' })
}

async function connectAs(role: keyof typeof PASSWORDS): Promise<pg.Client> {
  const { hostname, port, pathname } = new URL(server.url)
  const client = new pg.Client({
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: role,
    password: PASSWORDS[role],
  })
  await client.connect()
  return client
}
