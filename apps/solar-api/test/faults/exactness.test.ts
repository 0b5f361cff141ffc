import type { LoadReply } from '@hearth/account/testing/http-load'
import type { ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll } from '@hearth/chassis/testing/service-process'
import { isCampaign, size } from '@hearth/infra/campaign'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  calculate,
  calculateAtOnce,
  downFrom,
  keysWithoutExpiry,
  openSolarRig,
  remainingOf,
  setUsedToday,
  statuses,
  usedOf,
  withRedis,
} from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 900_000))
afterAll(endAll)

const runs = size(20, 40)

describe('three processes on one Redis', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ links: false })
    await rig.serving('redis')
  })
  afterAll(() => rig.close())

  test('admit exactly 50 of 500 requests at once, and count each once (T01)', async () => {
    for (let run = 0; run < runs; run++) {
      const { key } = await rig.account()

      const replies = await calculateAtOnce(rig, [key], 500)

      expectExact(replies, 50)
      expect(await usedOf(rig, key, run)).toEqual({ daily: 50, monthly: 50 })
    }
  })

  test('admit exactly one of 200 requests at once when one is left (T02)', async () => {
    for (let run = 0; run < size(20, 50); run++) {
      const { key, tag } = await rig.account()
      await setUsedToday(rig, tag, 49)

      expectExact(await calculateAtOnce(rig, [key], 200), 1)
    }
  })

  test('give all keys of an account one quota, and touch nobody else (T04)', async () => {
    const [account, other] = [await rig.account(), await rig.account()]
    const keys = [account.key]
    for (let i = 0; i < 4; i++) keys.push((await makeKey(rig, account.key)).body.data.apiKey)

    expectExact(await calculateAtOnce(rig, keys, 500), 50)
    expect(await usedOf(rig, other.key)).toEqual({ daily: 0, monthly: 0 })
  })

  test('count on over rotation, deletion and ten new keys (T05)', async () => {
    const { key } = await rig.account()
    expect(statuses(await calculateAtOnce(rig, [key], 30))).toEqual({ 200: 30 })

    const rotated = await rig.send('/v1/account/keys/rotate', { method: 'POST', key })
    const replaced = await makeKey(rig, rotated.body.data.apiKey)
    const { id } = rotated.body.data
    const deleted = await rig.send(`/v1/account/keys/${id}`, {
      method: 'DELETE',
      key: replaced.body.data.apiKey,
    })
    let last = replaced
    for (let i = 0; i < 10; i++) last = await makeKey(rig, replaced.body.data.apiKey)

    expect([rotated.status, deleted.status, last.status]).toEqual([201, 200, 201])
    const { status, headers } = await calculate(rig, last.body.data.apiKey)
    expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '19'])
  })

  test('follow a change of plan with the next request on every instance, and never show less than nothing (T06)', async () => {
    const { key, email } = await rig.account()
    expect(statuses(await calculateAtOnce(rig, [key], 51))).toEqual({ 200: 50, 429: 1 })

    await rig.operate('PUT', `/operator/accounts/${email}/plan`, { plan: 'pro' })
    const upgraded = [0, 1, 2].map((instance) => calculate(rig, key, { instance }))
    expect(remainingOf(await Promise.all(upgraded))).toEqual([449, 448, 447])
    await calculateAtOnce(rig, [key], 67)

    await rig.operate('PUT', `/operator/accounts/${email}/plan`, { plan: 'free' })
    const downgraded = await Promise.all([0, 1, 2].map((instance) => calculate(rig, key, { instance })))
    expect(await usedOf(rig, key)).toEqual({ daily: 120, monthly: 120 })
    expect(downgraded.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']])).toEqual([
      [429, '0'],
      [429, '0'],
      [429, '0'],
    ])
  })

  test('admit no more when one is killed in the middle of a burst (T12)', async () => {
    for (let run = 0; run < size(3, 20); run++) {
      const { key } = await rig.account()
      const victim = rig.instance()

      const sending = calculateAtOnce(rig, [key], 500)
      await sleep(rig.random() * 150)
      await victim.service().stop('SIGKILL')
      const replies = await sending
      await victim.start()

      const { 0: broken = 0, 200: admitted = 0, ...others } = statuses(replies)
      const { daily } = await usedOf(rig, key)
      const what = JSON.stringify({ seed: rig.seed, run, broken, admitted, daily })
      expect([what, Object.keys(others)]).toEqual([what, expect.not.arrayContaining(['503'])])
      expect([what, admitted <= 50 && daily <= 50 && daily - admitted <= broken]).toEqual([what, true])
    }
    expect(await withRedis(rig.redis().url, keysWithoutExpiry)).toEqual([])
  })

  test('share one window when the clocks of two of them are wrong (T08)', async () => {
    const [ahead, behind] = [rig.instance(1), rig.instance(2)]
    await shiftClock(ahead, 86_400_000)
    await shiftClock(behind, -3_600_000)
    const { key } = await rig.account()

    const replies = await calculateAtOnce(rig, [key], 500)

    expectExact(replies, 50)
    const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400
    expect(new Set(replies.map(({ headers }) => headers['x-ratelimit-reset']))).toEqual(
      new Set([`${midnight}`]),
    )
    await Promise.all([ahead, behind].map((one) => one.service().stop()))
    await Promise.all([ahead, behind].map((one) => one.start()))
  })
})

