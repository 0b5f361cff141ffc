import { openDatabase } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import { createDatabase, startPostgres, type TestServer } from '@hearth/infra/test-servers'
import { sql } from 'kysely'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  endAll,
  freePorts,
  newDirectory,
  newSecret,
  runProcess,
  send,
  startProcess,
} from '@hearth/chassis/testing/service-process'

/** A value that must never be printed is marked by this text. */
const canary = 'cAnAry7Qx'

const log = createLogger({ level: 'silent', service: 'test' })

type Broken = {
  readonly what: string
  /** What the environment has besides directory and ports. */
  readonly given: Readonly<Record<string, string>>
  /** The variable that the one line must name. */
  readonly names: string
}

// Each start takes a core for half a second, and the cores may be busy.
import.meta.jest.setTimeout(120_000)
afterAll(endAll)

test('each broken configuration ends the process at once, with one line that names the variable', async () => {
  const directory = newDirectory()
  const postgres = await startStrictPostgres(directory)
  const cases = brokenConfigurations(directory, await wrongDatabases(postgres))
  const occupant = createServer()
  await new Promise<void>((done) => occupant.listen(0, '127.0.0.1', done))
  const { port } = occupant.address() as AddressInfo // it listens on a port
  cases.push({ what: 'a port in use', given: { ...stores(), PORT: String(port) }, names: 'PORT' })
  expect(cases.length).toBeGreaterThanOrEqual(30)

  const outcomes = await fewAtATime(cases, async ({ what, given, names }) => {
    const environment = { DATA_DIR: join(directory, 'data'), ...(await freePorts()), ...given }
    const { code, stdout, stderr, ms } = await runProcess([], environment)
    const lines = stderr.trim().split('\n')
    return {
      what,
      ms,
      ended: code === 1,
      lines: lines.length,
      named: lines[0]?.startsWith(`${names} `),
      said: said(given, stdout + stderr),
      stderr,
    }
  })
  await new Promise((done) => occupant.close(done))
  await postgres.stop()

  const slowest = outcomes.toSorted((a, b) => b.ms - a.ms)[0]
  console.log(
    `${outcomes.length} broken configurations; the slowest took ${Math.round(slowest?.ms ?? 0)} ms (${slowest?.what})`,
  )
  const wrong = outcomes.filter(
    ({ ended, lines, named, said }) => !ended || lines !== 1 || !named || said.length > 0,
  )
  expect(wrong).toEqual([])
})

test('several mistakes are told at once, one line each', async () => {
  const given = { PORT: 'x', LOG_LEVEL: 'loud', TRUST_PROXY: '-1', KEY_PEPPER: `${canary} short` }
  const { code, stderr } = await runProcess([], { DATA_DIR: newDirectory(), ...given })

  expect(code).toBe(1)
  const names = stderr
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0])
  expect(names).toEqual(['PORT', 'TRUST_PROXY', 'LOG_LEVEL', 'KEY_PEPPER'])
  expect(stderr).not.toContain(canary)
})

