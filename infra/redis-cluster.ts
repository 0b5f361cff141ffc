import { Redis } from 'ioredis'
import { setTimeout as sleep } from 'node:timers/promises'
import { busPortOf, startRedis, type TestServer } from './test-servers.ts'

/** A private Redis Cluster whose nodes a test may kill, freeze and restart one by one. */
export type TestCluster = {
  /** The nodes that hold slots, in the order of their slots; each has a replica after them when asked for. */
  readonly nodes: readonly TestServer[]
  /** All nodes with commas between them, as REDIS_URL takes them. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/**
 * Starts a Redis Cluster on 127.0.0.1: `masters` nodes (3 unless told) that share the slots evenly, and as many
 * replicas when `replicas` is true. Resolves when every node finds the cluster complete.
 *
 * @throws Error if the machine has no redis-server, or the nodes do not find each other within 20 s
 */
export async function startRedisCluster({ masters = 3, replicas = false } = {}): Promise<TestCluster> {
  const count = replicas ? masters * 2 : masters
  const nodes = await Promise.all(Array.from({ length: count }, () => startRedis({ cluster: true })))
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  const admins = nodes.map((node) => new Redis(node.url))
  try {
    await join(admins, nodes, masters)
    return { nodes, url: nodes.map((node) => node.url).join(','), stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    for (const admin of admins) admin.disconnect()
  }
}

async function join(admins: readonly Redis[], nodes: readonly TestServer[], masters: number): Promise<void> {
  for (const [at, admin] of admins.entries()) {
    await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1)
    if (at < masters)
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', firstSlot(at, masters), firstSlot(at + 1, masters) - 1)
    const { port } = nodes[at] as TestServer // there is one per admin
    if (at > 0) await admins[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port, busPortOf(port))
  }
  const expected = `cluster_known_nodes:${admins.length}`
  await until(async () => (await infos(admins)).every((info) => info.includes(expected)))
  for (const [at, admin] of admins.entries()) {
    if (at >= masters) await admin.call('CLUSTER', 'REPLICATE', await idOf(admins[at - masters]))
  }
  await until(async () => (await infos(admins)).every((info) => info.includes('cluster_state:ok')))
  await until(async () => (await Promise.all(admins.slice(masters).map(isCopied))).every(Boolean))
}

/** A replica has everything of its master; one that never had cannot take its place. */
async function isCopied(replica: Redis): Promise<boolean> {
  return (await replica.info('replication')).includes('master_link_status:up')
}

const slots = 16_384

function firstSlot(node: number, masters: number): number {
  return Math.floor((slots * node) / masters)
}

async function infos(admins: readonly Redis[]): Promise<string[]> {
  return Promise.all(admins.map(async (admin) => String(await admin.call('CLUSTER', 'INFO'))))
}

async function idOf(admin: Redis | undefined): Promise<string> {
  return String(await admin?.call('CLUSTER', 'MYID'))
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error('The nodes of the Redis Cluster did not find each other.')
    await sleep(20)
  }
}
