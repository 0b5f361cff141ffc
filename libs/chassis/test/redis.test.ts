import type { Cluster, Redis } from 'ioredis'
import { once } from 'node:events'
import { startRedis, type TestServer } from '@hearth/infra/test-servers'
import { isRedisUnavailable, openRedis } from '../src/redis.ts'
import { recordingLogger } from './logs.ts'

let server: TestServer
let client: Redis | Cluster
let lines: Record<string, unknown>[]

beforeEach(async () => {
  server = await startRedis()
  const recording = recordingLogger()
  lines = recording.lines
  client = openRedis(server.url, { log: recording.log, commandTimeoutMs: 75 })
  await once(client, 'ready')
})

afterEach(async () => {
  client.disconnect()
  await server.stop()
})

test('a command to a server that hangs fails within the timeout, and the next after it wakes succeeds', async () => {
  await pause(server)
  const startedAt = performance.now()
  const reason = await reasonOf(client.incr('hung'))
  const tookMs = performance.now() - startedAt
  server.resume()

  expect(reason.message).toBe('Command timed out')
  expect(isRedisUnavailable(reason)).toBe(true)
  expect(tookMs).toBeGreaterThanOrEqual(70)
  expect(tookMs).toBeLessThan(1_000)
  await untilReady()
  expect(await client.set('awake', '1')).toBe('OK')
})

test('a hanging server is left for a new connection, and used again when it wakes', async () => {
  await pause(server)
  await reasonOf(client.get('a'))
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const reason = await reasonOf(client.get('a'))
  server.resume()

  expect(isRedisUnavailable(reason)).toBe(true)
  await untilReady()
  expect(await client.get('a')).toBeNull()
})

test('commands fail at once while the server is dead, in flight or not, and succeed when it is back', async () => {
  const closed = new Promise((resolve) => client.once('close', resolve))
  await pause(server)
  const inFlight = reasonOf(client.incr('lost'))
  await server.kill()
  const reasons = [await inFlight]
  await closed
  for (let command = 0; command < 20; command++) reasons.push(await reasonOf(client.incr('lost')))
  await server.restart()
  await untilReady()

  expect(reasons.filter((reason) => !isRedisUnavailable(reason))).toEqual([])
  expect(
    reasons
      .slice(1)
      .map(String)
      .filter((reason) => reason.includes('timed out')),
  ).toEqual([])
  expect(await client.get('lost')).toBeNull()
})

test('the loss and the return of the server are one line each', async () => {
  await server.kill()
  await new Promise((resolve) => setTimeout(resolve, 700))
  await server.restart()
  await untilReady()

  expect(lines.map((line) => line['msg'])).toEqual([
    'Redis is ready.',
    'Redis is away; trying to reconnect.',
    'Redis is ready.',
  ])
})

test('a client that starts before the server connects when it comes', async () => {
  await server.kill()
  const early = openRedis(server.url, { log: recordingLogger().log })
  const reason = await reasonOf(early.ping())
  await server.restart()
  await once(early, 'ready')

  expect(isRedisUnavailable(reason)).toBe(true)
  expect(await early.ping()).toBe('PONG')
  early.disconnect()
})

test('a wrong command is not taken for an outage, a full or loading server is', async () => {
  const reason = await reasonOf(client.call('INCR', 'a', 'b'))
  await client.call('CONFIG', 'SET', 'maxmemory', '1')
  const full = await reasonOf(client.set('a', 'b'))

  expect(isRedisUnavailable(reason)).toBe(false)
  expect(full.message).toMatch(/^OOM/)
  expect(isRedisUnavailable(full)).toBe(true)
})

describe('a cluster', () => {
  let node: TestServer
  let cluster: Redis | Cluster

  beforeEach(async () => {
    node = await startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] })
    const admin = openRedis(node.url, { log: recordingLogger().log, commandTimeoutMs: 2_000 })
    await once(admin, 'ready')
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    while (!String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    admin.disconnect()
    cluster = openRedis(`${node.url},`, { log: recordingLogger().log })
    await once(cluster, 'ready')
  })

  afterEach(async () => {
    cluster.disconnect()
    await node.stop()
  })

  test('answers commands, fails within the timeout when it hangs, and at once when it is dead', async () => {
    expect(await cluster.incr('{a}')).toBe(1)

    await pause(node)
    const hung = await reasonOf(cluster.incr('{a}'))
    node.resume()
    await node.kill()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const dead = await reasonOf(cluster.incr('{a}'))

    expect([hung, dead].map(isRedisUnavailable)).toEqual([true, true])
    expect(String(dead)).not.toContain('timed out')
  })

  test('is found again after it was away', async () => {
    await node.kill()
    await reasonOf(cluster.incr('{a}'))
    await node.restart()

    await expect(eventually(() => cluster.set('{a}', 'b'))).resolves.toBe('OK')
  })
})

/** The signal is sent at once, but the server may finish what it is doing. */
async function pause(target: TestServer): Promise<void> {
  target.pause()
  await new Promise((resolve) => setTimeout(resolve, 20))
}

async function reasonOf(command: Promise<unknown>): Promise<Error> {
  return command.then(
    () => new Error('The command succeeded.'),
    (error: unknown) => error as Error, // ioredis rejects with errors only
  )
}

async function untilReady(): Promise<void> {
  await eventually(() => client.ping())
}

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (attempts > 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
