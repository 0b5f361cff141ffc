import type { ServiceRig } from '@hearth/account/testing/service-rig'
import { until } from '@hearth/account/testing/service-rig'
import { endAll, newSecret, send, untilStatus } from '@hearth/chassis/testing/service-process'
import { isCampaign, measured, size } from '@hearth/infra/campaign'
import { applyRedisUsers } from '@hearth/infra/redis-users'
import { startRedis } from '@hearth/infra/test-servers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectCounted, expectNoHarm, report, underLoad } from './load.ts'
import {
  calculate,
  calculateAtOnce,
  openSolarRig,
  remainingOf,
  statuses,
  usedOf,
  withRedis,
} from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 900_000))
afterAll(endAll)

describe('three processes whose Redis', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ redis: { appendonly: true } })
  })
  afterAll(() => rig.close())
  beforeEach(() => rig.serving('redis'))
  afterEach(() => {
    rig.heal()
    rig.redis().resume()
  })

  const outageMs = size(1_000, 4_000)
  const accounts = async () => [
    await rig.account('api_business'),
    await rig.account('api_business'),
    await rig.account(),
  ]
  const quota = ({ key }: { key: string }, [, , free]: readonly { key: string }[]) =>
    key === free?.key ? 50 : Infinity

  test('is killed and starts again: no error, no wait, no count lost, exactly the quota (T13)', async () => {
    const all = await accounts()
    let back = 0
    const outcome = await underLoad(rig, all, async () => {
      await rig.redis().kill()
      await rig.serving('postgres')
      await sleep(outageMs)
      await rig.redis().restart()
      const restarted = performance.now()
      await rig.serving('redis')
      back = performance.now() - restarted
      await sleep(500)
    })

    report('T13', outcome)
    measured(`T13: Redis was used again ${back.toFixed(0)} ms after it answered`)
    expectNoHarm(rig, outcome)
    expect(back).toBeLessThan(size(5_000, 1_000))
    await expectCounted(rig, outcome, (account) => quota(account, all))
  })

  test('hangs and wakes: no error, no wait, what it was asked meanwhile is not done (T14)', async () => {
    const all = await accounts()
    const outcome = await underLoad(rig, all, async () => {
      rig.redis().pause()
      await rig.serving('postgres')
      await sleep(outageMs)
      rig.redis().resume()
      await rig.serving('redis')
      await sleep(500)
    })

    report('T14', outcome)
    expectNoHarm(rig, outcome)
    await expectCounted(rig, outcome, (account) => quota(account, all))
  })

  test('is full and takes no writes: it is as if it were away, and readiness says so (T17)', async () => {
    const all = await accounts()
    const readiness: unknown[] = []
    const outcome = await underLoad(rig, all, async () => {
      await withRedis(rig.redis().url, (redis) => redis.config('SET', 'maxmemory', '1'))
      await rig.serving('postgres')
      await sleep(outageMs + 1_000) // readiness looks once a second
      for (const { service } of rig.instances)
        readiness.push((await send(`${service().baseUrl}/readyz`)).body)
      await withRedis(rig.redis().url, (redis) => redis.config('SET', 'maxmemory', '0'))
      await rig.serving('redis')
    })

    expectNoHarm(rig, outcome)
    await expectCounted(rig, outcome, (account) => quota(account, all))
    const degraded = { status: 'degraded', checks: { postgres: 'ok', redis: 'failed' } }
    expect(readiness).toEqual([degraded, degraded, degraded])
  })

  test('forgets everything: it is told again what was counted (T18)', async () => {
    const { key } = await rig.account()
    expect(statuses(await calculateAtOnce(rig, [key], 40))).toEqual({ 200: 40 })
    await sleep(size(600, 1_000)) // the ledger is written four times a second
    await withRedis(rig.redis().url, (redis) => redis.flushall())

    const replies = await calculateAtOnce(rig, [key], 60)

    expect(statuses(replies)).toEqual({ 200: 10, 429: 50 })
    expect(remainingOf(replies)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  })

  test('forgets its scripts all the time: nobody notices (T20)', async () => {
    const all = await accounts()
    const outcome = await underLoad(rig, all, () =>
      withRedis(rig.redis().url, async (redis) => {
        for (let i = 0; i < size(20, 100); i++) {
          await redis.call('SCRIPT', 'FLUSH')
          await sleep(100)
        }
      }),
    )

    expectNoHarm(rig, outcome)
    await expectCounted(rig, outcome)
    expect(rig.instances.map(({ serving }) => serving())).toEqual(['redis', 'redis', 'redis'])
  })

  test('is slow: 30 ms are waited for, with 80 ms Postgres serves until it is fast again (T15)', async () => {
    const all = await accounts()
    const forMs = size(1_500, 60_000)
    const slow = await underLoad(rig, all, async () => {
      for (const { redisLink } of rig.instances) redisLink().disturb({ down: { latencyMs: 30 } })
      await sleep(forMs)
    })
    if (isCampaign) expect(slow.losses).toBe(0)

    const tooSlow = await underLoad(rig, all, async () => {
      for (const { redisLink } of rig.instances) redisLink().disturb({ down: { latencyMs: 80 } })
      await rig.serving('postgres')
      await sleep(forMs)
      rig.heal()
      await rig.serving('redis')
    })
    const unsteady = await underLoad(rig, all, async () => {
      const toxics = { jitterMs: 50, resets: 0.01 }
      for (const { redisLink } of rig.instances) redisLink().disturb({ up: toxics, down: toxics })
      await sleep(forMs)
      rig.heal()
      await rig.serving('redis')
    })

    for (const outcome of [slow, tooSlow, unsteady]) expectNoHarm(rig, outcome)
    report('T15, 30 ms', slow)
    report('T15, 80 ms', tooSlow)
    report('T15, jitter and resets', unsteady)
  })

  test('comes and goes: no error, no more than the quota, and no memory lost (T27)', async () => {
    const all = await accounts()
    const memory = async () =>
      Promise.all(rig.instances.map(({ service }) => residentBytes(service().internalUrl)))
    const before = await memory()
    const outcome = await underLoad(rig, all, async () => {
      for (let flap = 0; flap < size(4, 30); flap++) {
        await rig.redis().kill()
        await sleep(size(300, 1_000))
        await rig.redis().restart()
        await sleep(size(300, 1_000))
      }
      await rig.serving('redis')
    })

    expectNoHarm(rig, outcome)
    await expectCounted(rig, outcome, (account) => quota(account, all))
    const grown = (await memory()).map((bytes, i) => (bytes - (before[i] ?? 0)) / 2 ** 20)
    report('T27', outcome)
    measured(`T27: memory grown by ${grown.map((mb) => mb.toFixed(1)).join(', ')} MB`)
    expect(Math.max(...grown)).toBeLessThan(size(100, 50))
  })

  test('is not there at the start: the service starts, says so, and uses it when it comes (T16)', async () => {
    await rig.redis().kill()
    const instance = rig.instance(2)
    await instance.service().stop()
    const startedAt = performance.now()
    await instance.start()
    const readyMs = performance.now() - startedAt
    const { baseUrl } = instance.service()
    const before = await send(`${baseUrl}/readyz`)
    const { key } = await rig.account()
    const during = await calculate(rig, key, { instance: 2 })
    await rig.redis().restart()
    await rig.serving('redis')
    await until('readiness is ok', async () => (await send(`${baseUrl}/readyz`)).body.status === 'ok')

    expect(before.body).toEqual({ status: 'degraded', checks: { postgres: 'ok', redis: 'failed' } })
    expect(readyMs).toBeLessThan(size(60_000, 10_000))
    expect([during.status, (await calculate(rig, key, { instance: 2 })).status]).toEqual([200, 200])
    expect(await usedOf(rig, key, 1)).toEqual({ daily: 2, monthly: 2 })
  })
})

