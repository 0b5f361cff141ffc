import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, projectRoot, readConfig, serviceVariables, type Environment } from '../src/config.ts'
import { secret } from '../src/variables.ts'

const STRONG = 'k4Jw0vQm2ZpX8sRtLhN6yBcD1fGa9eUiTzO3xWq7Vn5='

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-config-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('an empty environment gives the defaults, and nothing in it can be changed', () => {
  const config = read({})

  expect(config).toEqual({
    nodeEnv: 'development',
    host: '127.0.0.1',
    port: 3001,
    internalPort: 9001,
    publicUrl: 'http://127.0.0.1:3001',
    databaseUrl: undefined,
    redisUrl: undefined,
    dataDir: join(directory, '.data', 'solar-api'),
    trustProxy: 0,
    logLevel: 'info',
    shutdownDelayMs: 0,
    shutdownDeadlineMs: 20_000,
    migrateOnStart: true,
  })
  expect(Object.isFrozen(config)).toBe(true)
})

test('production waits before it stops and does not migrate by itself', () => {
  const config = read(PRODUCTION)

  expect(config).toMatchObject({
    shutdownDelayMs: 5_000,
    migrateOnStart: false,
    databaseUrl: PRODUCTION['DATABASE_URL'],
  })
})

test('values are read as what they are, and an empty text is unset', () => {
  const config = read({
    HOST: '0.0.0.0',
    PORT: '8080',
    INTERNAL_PORT: '0',
    LOG_LEVEL: '',
    REDIS_URL: ' redis://a:1 , b:2,',
    MIGRATE_ON_START: '0',
    DATA_DIR: 'elsewhere',
  })

  expect(config).toMatchObject({
    publicUrl: 'http://localhost:8080',
    internalPort: 0,
    logLevel: 'info',
    redisUrl: 'redis://a:1,redis://b:2',
    migrateOnStart: false,
    dataDir: join(directory, 'elsewhere'),
  })
  expect(read({ REDIS_URL: 'redis://a:1,' }).redisUrl).toBe('redis://a:1,')
  expect(read({ PUBLIC_URL: 'https://api.example.org/solar/' }).publicUrl).toBe(
    'https://api.example.org/solar',
  )
})

test('every problem is one line that begins with the name of the variable', () => {
  const error = problemsOf({
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: '-1',
    MIGRATE_ON_START: 'perhaps',
  })

  expect(error.message.split('\n')).toEqual([
    'PORT is "eighty"; expected a whole number from 0 to 65535.',
    'TRUST_PROXY is "-1"; expected a whole number from 0 to 10.',
    'LOG_LEVEL is "loud"; expected one of fatal, error, warn, info, debug, trace, silent.',
    'MIGRATE_ON_START is "perhaps"; expected true or false.',
  ])
})

