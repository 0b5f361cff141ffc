import { setTimeout as sleep } from 'node:timers/promises'
import { readSnapshot, tombstone } from '../src/account-snapshot.ts'
import { burstOf, type Verdict } from '../src/gate.ts'
import type { Seen } from '../src/ledger.ts'
import { redisRecords } from '../src/redis-records.ts'
import { noon, openRig, type Rig, type TestAccount } from './failover-rig.ts'
import { testPlans } from './support.ts'

const allowed = (verdicts: readonly Verdict[]) => verdicts.filter(({ outcome }) => outcome === 'ok')
const usedOf = (verdict: Verdict) => ('plan' in verdict ? verdict.usedToday : -1)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe('three instances on one Redis', () => {
  let rig: Rig
  beforeAll(async () => {
    // A busy machine may be late without Redis being away.
    rig = await openRig({ instances: 3, answerWithinMs: 1_000 })
  })
  afterAll(() => rig.close())

  test.each([1, 2, 3, 4, 5])(
    'admit exactly 50 of 500 calls at once and count each once (run %d, T01)',
    async () => {
      const account = await rig.account()

      const verdicts = await rig.callAtOnce(account, 500)

      expect(
        allowed(verdicts)
          .map(usedOf)
          .toSorted((a, b) => a - b),
      ).toEqual(upTo(50))
      expect(verdicts.filter(({ outcome }) => outcome === 'over')).toHaveLength(450)
    },
  )

  test('admit exactly one of 200 calls at once when the limit is 1 (T02)', async () => {
    for (let run = 0; run < 50; run++) {
      expect(allowed(await rig.callAtOnce(await rig.account('single'), 200))).toHaveLength(1)
    }
  })

  test('refuse a key from the moment that its revocation is answered (T29)', async () => {
    for (let run = 0; run < 20; run++) {
      const account = await rig.account()
      await rig.callAtOnce(account, 3)
      await rig.revoke(account, run)

      const verdicts = await rig.callAtOnce(account, 6)

      expect(verdicts).toEqual(verdicts.map(() => ({ outcome: 'revoked' })))
    }
  })

  test('answer without an error while Redis forgets its scripts again and again (T20)', async () => {
    const account = await rig.account()
    const state = { done: false }
    const flushing = (async () => {
      while (!state.done) await rig.clients[0]?.call('SCRIPT', 'FLUSH')
    })()
    const verdicts: Verdict[] = []
    for (let i = 0; i < 100; i++) verdicts.push(...(await rig.callAtOnce(account, 3)))
    state.done = true
    await flushing

    expect(allowed(verdicts)).toHaveLength(50)
    expect(rig.gates.map((gate) => gate.serving())).toEqual(['redis', 'redis', 'redis'])
  })

  test('count on from the ledger when Redis forgets everything: exactly, once the ledger is written (T18)', async () => {
    const account = await rig.account()
    expect(allowed(await rig.callAtOnce(account, 30))).toHaveLength(30)
    await Promise.all(rig.gates.map((gate) => gate.ledger.flush()))
    await rig.clients[0]?.flushall()

    const verdicts = await rig.callAtOnce(account, 200)

    expect(
      allowed(verdicts)
        .map(usedOf)
        .toSorted((a, b) => a - b),
    ).toEqual(upTo(50).slice(30))
  })

  test('overshoot by no more than was in flight or not yet written when Redis forgot everything (T18)', async () => {
    const account = await rig.account()
    const verdicts: Verdict[] = []
    for (let wave = 0; wave < 20; wave++) {
      const calls = rig.callAtOnce(account, 9)
      if (wave === 3) void rig.clients[0]?.flushall()
      verdicts.push(...(await calls))
    }

    // Each instance knows the highest count it has seen, so only the wave under way can be counted twice.
    expect(allowed(verdicts).length).toBeGreaterThanOrEqual(50)
    expect(allowed(verdicts).length).toBeLessThanOrEqual(50 + 9)
    expect((await rig.call(account)).outcome).toBe('over')
  })

  test('count what only an instance that is asked no more had seen when Redis forgot everything (T18)', async () => {
    const account = await rig.account()
    await rig.call(account, 1, 0)
    rig.links[0]?.postgres.freeze() // the ledger hears of the next calls too late
    for (let i = 0; i < 29; i++) await rig.call(account, 1, 0)
    await rig.forget()
    const atOnce = [await rig.call(account, 1, 1), await rig.call(account, 1, 2)]
    rig.links[0]?.postgres.heal()
    await sleep(1_500)

    const later: Verdict[] = []
    for (let i = 0; i < 60; i++) later.push(await rig.call(account, 1, 1 + (i % 2)))

    expect(allowed(atOnce)).toHaveLength(2)
    expect(allowed(later)).toHaveLength(20)
    expect(allowed(later).map(usedOf)).toEqual(upTo(50).slice(30))
  })

  test('keep a key revoked when Redis forgets everything', async () => {
    const account = await rig.account()
    await rig.callAtOnce(account, 3)
    await rig.revoke(account)
    await rig.clients[0]?.flushall()

    expect(await rig.callAtOnce(account, 3)).toEqual(upTo(3).map(() => ({ outcome: 'revoked' })))
  })
})

