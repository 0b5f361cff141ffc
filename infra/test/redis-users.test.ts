import { Redis } from 'ioredis'
import { applyRedisUsers } from '../redis-users.ts'
import { startRedis, type TestServer } from '../test-servers.ts'

const passwords = { solar: 'solar-1', wildfire: 'wildfire-1', vehicle: 'vehicle-1' }
const prefixes = { solar: 'slr', wildfire: 'wfr', vehicle: 'vhr' }
type Service = keyof typeof passwords

let server: TestServer
const clients: Redis[] = []

beforeAll(async () => {
  server = await startRedis()
  const admin = new Redis(server.url)
  for (const prefix of Object.values(prefixes)) await admin.hset(`${prefix}:{a}`, 'p', 1)
  admin.disconnect()
  await applyRedisUsers(server.url, passwords)
})
afterAll(async () => {
  for (const client of clients) client.disconnect()
  await server.stop()
})

function connectAs(service: Service): Redis {
  const url = new URL(server.url)
  url.username = service
  url.password = passwords[service]
  const client = new Redis(url.href)
  clients.push(client)
  return client
}

describe.each(Object.keys(passwords) as Service[])('the Redis user of %s', (service) => {
  const own = `${prefixes[service]}:{a}`
  const foreign = `${service === 'solar' ? prefixes.wildfire : prefixes.solar}:{a}`
  let client: Redis
  beforeAll(() => {
    client = connectAs(service)
  })

  test('may do what the quota gate does with the keys of its own service', async () => {
    const script = `return redis.call('HINCRBY', KEYS[1], 'p', 1) + redis.call('TIME')[1] * 0`
    expect(await client.eval(script, 1, own)).toBe(2)
    expect(await client.set(`${prefixes[service]}:{writable-0}`, '1', 'PX', 60_000)).toBe('OK')
    expect(await client.ping()).toBe('PONG')
    expect(await client.info('memory')).toContain('maxmemory_policy')
  })

  test.each<[string, (client: Redis) => Promise<unknown>]>([
    ['forget everything', (one) => one.flushall()],
    ['forget a database', (one) => one.flushdb()],
    ['read the configuration', (one) => one.config('GET', '*')],
    ['change the configuration', (one) => one.config('SET', 'maxmemory', '1')],
    ['list all keys', (one) => one.keys('*')],
    ['scan for keys', (one) => one.scan(0)],
    ['read a key of another service', (one) => one.hmget(foreign, 'p')],
    ['write a key of another service', (one) => one.hset(foreign, 'p', 0)],
    ['write beside the keys of any service', (one) => one.set('other', '1')],
    [
      'reach a key of another service in a script',
      (one) => one.eval(`return redis.call('HMGET', KEYS[1], 'p')`, 1, foreign),
    ],
    [
      'reach it without declaring it',
      (one) => one.eval(`return redis.call('HMGET', '${foreign}', 'p')`, 1, own),
    ],
    ['do in a script what it may not do', (one) => one.eval(`return redis.call('FLUSHALL')`, 1, own)],
    ['forget scripts', (one) => one.script('FLUSH')],
    ['see the users', (one) => one.acl('LIST')],
    ['make a user', (one) => one.acl('SETUSER', 'friend', 'on')],
    ['watch others', (one) => one.call('MONITOR')],
    ['end connections of others', (one) => one.call('CLIENT', 'KILL', 'TYPE', 'normal')],
    ['make it a replica', (one) => one.replicaof('127.0.0.1', 1)],
    ['stop it', (one) => one.call('SHUTDOWN', 'NOSAVE')],
    ['write its data to disk', (one) => one.save()],
  ])('may not %s (T59)', async (_what, attempt) => {
    await expect(attempt(client)).rejects.toThrow(/NOPERM|user executing the script can't/)
  })
})

test('nobody gets in without a name and a password (T59)', async () => {
  const stranger = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => null })
  stranger.on('error', () => undefined)
  clients.push(stranger)
  await expect(stranger.ping()).rejects.toThrow(/NOAUTH|closed/)
})
