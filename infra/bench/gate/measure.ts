import { cpuSecondsBetween, cpuTimes, redisWork, type CpuTimes, type RedisWork } from './counters.ts'
import { load } from './load.ts'
import type { Answer, Options } from './options.ts'
import { keyLength, type Stores } from './stores.ts'
import type { Running } from './subjects.ts'

/** One measurement. Times per request in microseconds, latencies in milliseconds. */
export type Measured = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** CPU of the server. */
  readonly cpu: number
  /** Time that Redis spent in scripts, by its own count. */
  readonly redisScript: number
  /** CPU of Redis, network included. */
  readonly redisCpu: number
  readonly postgresCpu: number
  /** Share of the requests that a script of one round trip has decided on; less where a gate had to do without Redis. */
  readonly viaRedis: number
  /** Accounts that our gate has moved from Redis to Postgres meanwhile, because it could not trust Redis, or back. */
  readonly moved: number
}

/** Loads some processes of one subject at once, the connections shared among them. */
export async function measure(
  stores: Stores,
  running: readonly Running[],
  asked: { readonly answer: Answer; readonly keyCount: number; readonly seed: number; readonly core: string },
  { seconds, connections }: Pick<Options, 'seconds' | 'connections'>,
): Promise<Measured> {
  const pids = running.map(({ pid }) => pid)
  const before = await readCounters(stores, pids)
  const loads = await Promise.all(
    running.map(({ url, subject }, index) =>
      load({
        url: url + (asked.answer === 'full' ? '/v1/calculate' : (subject.path ?? '/v1/small')),
        ...{ core: asked.core, seconds, keyFile: stores.keyFile, keyLength, keyCount: asked.keyCount },
        connections: Math.ceil(connections / running.length),
        seed: asked.seed + index,
        body: asked.answer === 'full' ? requestBody : undefined,
      }),
    ),
  )
  const after = await readCounters(stores, pids)
  const sum = (field: 'requests' | 'perSecond') => loads.reduce((total, one) => total + one[field], 0)
  const cpu = (of: 'server' | 'redis' | 'postgres') =>
    (cpuSecondsBetween(before[of], after[of]) / sum('requests')) * 1e6
  return {
    perSecond: sum('perSecond'),
    p50: Math.max(...loads.map(({ p50 }) => p50)),
    p99: Math.max(...loads.map(({ p99 }) => p99)),
    cpu: cpu('server'),
    redisScript: (after.work.scripts - before.work.scripts) / sum('requests'),
    viaRedis: (after.work.decisions - before.work.decisions) / sum('requests'),
    redisCpu: cpu('redis'),
    postgresCpu: cpu('postgres'),
    moved: after.moved - before.moved,
  }
}

/** The body of POST /v1/calculate; its answer is 2.3 kB. */
export const requestBody = JSON.stringify({
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
})

async function readCounters(stores: Stores, pids: readonly number[]): Promise<Counters> {
  return {
    work: await redisWork(stores.redis),
    moved: await stores.moved(),
    server: cpuTimes(pids),
    redis: cpuTimes([stores.redisPid]),
    postgres: cpuTimes([stores.postgresPid]),
  }
}

type Counters = {
  readonly work: RedisWork
  readonly moved: number
  readonly server: CpuTimes
  readonly redis: CpuTimes
  readonly postgres: CpuTimes
}
