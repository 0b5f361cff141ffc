import { Cluster, Redis } from 'ioredis'
import { startRedisCluster, type TestCluster } from '../redis-cluster.ts'

let cluster: TestCluster
afterEach(() => cluster.stop())

test('a private Redis Cluster has three nodes that share the slots, and moves a client to the right one', async () => {
  cluster = await startRedisCluster()
  const client = new Cluster(cluster.url.split(','))
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) expect(await client.set(key, key)).toBe('OK')
  const sizes = await Promise.all(client.nodes('master').map((node) => node.dbsize()))
  client.disconnect()

  expect(sizes).toHaveLength(3)
  expect(sizes.every((size) => size > 0)).toBe(true)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(6)
})

test('with replicas, the replica of a node that dies takes its slots', async () => {
  cluster = await startRedisCluster({ replicas: true })
  const client = new Cluster(cluster.url.split(','))
  // The slot of "a" is 15495, in the last third.
  await client.set('a', '1')
  await client
    .nodes('master')
    .find(({ options }) => options.port === cluster.nodes[2]?.port)
    ?.wait(1, 1000)
  client.disconnect()
  await cluster.nodes[2]?.kill()

  const replica = new Redis(cluster.nodes[5]?.url ?? '')
  while (!String(await replica.call('ROLE')).startsWith('master'))
    await new Promise((resume) => setTimeout(resume, 50))
  expect(await replica.get('a')).toBe('1')
  replica.disconnect()
})
