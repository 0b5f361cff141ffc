import { openRedis } from '@hearth/chassis/redis'
import { randomUUID } from 'node:crypto'
import { tombstone } from '../src/account-snapshot.ts'
import { failoverGate } from '../src/failover-gate.ts'
import type { Charge } from '../src/gate.ts'
import type { PostgresGate } from '../src/postgres-gate.ts'
import { redisGate, type RedisGateOptions } from '../src/redis-gate.ts'
import { connectedOrNot } from '../src/redis-nodes.ts'
import { redisRecords } from '../src/redis-records.ts'
import { redisTrust, type RedisTrust } from '../src/redis-trust.ts'
import { silent, testPlans } from './support.ts'

/*
 * A process can be stopped between any two of its steps. Here it is, for longer than others wait for it, at each look at
 * its clock before it asks Redis; and when it goes on, trust cannot be renewed. The record is in a real Redis.
 */

const redis = openRedis(process.env['TEST_REDIS_URL'] ?? '', { log: silent, commandTimeoutMs: 1_000 })
const prefix = randomUUID()
const request = { tag: 'account', selector: '', digests: '', cost: 1 } as const
const day = Math.floor(Date.now() / 86_400_000)
const world = { isAway: false, stopsOnAnswer: false }

const records = redisRecords({
  ...{ redis, prefix, plans: testPlans, burst: { perSecond: 0, size: 0 }, clock: undefined },
  ...{ epoch: () => 1, floor: () => undefined, trustedAt: () => trust.heldAt() },
})
const trust: RedisTrust = redisTrust({
  ...{ log: silent, hasOneNode: true, connected: () => true, isSure: () => false },
  ...{ beat: answer, catchUp: answer, reachPostgres: answer, beforeTrust: answer, afterTrust: answer },
  ...{ checkWritable: answer, isWaitedFor: () => true, onReturn: () => undefined },
})
const postgres = {
  check: () => Promise.resolve({ outcome: 'unknown' }),
  refund: () => Promise.resolve(),
} as unknown as PostgresGate
const onRedis = redisGate({
  ...{ records, postgres, trust: () => trust, planIds: Object.keys(testPlans) },
  ledger: { of: () => ({ counter: undefined }), saw: () => undefined },
} as unknown as RedisGateOptions)
const gate = failoverGate(onRedis, postgres, trust)

beforeAll(async () => {
  await connectedOrNot(redis)
  await records.hearClock()
  const account = { ...tombstone, version: 1, state: 'a', plan: 'pro', day } as const
  await records.write(request.tag, 1, account, await records.write(request.tag, 1, account))
})
beforeEach(async () => {
  world.isAway = false
  await trust.restore()
})
afterAll(async () => {
  await trust.close()
  redis.disconnect()
})

async function answer(): Promise<void> {
  if (world.isAway) throw new Error('away')
  await Promise.resolve()
  if (world.stopsOnAnswer) stop()
}

/** For longer than others wait for this process; what it has heard by then is over. */
function stop(): void {
  world.isAway = true
  world.stopsOnAnswer = false
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
}

const charge: Charge = { tag: request.tag, day, by: 'redis' }

test.each<[string, () => Promise<unknown>]>([
  ['counts nothing', () => gate.check(request)],
  ['gives nothing back', () => gate.refund(charge)],
  [
    'and has just begun to renew its trust, counts nothing',
    () => {
      trust.doubt()
      return gate.check(request)
    },
  ],
])('a process that is stopped anywhere before it asks Redis, %s there', async (_, ask) => {
  await gate.check(request)
  for (let stopAt = 1; ; stopAt++) {
    world.isAway = false
    await trust.restore()
    const before = await counts()
    const isStopped = await withStop(stopAt, ask)
    if (!isStopped) {
      expect(stopAt).toBeGreaterThan(2)
      return
    }
    expect([stopAt, await counts()]).toEqual([stopAt, before])
  }
})

test('a process that is stopped while it renews its trust counts nothing in Redis', async () => {
  await gate.check(request)
  const before = await counts()
  trust.doubt()
  world.stopsOnAnswer = true

  await gate.check(request)

  expect([world.isAway, await counts()]).toEqual([true, before])
})

async function counts(): Promise<unknown> {
  return redis.hmget(`${prefix}:{${request.tag}}`, 'p', 'n')
}

/** Stops the process at one of its looks at the clock. False when it had asked Redis before. */
async function withStop(stopAt: number, ask: () => Promise<unknown>): Promise<boolean> {
  const { jest } = import.meta
  const sending = jest.spyOn(redis, 'callBuffer')
  const clock = performance.now.bind(performance)
  let [looks, isStopped] = [0, false]
  const looking = jest.spyOn(performance, 'now').mockImplementation(() => {
    const now = clock()
    looks += 1
    if (looks === stopAt && sending.mock.calls.length === 0) {
      isStopped = true
      stop()
    }
    return now
  })
  await ask()
  looking.mockRestore()
  sending.mockRestore()
  return isStopped
}