describe('a Redis that fails over', () => {
  test('to its replica, while the old one refuses writes: no error, and no count is lost (T19)', async () => {
    const rig = await openSolarRig({ redis: { appendonly: true } })
    const replica = await startRedis()
    try {
      await withRedis(replica.url, async (redis) => {
        await redis.replicaof('127.0.0.1', rig.redis().port)
        await until('the replica has everything', async () =>
          (await redis.info('replication')).includes('master_link_status:up'),
        )
      })
      await rig.serving('redis')
      const all = [await rig.account('api_business'), await rig.account()]
      const outcome = await underLoad(rig, all, async () => {
        await sleep(300)
        await withRedis(replica.url, (redis) => redis.replicaof('NO', 'ONE'))
        await withRedis(rig.redis().url, (redis) => redis.replicaof('127.0.0.1', replica.port))
        await rig.serving('postgres')
        await sleep(size(500, 3_000))
        for (const { redisLink } of rig.instances) redisLink().retarget(replica.port)
        await rig.serving('redis')
        await sleep(300)
      })

      expectNoHarm(rig, outcome)
      await expectCounted(rig, outcome, ({ key }) => (key === all[1]?.key ? 50 : Infinity))
      report('T19', outcome)
    } finally {
      await rig.close()
      await replica.stop()
    }
  })
})

describe('a Redis that may evict', () => {
  test('is complained of, and a counter that it drops is read again (T17)', async () => {
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

async function residentBytes(internalUrl: string): Promise<number> {
  const { body } = await send(`${internalUrl}/metrics`)
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(String(body))?.[1])
}