test('values may be in files that end in a line break', async () => {
  const directory = newDirectory()
  const inFile = (name: string, value: string) => {
    writeFileSync(join(directory, name), `${value}\n`)
    return [`${name}_FILE`, join(directory, name)] as const
  }
  const { PORT = '', INTERNAL_PORT = '' } = await freePorts()
  const token = newSecret()
  const database = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
  const service = await startProcess({
    DATA_DIR: join(directory, 'data'),
    INTERNAL_PORT,
    ...Object.fromEntries([
      inFile('PORT', PORT),
      inFile('DATABASE_URL', database),
      inFile('REDIS_URL', process.env['TEST_REDIS_URL'] ?? ''),
      inFile('KEY_PEPPER', newSecret()),
      inFile('JWT_SECRET', newSecret()),
      inFile('OPERATOR_TOKEN', token),
      ['NODE_ENV', 'production'],
      ['MIGRATE_ON_START', 'true'],
      ['SHUTDOWN_DELAY_MS', '0'],
    ]),
  })

  expect(service.baseUrl).toBe(`http://127.0.0.1:${PORT}`)
  expect((await send(`${service.baseUrl}/readyz`)).body).toEqual({
    status: 'ok',
    checks: { postgres: 'ok', redis: 'ok' },
  })
  const operator = await send(`${service.internalUrl}/operator/accounts`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect(operator).toMatchObject({ status: 200, body: { accounts: [] } })
  expect(await service.stop()).toBe(0)
})

/** A production environment that lacks nothing. */
function production(): Record<string, string> {
  return {
    ...stores(),
    NODE_ENV: 'production',
    REDIS_URL: process.env['TEST_REDIS_URL'] ?? '',
    ...{ KEY_PEPPER: newSecret(), JWT_SECRET: newSecret(), OPERATOR_TOKEN: newSecret() },
  }
}

/** Real stores, so that nothing else is wrong. */
function stores(): Record<string, string> {
  return { DATABASE_URL: process.env['TEST_DATABASE_URL'] ?? '' }
}

function brokenConfigurations(directory: string, wrongDatabases: readonly Broken[]): Broken[] {
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const without = (name: string): Broken => {
    return { what: `${name} missing in production`, given: { ...production(), [name]: '' }, names: name }
  }
  const wrong = (name: string, value: string): Broken => ({
    what: `${name}=${value.slice(0, 40)}`,
    given: { ...stores(), [name]: value },
    names: name,
  })
  const asFile = (name: string, path: string, names = `${name}_FILE`): Broken => ({
    what: `${name}_FILE=${path}`,
    given: { [`${name}_FILE`]: path },
    names,
  })
  mkdirSync(join(directory, 'a-directory'))
  const strong = newSecret()
  return [
    ...['DATABASE_URL', 'REDIS_URL', 'KEY_PEPPER', 'JWT_SECRET', 'OPERATOR_TOKEN'].map(without),
    ...['abc', '-1', '65536', '3001.5', '3001 ', '0x10', '1e3'].map((value) => wrong('PORT', value)),
    {
      what: 'one port for both',
      given: { ...stores(), PORT: '3999', INTERNAL_PORT: '3999' },
      names: 'INTERNAL_PORT',
    },
    wrong('NODE_ENV', 'prod'),
    wrong('LOG_LEVEL', 'verbose'),
    wrong('LOG_LEVEL', 'INFO'),
    wrong('MIGRATE_ON_START', 'yes'),
    wrong('TRUST_PROXY', 'loopback'),
    wrong('TRUST_PROXY', '11'),
    wrong('BURST_PER_SECOND', '-1'),
    wrong('SIGNUPS_PER_HOUR', 'five'),
    wrong('FAILED_AUTH_PER_MINUTE', '1.5'),
    wrong('SHUTDOWN_DEADLINE_MS', '300001'),
    wrong('SIMULATION_WORKERS', '0'),
    wrong('SIMULATION_QUEUE', '-1'),
    wrong('SHUTDOWN_DELAY_MS', '5s'),
    wrong('PUBLIC_URL', 'api.example.com'),
    wrong('PUBLIC_URL', 'https://api.example.com/?a=1'),
    wrong('PUBLIC_URL', 'ftp://api.example.com'),
    wrong('HOST', '203.0.113.77'),
    wrong('DATABASE_URL', `mysql://root:${canary}@127.0.0.1/db`),
    wrong('DATABASE_URL', `not a url ${canary}`),
    wrong('REDIS_URL', `http://:${canary}@127.0.0.1:6379`),
    wrong('REDIS_URL', ', ,'),
    wrong('KEY_PEPPER', canary),
    wrong('KEY_PEPPER', `change-me-${canary}-${strong}`),
    wrong('JWT_SECRET', canary.repeat(5)),
    wrong('JWT_SECRET', `${strong}, ${canary}`),
    wrong('OPERATOR_TOKEN', 'abcdefghijklmnopqrstuvwxyz0123456789'),
    wrong('OPERATOR_TOKEN', `${strong},`),
    asFile('KEY_PEPPER', join(directory, 'nothing-here')),
    asFile('KEY_PEPPER', join(directory, 'a-directory')),
    asFile('KEY_PEPPER', file('empty', '\n')),
    asFile('KEY_PEPPER', file('weak', `${canary}\n`), 'KEY_PEPPER'),
    {
      what: 'value and file',
      given: { KEY_PEPPER: strong, KEY_PEPPER_FILE: file('strong', strong) },
      names: 'KEY_PEPPER',
    },
    ...wrongDatabases,
  ]
}

/** Databases that answer and refuse: what trying again does not cure. */
async function wrongDatabases({ url }: TestServer): Promise<Broken[]> {
  const at = (change: Partial<URL>) => ({ DATABASE_URL: Object.assign(new URL(url), change).href })
  const database = await openDatabase({ url, dataDir: '', schema: 'public', log })
  await sql.raw(`create role someone login password '${newSecret()}'`).execute(database.db)
  await database.close()
  return [
    { what: 'no such database', given: at({ pathname: '/no_such_database' }), names: 'DATABASE_URL' },
    { what: 'no such user', given: at({ username: 'nobody', password: canary }), names: 'DATABASE_URL' },
    { what: 'a wrong password', given: at({ username: 'someone', password: canary }), names: 'DATABASE_URL' },
  ]
}

/** A Postgres that asks everybody but its owner for a password. */
function startStrictPostgres(directory: string): Promise<TestServer> {
  const rules = join(directory, 'pg_hba.conf')
  writeFileSync(rules, 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
  chmodSync(directory, 0o755) // Postgres may run as another user
  return startPostgres({ settings: { hba_file: rules } })
}

/** Values that must not be printed and were: marked ones, and whole secrets. */
function said(given: Readonly<Record<string, string>>, output: string): string[] {
  const secret = /PEPPER$|SECRET$|TOKEN$/
  const values = Object.entries(given).flatMap(([name, value]) =>
    secret.test(name) ? value.split(/[,\s]+/) : [],
  )
  return [canary, ...values].filter((value) => value.length > 6 && output.includes(value))
}

/** Starting a process takes a core for half a second; more at once than cores only makes all of them slow. */
async function fewAtATime<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      results[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: 3 }, worker))
  return results
}