test.each([
  [{ PORT: '65536' }, 'PORT'],
  [{ PORT: '3.5' }, 'PORT'],
  [{ PORT: '0x50' }, 'PORT'],
  [{ PORT: '80 ' }, 'PORT'],
  [{ PORT: '9001' }, 'INTERNAL_PORT'],
  [{ INTERNAL_PORT: '3001' }, 'INTERNAL_PORT'],
  [{ PUBLIC_URL: 'api.example.org' }, 'PUBLIC_URL'],
  [{ PUBLIC_URL: 'ftp://api.example.org' }, 'PUBLIC_URL'],
  [{ PUBLIC_URL: 'https://api.example.org/?a=b' }, 'PUBLIC_URL'],
  [{ DATABASE_URL: 'mysql://localhost/solar' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'localhost' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'postgres:///solar' }, 'DATABASE_URL'],
  [{ REDIS_URL: 'http://localhost:6379' }, 'REDIS_URL'],
  [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL'],
  [{ REDIS_URL: 'redis://a:1,http://b:2' }, 'REDIS_URL'],
  [{ REDIS_URL: ',' }, 'REDIS_URL'],
  [{ NODE_ENV: 'prod' }, 'NODE_ENV'],
  [{ SHUTDOWN_DELAY_MS: '-5' }, 'SHUTDOWN_DELAY_MS'],
  [{ SHUTDOWN_DEADLINE_MS: '20s' }, 'SHUTDOWN_DEADLINE_MS'],
  [{ PORT: '1', PORT_FILE: '/dev/null' }, 'PORT'],
  [{ PORT_FILE: '/nowhere/port' }, 'PORT_FILE'],
  [{ PORT_FILE: '/dev/null' }, 'PORT_FILE'],
  [{ NODE_ENV: 'production', REDIS_URL: 'redis://r:1' }, 'DATABASE_URL'],
  [{ NODE_ENV: 'production', DATABASE_URL: 'postgres://p/d' }, 'REDIS_URL'],
] as [Environment, string][])('%j is refused in one line that begins with %s', (environment, name) => {
  const { problems } = problemsOf(environment)

  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(new RegExp(`^${name} .*\\.$`))
})

test('passwords inside refused URLs are not printed', () => {
  const { message } = problemsOf({
    DATABASE_URL: 'mysql://u:hunter2@h/d',
    REDIS_URL: 'redis://:hunter2@h:port',
  })

  expect(message).toMatch(/DATABASE_URL[^]*REDIS_URL/)
  expect(message).not.toContain('hunter2')
})

test('a value may come from a file, without the newline at its end', () => {
  const path = join(directory, 'port')
  writeFileSync(path, '4000\r\n')

  expect(read({ PORT_FILE: path }).port).toBe(4000)
})

test('a default that depends on a refused variable adds no second complaint', () => {
  expect(problemsOf({ HOST_FILE: '/nowhere/host' }).problems).toHaveLength(1)
  expect(problemsOf({ NODE_ENV: 'prod' }).problems).toHaveLength(1)
})

test('the data directory is the same from the root of the repository and from inside a workspace', () => {
  const root = join(import.meta.dirname, '..', '..', '..')

  expect(projectRoot(join(root, 'libs', 'chassis'))).toBe(projectRoot(root))
  expect(projectRoot(directory)).toBe(directory)
})

describe('a secret', () => {
  test.each([
    ['too short', 'k4Jw0vQm2ZpX8sRtLhN6yBcD1fGa9eU'],
    ['a placeholder', `changeme-${STRONG}`],
    ['another placeholder', `your-Secret-key-${STRONG}`],
    ['one character', 'x'.repeat(64)],
    ['few characters', 'abcabdabeabcacdabcabdabeaabbccddee'],
    ['a repeated pattern', 'k4Jw0vQm2ZpX8k4Jw0vQm2ZpX8k4Jw0vQm2ZpX8k4Jw0'],
    ['a sequence', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL'],
  ])('that is %s is refused, and not printed', (_name, value) => {
    const { problems } = problemsOfSecret({ KEY_PEPPER: value })

    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^KEY_PEPPER /)
    expect(problems[0]).not.toContain(value)
  })

  test('that is strong is taken as it is, from the environment or a file', () => {
    const path = join(directory, 'pepper')
    writeFileSync(path, `${STRONG}\n`)

    expect(readSecret({ KEY_PEPPER: STRONG }).keyPepper).toBe(STRONG)
    expect(readSecret({ KEY_PEPPER_FILE: path }).keyPepper).toBe(STRONG)
  })

  test('must be given in production', () => {
    const { problems } = problemsOfSecret(PRODUCTION)

    expect(problems).toEqual([expect.stringMatching(/^KEY_PEPPER must be set when NODE_ENV is production; /)])
  })

  test('is generated once, for its owner alone, and is the same after a restart', () => {
    const first = readSecret({}).keyPepper
    const second = readSecret({}).keyPepper

    const path = join(directory, '.data', 'solar-api', 'secrets', 'KEY_PEPPER')
    expect(first).toHaveLength(43)
    expect(second).toBe(first)
    expect(readFileSync(path, 'utf8')).toBe(`${first}\n`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  })

  test('that was generated and then damaged is refused with its path', () => {
    readSecret({})
    const path = join(directory, '.data', 'solar-api', 'secrets', 'KEY_PEPPER')
    writeFileSync(path, 'short')

    expect(problemsOfSecret({}).problems).toEqual([expect.stringContaining(`has only 5 bytes in ${path}`)])
  })

  test('is agreed on by processes that start at once', async () => {
    const startAt = Date.now() + 1_000
    const secrets = await Promise.all(Array.from({ length: 4 }, () => readSecretsInChild(startAt)))

    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]?.split(' ').map((value) => value.length)).toEqual(SECRETS.map(() => 43))
    expect(readdirSync(join(directory, 'shared', 'secrets'))).toEqual(SECRETS)
  })

  test('that cannot be kept names the variable', () => {
    writeFileSync(join(directory, 'file'), '')

    expect(problemsOfSecret({ DATA_DIR: 'file' }).problems).toEqual([
      expect.stringMatching(/^KEY_PEPPER cannot be generated into .*; set it, or make DATA_DIR writable\.$/),
    ])
  })
})

const PRODUCTION = { NODE_ENV: 'production', DATABASE_URL: 'postgres://u:p@h/d', REDIS_URL: 'rediss://h:1' }

function variables() {
  return serviceVariables({ service: 'solar-api', port: 3001, internalPort: 9001, base: directory })
}

function read(environment: Environment) {
  return readConfig(environment, variables())
}

function readSecret(environment: Environment) {
  return readConfig(environment, { ...variables(), keyPepper: secret('KEY_PEPPER') })
}

function problemsOf(environment: Environment): ConfigError {
  return errorOf(() => read(environment))
}

function problemsOfSecret(environment: Environment): ConfigError {
  return errorOf(() => readSecret(environment))
}

function errorOf(work: () => unknown): ConfigError {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('The configuration was accepted.')
}

const SECRETS = Array.from({ length: 20 }, (_, at) => `SECRET_${String.fromCharCode(65 + at)}`)

/** Many secrets, from one moment on, so that the processes do meet. */
async function readSecretsInChild(startAt: number): Promise<string> {
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url).href)
  const script = `
    import { readConfig, serviceVariables } from ${source('config')}
    import { secret } from ${source('variables')}
    const base = serviceVariables({ service: 'solar-api', port: 1, internalPort: 2, base: ${JSON.stringify(directory)} })
    const names = ${JSON.stringify(SECRETS)}
    const secrets = Object.fromEntries(names.map((name) => [name, secret(name)]))
    while (Date.now() < ${startAt});
    const config = readConfig({ DATA_DIR: 'shared' }, { ...base, ...secrets })
    process.stdout.write(names.map((name) => config[name]).join(' '))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  return output
}
