import type { ServiceRig } from '@hearth/account/testing/service-rig'
import { until } from '@hearth/account/testing/service-rig'
import { endAll, send } from '@hearth/chassis/testing/service-process'
import { isCampaign, measured, size } from '@hearth/infra/campaign'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  expectCounted,
  expectNearlyCounted,
  expectNoHarm,
  isStarved,
  milliseconds,
  percentile,
  reasonsOf,
  report,
  underLoad,
  type LoadOutcome,
} from './load.ts'
import { calculateAtOnce, openSolarRig, remainingOf, statuses, usedOf, withRedis } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 900_000))
afterAll(endAll)

describe('three processes whose Redis', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    const preload = fileURLToPath(new URL('collect-garbage.cjs', import.meta.url))
    const environment = { NODE_OPTIONS: `--require ${preload}` }
    rig = await openSolarRig({ redis: { appendonly: true }, environment })
  })
  afterAll(() => rig.close())
  beforeEach(() => rig.serving('redis'))
  afterEach(() => {
    rig.heal()
    rig.redis().resume()
  })

  const outageMs = size(1_000, 4_000)
  /** The quota of the last one is used up while the fault goes on. */
  const accounts = async () => [
    await rig.account('api_business'),
    await rig.account('api_business'),
    await rig.account(size('free', 'pro')),
  ]
  const quota = ({ key }: { key: string }, [, , last]: readonly { key: string }[]) =>
    key === last?.key ? size(50, 500) : Infinity

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
    if (!isStarved(outcome)) expect(back).toBeLessThan(size(5_000, 1_000))
    expectGivenUpOnce(outcome)
    await expectCounted(rig, outcome, (account) => quota(account, all))
  })

  test('hangs and wakes: no error, no wait, what it was asked meanwhile is not done (T14)', async () => {
    const all = await accounts()
    let [first, later]: [number[], number[]] = [[], []]
    let backMs = 0
    const outcome = await underLoad(rig, all, async () => {
      const timesSince = (marks: readonly number[]) =>
        rig.instances.flatMap(({ logged }, i) => logged(marks[i]).map(({ ms }) => ms))
      const marks = rig.instances.map(({ mark }) => mark())
      rig.redis().pause()
      await rig.serving('postgres')
      await sleep(400) // what was asked of Redis before it was given up has been answered and logged
      first = timesSince(marks)
      const since = rig.instances.map(({ mark }) => mark())
      await sleep(outageMs)
      later = timesSince(since)
      rig.redis().resume()
      backMs = await milliseconds(rig.serving('redis'))
      await sleep(500)
    })

    report('T14', outcome)
    const numbers = [Math.max(...first), percentile(later, 50), percentile(later, 99)]
    measured(
      `T14: slowest until Redis was given up ${numbers[0]} ms; then median ${numbers[1]}, p99 ${numbers[2]} ms; used again ${backMs.toFixed(0)} ms after it woke`,
    )
    expectNoHarm(rig, outcome)
    expectGivenUpOnce(outcome)
    if (!isStarved(outcome)) expect(backMs).toBeLessThan(size(5_000, 1_000))
    await expectCounted(rig, outcome, (account) => quota(account, all))
    if (isCampaign) {
      const usualMs = percentile(outcome.control, 99)
      expect(percentile(first, 99)).toBeLessThanOrEqual(150 + usualMs)
      expect(percentile(later, 99)).toBeLessThanOrEqual(20 + usualMs)
    }
  })

  test('is full and takes no writes: it is as if it were away, and readiness says so (T17)', async () => {
    const all = await accounts()
    const readiness: unknown[] = []
    const gauges: (string | undefined)[] = []
    let backMs = 0
    const outcome = await underLoad(rig, all, async () => {
      await withRedis(rig.redis().url, (redis) => redis.config('SET', 'maxmemory', '1'))
      await rig.serving('postgres')
      await sleep(outageMs + 1_000) // readiness looks once a second
      for (const { service } of rig.instances) {
        readiness.push((await send(`${service().baseUrl}/readyz`)).body)
        const { body } = await send(`${service().internalUrl}/metrics`)
        gauges.push(/^quota_gate_on_postgres \d$/m.exec(String(body))?.[0])
      }
      await withRedis(rig.redis().url, (redis) => redis.config('SET', 'maxmemory', '0'))
      backMs = await milliseconds(rig.serving('redis'))
    })

    expectNoHarm(rig, outcome)
    if (!isStarved(outcome)) expect(backMs).toBeLessThan(size(5_000, 1_000))
    await expectCounted(rig, outcome, (account) => quota(account, all))
    if (!isStarved(outcome)) {
      expect(readiness).toEqual([degraded, degraded, degraded])
      expect(gauges).toEqual(rig.instances.map(() => 'quota_gate_on_postgres 1'))
    }
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

  test('forgets everything again and again, under load: no error, and hardly a count is lost (T18)', async () => {
    const all = await accounts()
    const forgotAt: number[] = []
    const outcome = await underLoad(rig, all, async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(size(300, 1_000))
        await withRedis(rig.redis().url, (redis) => redis.flushall())
        forgotAt.push(performance.now())
      }
      await sleep(1_000)
    })

    report('T18', outcome)
    expectNoHarm(rig, outcome)
    expect(reasonsOf(outcome)).toEqual([])
    await expectNearlyCounted(rig, outcome, (account) => quota(account, all), forgotAt)
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
    expect(outcome.all.length).toBeGreaterThanOrEqual(size(150, 1_000))
    await expectCounted(rig, outcome, (account) => quota(account, all))
    expect(reasonsOf(outcome)).toEqual([])
  })

  test('is slow: 30 ms are waited for, with 80 ms Postgres serves until it is fast again (T15)', async () => {
    const forMs = size(1_500, 60_000)
    const [atFirst, then, atLast] = [await accounts(), await accounts(), await accounts()]
    const slow = await underLoad(rig, atFirst, async () => {
      for (const { redisLink } of rig.instances) redisLink().disturb({ down: { latencyMs: 30 } })
      await sleep(forMs)
    })

    let [openedMs, closedMs] = [0, 0]
    const tooSlow = await underLoad(rig, then, async () => {
      for (const { redisLink } of rig.instances) redisLink().disturb({ down: { latencyMs: 80 } })
      openedMs = await milliseconds(rig.serving('postgres'))
      await sleep(forMs)
      rig.heal()
      closedMs = await milliseconds(rig.serving('redis'))
    })
    const unsteady = await underLoad(rig, atLast, async () => {
      const toxics = { jitterMs: 50, resets: 0.01 }
      for (const { redisLink } of rig.instances) redisLink().disturb({ up: toxics, down: toxics })
      await sleep(forMs)
      rig.heal()
      await rig.serving('redis')
    })

    report('T15, 30 ms', slow)
    report('T15, 80 ms', tooSlow)
    report('T15, jitter and resets', unsteady)
    for (const [outcome, all] of [
      [slow, atFirst],
      [tooSlow, then],
      [unsteady, atLast],
    ] as const) {
      expectNoHarm(rig, outcome, withALease)
      await expectCounted(rig, outcome, (account) => quota(account, all))
    }
    // Redis has 75 ms. All links go through this process: 30 more are too many where it stood still for the others.
    if (slow.stallMs < 40) expect(reasonsOf(slow)).toEqual([])
    else measured(`T15: not said whether 30 ms are waited for, the rig stood still for ${slow.stallMs} ms`)
    measured(`T15: given up after ${openedMs.toFixed(0)} ms, used again after ${closedMs.toFixed(0)} ms`)
    if (!isStarved(tooSlow))
      expect([openedMs < size(5_000, 1_000), closedMs < size(5_000, 1_000)]).toEqual([true, true])
  })

  test('comes and goes: no error, no more than the quota, and no memory lost (T27)', async () => {
    const all = await accounts()
    const flaps = size(4, 30)
    const flap = async (times: number) => {
      for (let i = 0; i < times; i++) {
        await rig.redis().kill()
        await sleep(size(300, 1_000))
        await rig.redis().restart()
        await sleep(size(300, 1_000))
      }
      await rig.serving('redis')
    }
    await underLoad(rig, await accounts(), () => flap(3)) // warms up
    const before = await memory(rig)
    const outcome = await underLoad(rig, all, () => flap(flaps))
    const after = await memory(rig)

    report('T27', outcome)
    const grown = after.map(({ keptMb, residentMb }, i) => [
      keptMb - (before[i]?.keptMb ?? 0),
      residentMb - (before[i]?.residentMb ?? 0),
    ])
    const inWords = grown.map((mb) => mb.map((one) => one.toFixed(1)).join(' of '))
    measured(`T27: memory kept of memory held grown by ${inWords.join(', ')} MB`)
    expectNoHarm(rig, outcome)
    await expectCounted(rig, outcome, (account) => quota(account, all))
    expect(reasonsOf(outcome).length).toBeLessThanOrEqual(flaps * rig.instances.length)
    expect(Math.max(...grown.map(([kept = NaN]) => kept))).toBeLessThan(5)
  })

  test('is not there at the start: the service starts, says so, and uses it when it comes (T16)', async () => {
    await rig.redis().kill()
    await Promise.all(rig.instances.map(({ service }) => service().stop()))
    const readyMs = await milliseconds(Promise.all(rig.instances.map(({ start }) => start())))
    const readiness = async () =>
      Promise.all(
        rig.instances.map(async ({ service }) => (await send(`${service().baseUrl}/readyz`)).body as unknown),
      )
    const before = await readiness()
    const { key } = await rig.account()
    const during = await calculateAtOnce(rig, [key], 3)
    await rig.redis().restart()
    const noticedMs = await milliseconds(
      until(
        'readiness is ok',
        async () => JSON.stringify(await readiness()) === JSON.stringify([ok, ok, ok]),
      ),
    )
    await rig.serving('redis')

    measured(
      `T16: ready after ${readyMs.toFixed(0)} ms, not degraded ${noticedMs.toFixed(0)} ms after Redis came`,
    )
    expect(before).toEqual([degraded, degraded, degraded])
    expect([readyMs < size(60_000, 10_000), noticedMs < size(10_000, 2_000)]).toEqual([true, true])
    expect(statuses([...during, ...(await calculateAtOnce(rig, [key], 3))])).toEqual({ 200: 6 })
    expect(await usedOf(rig, key, 1)).toEqual({ daily: 6, monthly: 6 })
  })
})

