import { until } from '@hearth/account/testing/service-rig'
import { endAll, newSecret, send, untilStatus } from '@hearth/chassis/testing/service-process'
import { measured, size } from '@hearth/infra/campaign'
import { startFaultProxy } from '@hearth/infra/fault-proxy'
import { applyRedisUsers } from '@hearth/infra/redis-users'
import { startRedis } from '@hearth/infra/test-servers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectCounted, expectNoHarm, isStarved, milliseconds, report, underLoad } from './load.ts'
import { calculateAtOnce, openSolarRig, statuses, usedOf, withRedis } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 900_000))
afterAll(endAll)

describe('a Redis that fails over', () => {
  test('to its replica, while the old one refuses writes: no error, and no count is lost (T19)', async () => {
    const rig = await openSolarRig({ redis: { appendonly: true } })
    const replica = await startRedis()
    const replication = await startFaultProxy(rig.redis().port)
    try {
      await withRedis(replica.url, async (redis) => {
        await redis.replicaof('127.0.0.1', replication.port)
        await until('the replica has everything', async () =>
          (await redis.info('replication')).includes('master_link_status:up'),
        )
      })
      await rig.serving('redis')
      const all = [await rig.account('api_business'), await rig.account(size('free', 'pro'))]
      let [backMs, lag] = [0, 0]
      const outcome = await underLoad(rig, all, async () => {
        await sleep(300)
        replication.freeze()
        await sleep(size(200, 1_000)) // what is counted from now on, the replica does not hear of
        lag = (await offsetOf(rig.redis().url)) - (await offsetOf(replica.url))
        await withRedis(replica.url, (redis) => redis.replicaof('NO', 'ONE'))
        await withRedis(rig.redis().url, (redis) => redis.replicaof('127.0.0.1', replica.port))
        await rig.serving('postgres')
        await sleep(size(500, 3_000))
        for (const { redisLink } of rig.instances) redisLink().retarget(replica.port)
        backMs = await milliseconds(rig.serving('redis'))
        await sleep(300)
      })

      expectNoHarm(rig, outcome)
      await expectCounted(rig, outcome, ({ key }) => (key === all[1]?.key ? size(50, 500) : Infinity))
      report('T19', outcome)
      measured(`T19: the replica was ${lag} bytes behind`)
      if (!isStarved(outcome)) expect(lag).toBeGreaterThan(0)
      measured(`T19: the new master was used ${backMs.toFixed(0)} ms after it could be reached`)
      if (!isStarved(outcome)) expect(backMs).toBeLessThan(size(5_000, 1_000))
    } finally {
      // A Redis that is told to end waits for replicas that have not heard everything yet.
      await replication.close()
      await rig.close()
      await replica.stop()
    }
  })
})

describe('a Redis that keeps nothing', () => {
  test('is killed and starts again empty: no error, and no count is lost (T13)', async () => {
    const rig = await openSolarRig()
    try {
      await rig.serving('redis')
      const all = [await rig.account('api_business'), await rig.account(size('free', 'pro'))]
      const outcome = await underLoad(rig, all, async () => {
        await sleep(300)
        await rig.redis().kill()
        await sleep(size(300, 3_000))
        await rig.redis().restart()
        await rig.serving('redis')
        await sleep(500)
      })

      report('T13, empty', outcome)
      expectNoHarm(rig, outcome)
      await expectCounted(rig, outcome, ({ key }) => (key === all[1]?.key ? size(50, 500) : Infinity))
    } finally {
      await rig.close()
    }
  })
})

/** How much of what was written a Redis has. */
function offsetOf(url: string): Promise<number> {
  return withRedis(url, async (redis) =>
    Number(/^master_repl_offset:(\d+)/m.exec(await redis.info('replication'))?.[1]),
  )
}

/**
 * It is said in the log and in a gauge that an alert watches (infra/prometheus): the contract has no status page, and
 * for clients nothing is different, since what is dropped is read again.
 */
describe('a Redis that may evict', () => {
  test('is complained of until it no longer may, and a counter that it drops is read again (T17)', async () => {
    const rig = await openSolarRig({
      instances: 1,
      redis: { maxmemory: '3mb', maxmemoryPolicy: 'allkeys-lru' },
    })
    try {
      await untilStatus(`${rig.instance(0).service().baseUrl}/readyz`, 200)
      await rig.serving('redis')
      const account = await rig.account()
      expect(statuses(await calculateAtOnce(rig, [account.key], 40))).toEqual({ 200: 40 })
      await sleep(600)
      const record = `slr:{${account.tag}}`
      await withRedis(rig.redis().url, async (redis) => {
        for (let i = 0; (await redis.exists(record)) === 1; i++)
          await redis.set(`filler:${i}`, 'x'.repeat(10_000))
        await redis.eval(`for _, k in ipairs(redis.call('KEYS', 'filler:*')) do redis.call('DEL', k) end`, 0)
      })

      expect(statuses(await calculateAtOnce(rig, [account.key], 60))).toEqual({ 200: 10, 429: 50 })
      expect(rig.instance(0).service().output()).toMatch(
        /"level":"error"[^\n]*allkeys-lru[^\n]*maxmemory-policy/,
      )
      const metrics = async () =>
        String((await send(`${rig.instance(0).service().internalUrl}/metrics`)).body)
      expect(await metrics()).toContain('\nquota_store_unsafe 1\n')
      await withRedis(rig.redis().url, (redis) => redis.config('SET', 'maxmemory-policy', 'noeviction'))
      await until('the gauge is down', async () => (await metrics()).includes('\nquota_store_unsafe 0\n'))
    } finally {
      await rig.close()
    }
  })
})

describe('a Redis that lets each service do no more than it needs', () => {
  test('is enough to count exactly, to be given up and to be used again (T59)', async () => {
    const rig = await openSolarRig({ instances: 1, links: false })
    try {
      const password = newSecret()
      await applyRedisUsers(rig.redis().url, { solar: password })
      const url = new URL(rig.redis().url)
      Object.assign(url, { username: 'solar', password })
      const instance = rig.instance(0)
      await instance.service().stop()
      await instance.start({ REDIS_URL: url.href })
      await rig.serving('redis')
      const { key } = await rig.account()

      expect(statuses(await calculateAtOnce(rig, [key], 60))).toEqual({ 200: 50, 429: 10 })
      rig.redis().pause()
      await rig.serving('postgres')
      rig.redis().resume()
      await rig.serving('redis')
      expect(await usedOf(rig, key)).toEqual({ daily: 50, monthly: 50 })
      expect(instance.service().output()).not.toMatch(/NOPERM|NOAUTH/)
    } finally {
      await rig.close()
    }
  })
})
