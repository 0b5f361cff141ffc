import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { commandOf, isAlive } from '../processes.ts'
import { sweepAbandoned } from '../server-process.ts'
import {
  createDatabase,
  dropDatabase,
  startPostgres,
  startRedis,
  type RedisOptions,
  type TestServer,
} from '../test-servers.ts'

describe('a private Postgres', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: 17 } })
  })

  afterAll(() => server.stop())

  test('runs with the settings it was given', async () => {
    expect(await select(server.url, 'show max_connections')).toEqual([{ max_connections: '17' }])
  })

  test('keeps its port and committed rows when it is killed and restarted', async () => {
    await select(server.url, 'create table kept as select 42 as answer')
    const { port } = server

    await select(server.url, 'checkpoint')
    await server.kill()
    await expect(select(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
    await server.restart()

    expect(server.port).toBe(port)
    expect(await select(server.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('answers nothing on an open connection while it is paused, and goes on afterwards', async () => {
    const client = new pg.Client(server.url)
    await client.connect()

    server.pause()
    let answered = false
    const answer = client.query('select 1').then(() => (answered = true))
    await delay(200)
    const answeredWhilePaused = answered
    server.resume()
    await answer

    expect(answeredWhilePaused).toBe(false)
    await client.end()
  })

  test('gives each caller an empty database of its own and drops it while someone is connected', async () => {
    const [first, second] = await Promise.all([createDatabase(server.url), createDatabase(server.url)])
    const client = new pg.Client(first)
    client.on('error', () => undefined)
    await client.connect()
    await client.query('create table here (id int)')

    expect(await select(second, "select to_regclass('here') as found")).toEqual([{ found: null }])
    await dropDatabase(first)
    await dropDatabase(second)
    await expect(select(first, 'select 1')).rejects.toThrow('does not exist')
  })
})

describe('a private Redis', () => {
  const cleanups: (() => unknown)[] = []

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup()
  })

  test('refuses writes beyond its memory limit instead of evicting keys', async () => {
    const { redis } = await open({ maxmemory: '2mb' })

    await expect(fill(redis)).rejects.toThrow('OOM')
    expect(await redis.exists('key:0')).toBe(1)
  })

  test('keeps written keys over a crash when it appends to a file', async () => {
    const { server, redis } = await open({ appendonly: true, args: ['--appendfsync', 'always'] })
    await redis.set('kept', 'yes')

    await server.kill()
    await server.restart()

    expect(await redis.get('kept')).toBe('yes')
  })

  test('leaves neither process nor directory behind when stopped twice', async () => {
    const { server, redis } = await open({})
    redis.disconnect()
    const { pid } = server
    const directories = ownDirectories(pid)

    await server.stop()
    await server.stop()

    expect(isAlive(pid)).toBe(false)
    expect(directories).toHaveLength(1)
    expect(directories.filter(existsSync)).toEqual([])
  })

  async function open(options: RedisOptions): Promise<{ server: TestServer; redis: Redis }> {
    const server = await startRedis(options)
    const redis = new Redis(server.url)
    // While the server is away the client reports every attempt; the commands themselves wait.
    redis.on('error', () => undefined)
    cleanups.push(
      () => {
        redis.disconnect()
      },
      () => server.stop(),
    )
    return { server, redis }
  }
})

test('servers die with a parent that is killed outright, and the next sweep removes their files', async () => {
  const module = fileURLToPath(new URL('../test-servers.ts', import.meta.url))
  const program = `import { startPostgres, startRedis } from ${JSON.stringify(module)}
    const servers = await Promise.all([startPostgres(), startRedis()])
    process.stdout.write(JSON.stringify(servers.map((server) => server.pid)))
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await once(parent.stdout, 'data')
  const pids = parsePids(String(output))
  const directories = pids.flatMap(ownDirectories)
  expect(directories).toHaveLength(2)

  parent.kill('SIGKILL')
  await once(parent, 'close')
  await delay(100)
  sweepAbandoned()

  expect(pids.filter(isAlive)).toEqual([])
  expect(directories.filter(existsSync)).toEqual([])
})

/** The temporary directories that the command line of a server names. */
function ownDirectories(pid: number): string[] {
  const command = commandOf(pid)
  return readdirSync(tmpdir())
    .map((name) => `${tmpdir()}/${name}`)
    .filter((path) => path.includes('/hearth-test-') && command.includes(path))
}

async function select(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

async function fill(redis: Redis): Promise<void> {
  for (let index = 0; index < 1_000; index += 1) await redis.set(`key:${String(index)}`, 'x'.repeat(10_000))
}

function parsePids(json: string): number[] {
  const value: unknown = JSON.parse(json)
  return Array.isArray(value) ? value.map(Number) : []
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
