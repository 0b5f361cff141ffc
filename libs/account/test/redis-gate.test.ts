import { setTimeout as sleep } from 'node:timers/promises'
import type { Charge, Gate, Verdict } from '../src/gate.ts'
import { redisGate, replicate, type RedisGateOptions } from '../src/redis-gate.ts'
import type { Written } from '../src/redis-records.ts'
import { insertAccount, openTestDatabase } from './support.ts'

/*
 * The parts of the gate are in the hands of the test here: what no real store does at will is to answer just after the
 * budget of a call is over.
 */

const request = { tag: 'account', selector: '', digests: '', cost: 1 } as const
const standing = { plan: 'free', now: 0, day: 20_000, usedToday: 1, usedBefore: 0, burstRemaining: 1 }

/** A gate on Redis whose record sends every call to Postgres, which answers `afterMs` later that it is charged. */
function openLateGate(by: Charge['by'], isTrusted: () => boolean, afterMs: number) {
  const givenBack: string[] = []
  const charge: Charge = { tag: request.tag, day: standing.day, by }
  const elsewhere = { outcome: 'elsewhere', now: 0 }
  const options = {
    records: {
      ask: () => Promise.resolve(elsewhere),
      refund: () => Promise.resolve(givenBack.push('in Redis')),
    },
    postgres: {
      checkHere: () => sleep(afterMs).then((): Verdict => ({ ...standing, outcome: 'ok', charge })),
      refund: () => Promise.resolve(void givenBack.push('in Postgres')),
    },
    trust: () => ({ holds: isTrusted, renew: () => Promise.resolve(isTrusted()) }),
    ledger: { of: () => ({ counter: undefined }), saw: () => undefined },
  }
  const gate: Gate = redisGate(options as unknown as RedisGateOptions)
  return { gate, givenBack }
}

test.each<[Charge['by'], boolean, string]>([
  ['postgres', true, 'in Postgres'],
  ['redis', true, 'in Redis'],
  ['redis', false, 'in Postgres'],
])(
  'a unit charged by %s after its call was told 503, with Redis trusted: %s, is given back %s, once',
  async (by, isTrusted, where) => {
    const { gate, givenBack } = openLateGate(by, () => isTrusted, 1_100)

    await expect(gate.check(request)).rejects.toThrow('could not be checked in time')
    await sleep(300)

    expect(givenBack).toEqual([where])
  },
)

test('a unit charged in time is kept', async () => {
  const { gate, givenBack } = openLateGate('postgres', () => true, 10)

  expect(await gate.check(request)).toMatchObject({ outcome: 'ok' })
  await sleep(50)

  expect(givenBack).toEqual([])
})

test('what a record has counted on a day that began after Postgres was read is written, however little', async () => {
  const { db, close } = await openTestDatabase('postgres')
  const { tag } = await insertAccount(db)
  const today = Math.floor(Date.now() / 86_400_000)
  await db.insertInto('usage_day').values({ tag, day: today, redis_used: 40 }).execute()
  const before = { day: today, used: 40, refunded: 0 }
  const written: Written = { day: today + 1, used: 1, refunded: 0, before, unconfirmed: 0, newer: undefined }
  const seen: unknown[] = []
  const options = {
    ...{ db, epoch: () => 1, gaveAnew: () => undefined },
    records: { now: () => Promise.resolve(Date.now()), write: () => Promise.resolve(written) },
    ledger: {
      of: () => tag,
      saw: (_: unknown, counted: unknown) => seen.push(counted),
      flushOf: () => undefined,
    },
  }

  await replicate(options as unknown as RedisGateOptions, [tag])
  await close()

  expect(seen).toEqual([written])
})