describe('three processes on a Redis Cluster of three nodes', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ redis: 'cluster', links: false })
    await rig.serving('redis')
  })
  afterAll(() => rig.close())

  test('admit exactly 50 of 500 requests at once, wherever an account lies (T01 on a cluster)', async () => {
    for (let run = 0; run < size(6, 20); run++) {
      const { key } = await rig.account()

      expectExact(await calculateAtOnce(rig, [key], 500), 50)
      expect(await usedOf(rig, key, run)).toEqual({ daily: 50, monthly: 50 })
    }
    const complaints = rig.instances.flatMap(
      ({ service }) =>
        service()
          .output()
          .match(/CROSSSLOT|MOVED/g) ?? [],
    )
    expect(complaints).toEqual([])
  })
})

describe('three processes without Redis', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ links: false, redis: 'none' })
  })
  afterAll(() => rig.close())

  test('admit exactly 50 of 500 requests at once, and count each once (T01, T02 on Postgres)', async () => {
    for (let run = 0; run < size(5, 20); run++) {
      const [{ key }, one] = [await rig.account(), await rig.account()]
      await setUsedToday(rig, one.tag, 49)

      expectExact(await calculateAtOnce(rig, [key], 500), 50)
      expectExact(await calculateAtOnce(rig, [one.key], 200), 1)
      expect(await usedOf(rig, key, run)).toEqual({ daily: 50, monthly: 50 })
    }
  })
})

/** On a machine that is busy with other things, some may be told to come back; they cost nothing. */
function expectExact(replies: readonly LoadReply[], limit: number): void {
  const { 200: admitted, 429: refused = 0, 503: later = 0, ...others } = statuses(replies)
  expect([admitted, refused + later, others]).toEqual([limit, replies.length - limit, {}])
  expect(remainingOf(replies)).toEqual(downFrom(limit - 1))
  if (isCampaign) expect(later).toBe(0)
}

function makeKey(rig: ServiceRig, key: string): Promise<LoadReply> {
  return rig.send('/v1/account/keys', { key, body: { name: 'further' } })
}

async function shiftClock(instance: ReturnType<ServiceRig['instance']>, ms: number): Promise<void> {
  const preload = fileURLToPath(new URL('shifted-clock.cjs', import.meta.url))
  await instance.service().stop()
  await instance.start({ NODE_OPTIONS: `--require ${preload}`, CLOCK_SHIFT_MS: String(ms) })
}