/** Milliseconds: with links that break all the time, some instance always waits for another, a lease longer at most. */
const withALease = 250 + 100

/** Whoever has found Redis away once, believes it until Redis is back. */
function expectGivenUpOnce({ losses }: LoadOutcome): void {
  if (isCampaign) expect(losses.length).toBeLessThanOrEqual(3)
}

const ok = { status: 'ok', checks: { postgres: 'ok', redis: 'ok' } }
const degraded = { status: 'degraded', checks: { postgres: 'ok', redis: 'failed' } }

/** What each process keeps after its garbage is collected, and what it holds of the machine. */
async function memory({ instances }: ServiceRig): Promise<{ keptMb: number; residentMb: number }[]> {
  for (const { service } of instances) process.kill(service().pid, 'SIGUSR2')
  await sleep(500)
  return Promise.all(
    instances.map(async ({ service }) => {
      const { body } = await send(`${service().internalUrl}/metrics`)
      const megabytes = (name: string) =>
        Number(new RegExp(`^${name} (\\d+)`, 'm').exec(String(body))?.[1]) / 2 ** 20
      const keptMb = megabytes('nodejs_heap_size_used_bytes') + megabytes('nodejs_external_memory_bytes')
      return { keptMb, residentMb: megabytes('process_resident_memory_bytes') }
    }),
  )
}