describe('a record in Redis', () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await openRig()
  })
  afterAll(() => rig.close())

  const day = Math.floor(noon / 86_400_000)
  const records = (epoch = 1000, seen?: Seen, now = noon) => {
    const [redis] = rig.clients
    if (redis === undefined) throw new Error('The rig has no client.')
    const rest = {
      plans: testPlans,
      burst: burstOf(0),
      prefix: 'slr',
      clock: () => now,
      answerWithinMs: 1_000,
    }
    return redisRecords({ redis, ...rest, epoch: () => epoch, floor: () => seen })
  }
  const snapshotOf = async ({ tag }: TestAccount) =>
    (await readSnapshot(rig.database.db, tag, day, new Date(noon))) ?? tombstone

  test('does not take back a revocation from a fill that was read before it and arrives after it', async () => {
    const account = await rig.account()
    const [one, other] = [records(), records()]
    const before = await snapshotOf(account)
    await one.write(account.tag, 1000, day, before)
    expect((await one.ask(account.request(0))).outcome).toBe('ok')
    await rig.revoke(account)
    await other.write(account.tag, 1000, day, await snapshotOf(account))

    await one.write(account.tag, 1000, day, before)

    expect((await one.ask(account.request(0))).outcome).toBe('unknown')
    expect((await other.ask(account.request(1))).outcome).toBe('unknown')
  })

  test('of a deleted account is never filled again', async () => {
    const account = await rig.account()
    const before = await snapshotOf(account)
    await records().write(account.tag, 1000, day, tombstone)

    await records().write(account.tag, 1000, day, { ...before, version: before.version + 1000 })

    expect((await records().ask(account.request(0))).outcome).toBe('unknown')
  })

  test('merges its counters by the maximum and loses none to a late writer', async () => {
    const account = await rig.account()
    const before = await snapshotOf(account)
    const one = records()
    await one.write(account.tag, 1000, day, { ...before, used: 7 })
    await one.ask(account.request(1))
    await one.write(account.tag, 1000, day, { ...before, used: 3, directUsed: 4 })

    expect(await one.ask(account.request(0))).toMatchObject({ outcome: 'ok', used: 8, direct: 4 })
  })

  test.each([1, 2, 23, 400])(
    'keeps what was counted on a day when %d days before are written late',
    async (days) => {
      const account = await rig.account()
      const before = await snapshotOf(account)
      const later = records(1000, undefined, noon + days * 86_400_000)
      await records().write(account.tag, 1000, day, before)
      await later.ask(account.request(1))

      await later.write(account.tag, 1000, day, { ...before, version: before.version + 1, directUsed: 3 })

      expect(await later.ask(account.request(0))).toMatchObject({ day: day + days, used: 1, direct: 0 })
    },
  )

  test('of a day that is yet to come, by a clock that was wrong, is read anew and begins with today', async () => {
    const account = await rig.account()
    const before = await snapshotOf(account)
    const wrong = records(1000, undefined, noon + 10 * 86_400_000)
    await wrong.write(account.tag, 1000, day + 10, before)
    await wrong.ask(account.request(1))
    expect((await records().ask(account.request(0))).outcome).toBe('stale')

    await records().write(account.tag, 1000, day, before)

    expect(await records().ask(account.request(1))).toMatchObject({ outcome: 'ok', day, used: 1 })
  })

  test('that shows less than an instance has seen counts on from what the instance has seen that day', async () => {
    const account = await rig.account()
    await records().write(account.tag, 1000, day, await snapshotOf(account))
    const today = records(1000, { day, used: 30, refunded: 0 })
    const yesterday = records(1000, { day: day - 1, used: 40, refunded: 0 })

    expect(await yesterday.ask(account.request(1))).toMatchObject({ outcome: 'ok', used: 1 })
    expect(await today.ask(account.request(1))).toMatchObject({ outcome: 'ok', used: 31 })
    expect(await records().ask(account.request(1))).toMatchObject({ outcome: 'ok', used: 32 })
  })

  test('of an earlier epoch is read anew', async () => {
    const account = await rig.account()
    await records(5).write(account.tag, 5, day, await snapshotOf(account))

    expect((await records(5).ask(account.request(0))).outcome).toBe('ok')
    expect((await records(6).ask(account.request(0))).outcome).toBe('stale')
  })
})
