import { inTime } from '@hearth/chassis/in-time'
import { Cluster, type Redis } from 'ioredis'

/** What every node that counts takes for now, in Unix milliseconds. @throws when one does not say it */
export async function timesOf(redis: Redis | Cluster): Promise<number[]> {
  return Promise.all(countingNodes(redis).map(timeOf))
}

/** Unix milliseconds by the clock of a node. */
export async function timeOf(node: Redis | Cluster): Promise<number> {
  const [seconds, micros] = await node.time()
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
}

/**
 * Checks that every node that counts also takes writes: one that is full, a replica, or part of a cluster that is
 * not whole still gives signs of life.
 *
 * @param prefix first part of the key that is written
 * @throws when one does not, or not within `ms` milliseconds
 */
export async function checkWritable(redis: Redis | Cluster, prefix: string, ms: number): Promise<void> {
  const checks = countingNodes(redis).map(async (node) => {
    if (redis instanceof Cluster) await checkWhole(node)
    await writeTo(node, prefix)
  })
  await inTime(ms, Promise.all(checks))
}

/** The policy by which a node may forget counters to make room, or undefined when none may. */
export async function evictionPolicy(redis: Redis | Cluster): Promise<string | undefined> {
  for (const node of countingNodes(redis)) {
    const info = await node.info('memory')
    const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(info) ?? []
    if (policy !== 'noeviction' && !/maxmemory:0\r/.test(info)) return policy
  }
  return undefined
}

/**
 * Tells of every connection that ends, in a cluster that of any node, and of masters that are others than before: a
 * replica that has taken over may lack what its master has acknowledged, and was connected all the time.
 */
export function onDisconnect(redis: Redis | Cluster, listener: () => void): void {
  redis.on('close', listener)
  if (!(redis instanceof Cluster)) return
  for (const node of redis.nodes()) node.on('close', listener)
  redis.on('+node', (node: Redis) => node.on('close', listener))
  let masters = new Set(redis.nodes('master'))
  redis.on('refresh', () => {
    const before = masters
    masters = new Set(redis.nodes('master'))
    if (masters.symmetricDifference(before).size > 0) listener()
  })
}

/** Waits for the first connection, but not for a Redis that is away: the service then starts on Postgres. */
export async function connectedOrNot(redis: Redis | Cluster): Promise<void> {
  if (redis.status === 'ready') return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, firstConnectionMs)
    redis.once('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const firstConnectionMs = 500

/** The one server, or the masters of a cluster. @throws Error when a cluster has none that is known */
function countingNodes(redis: Redis | Cluster): Redis[] {
  if (!(redis instanceof Cluster)) return [redis]
  const masters = redis.nodes('master')
  if (masters.length === 0) throw new Error('No node of the Redis Cluster is known.')
  return masters
}

async function checkWhole(node: Redis): Promise<void> {
  const info = await node.cluster('INFO')
  if (!info.includes('cluster_state:ok')) throw new Error('The Redis Cluster is not whole.')
}

/** Which keys belong to a node of a cluster is found by trying: each third one with three nodes. */
async function writeTo(node: Redis, prefix: string): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      await node.set(`${prefix}:{writable-${i}}`, '1', 'PX', 60_000)
      return
    } catch (error) {
      if (!String(error).includes('MOVED') || i > mostTries) throw error
    }
  }
}

const mostTries = 1000
