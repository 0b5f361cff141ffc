import { openDatabase } from '@hearth/chassis/database'
import { startFaultProxy } from '@hearth/infra/fault-proxy'
import { measured, size } from '@hearth/infra/campaign'
import { sql } from 'kysely'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AccountTables } from '../../src/database.ts'
import { gateInstances, noteForInstances } from '../../src/gate-instances.ts'
import { milliseconds, openRig, plans, until, type Rig, type TestAccount } from '../failover-rig.ts'
import { silent } from '../support.ts'
import type { Order } from './another-process.ts'

import.meta.jest.setTimeout(size(60_000, 300_000))

/*
 * Two things that happen between two steps of a third: what an instance reads, believes or is about to ask is over when it
 * goes on. Each test is an order of events in which a key that had been revoked was accepted, a quota was exceeded, or
 * everybody waited.
 */

let rig: Rig
afterEach(() => rig.close())

const outcome = async (account: TestAccount, cost: 0 | 1 = 1, instance = 0): Promise<string> =>
  rig.call(account, cost, instance).then(
    (verdict) => verdict.outcome,
    () => 'later',
  )
const later = 'later'

/** Another process does something; this one, with all its instances, stands still meanwhile. */
function whileStopped(what: 'call' | 'revoke', account: TestAccount): string {
  const order: Order = { request: account.request(1), plans, now: rig.now }
  const program = fileURLToPath(new URL('another-process.ts', import.meta.url))
  const args = [program, rig.databaseUrl, what, JSON.stringify(order)]
  return execFileSync(process.execPath, args, { encoding: 'utf8' })
}

/** Holds the lock of a row until it is told to let go. */
async function hold(table: 'account' | 'usage_day', { tag }: TestAccount): Promise<() => Promise<void>> {
  const [held, release] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const holding = rig.database.db.transaction().execute(async (trx) => {
    await sql`select from ${sql.table(table)} where tag = ${tag} for update`.execute(trx)
    held.resolve(undefined)
    await release.promise
  })
  await held.promise
  return async () => {
    release.resolve(undefined)
    await holding
  }
}

describe('when Postgres goes away, trust in Redis does not outlive what Postgres was told before', () => {
  test.each(['a call', 'a revocation'])(
    'in the time between the loss of Redis and the end of Postgres: %s',
    async (what) => {
      rig = await openRig({ instances: 1 })
      const [single, revoked, slow] = [await rig.account('single'), await rig.account(), await rig.account()]
      for (const one of [single, revoked, slow]) await rig.call(one, 0)
      await rig.call(slow)
      await rig.gates[0]?.ledger.flush()
      const letGo = await hold('usage_day', slow) // what was counted in Redis is not written before Postgres goes
      await rig.call(slow)
      rig.links[0]?.redis.freeze()
      await rig.serving('postgres')
      rig.links[0]?.redis.heal()
      if (what === 'a call') expect(await outcome(single)).toBe('ok')
      else await rig.revoke(revoked)
      const account = what === 'a call' ? single : revoked

      rig.links[0]?.postgres.cut()
      await sleep(1_500)

      expect(await outcome(account)).toBe(later)
      rig.links[0]?.postgres.heal()
      await letGo()
      await rig.serving('redis')
      expect(await outcome(account)).toBe(what === 'a call' ? 'over' : 'revoked')
    },
  )

  test('while the process was stopped', async () => {
    rig = await openRig({ instances: 1 })
    const [single, revoked] = [await rig.account('single'), await rig.account()]
    for (const one of [single, revoked]) await rig.call(one, 0)
    expect(whileStopped('revoke', revoked)).toBe('revoked')
    expect(whileStopped('call', single)).toBe('ok')

    rig.links[0]?.postgres.cut()

    expect([await outcome(single), await outcome(revoked)]).toEqual([later, later])
    await sleep(1_000)
    expect([await outcome(single), await outcome(revoked)]).toEqual([later, later])
    rig.links[0]?.postgres.heal()
    await rig.serving('redis')
    expect([await outcome(single), await outcome(revoked)]).toEqual(['over', 'revoked'])
  })

  test('but it outlives a Redis that hesitates while Postgres is away', async () => {
    rig = await openRig({ instances: 1 })
    const account = await rig.account()
    await rig.call(account)
    rig.links[0]?.postgres.cut()
    await sleep(300)

    rig.links[0]?.redis.freeze()
    await sleep(300)
    rig.links[0]?.redis.heal()
    await rig.serving('redis')

    expect(await rig.call(account)).toMatchObject({ outcome: 'ok', usedToday: 2 })
    rig.links[0]?.postgres.heal()
  })
})

describe('a process that is stopped', () => {
  test('between finding that it may ask Redis and asking does not count there', async () => {
    rig = await openRig({ instances: 1 })
    for (let run = 0; run < size(2, 10); run++) {
      const single = await rig.account('single')
      await rig.call(single, 0)

      const asking = outcome(single)
      const there = whileStopped('call', single)

      expect([there, await asking]).toEqual(['ok', 'over'])
      await rig.serving('redis')
    }
  })

  test('in the middle of asking whether it may go on asks anew', async () => {
    rig = await openRig({ instances: 1 })
    for (let turns = 5; turns < 5 + size(5, 20); turns++) {
      const account = await rig.account()
      await rig.call(account, 0)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150) // the lease is over
      await sleep(0)
      for (let i = 0; i < turns; i++) await new Promise((resume) => setImmediate(resume))

      expect(whileStopped('revoke', account)).toBe('revoked')

      expect([turns, await outcome(account)]).toEqual([turns, 'revoked'])
      await sleep(300)
      await rig.serving('redis')
    }
  })

  test.each(['a call', 'a refund'])(
    'without its clock telling so finds out with its first question to Redis, also %s',
    async (what) => {
      rig = await openRig({ instances: 1 })
      const [revoked, other] = [await rig.account(), await rig.account()]
      await rig.call(revoked)
      const verdict = await rig.call(other)
      await sleep(100)
      rig.links[0]?.postgres.disturb({ down: { latencyMs: 20 } })
      await rig.call(revoked)
      const [now, stoppedAt] = [performance.now.bind(performance), performance.now()]
      expect(whileStopped('revoke', revoked)).toBe('revoked')
      const lostMs = performance.now() - stoppedAt
      const clock = import.meta.jest.spyOn(performance, 'now').mockImplementation(() => now() - lostMs)

      if (what === 'a refund' && verdict.outcome === 'ok' && verdict.charge !== undefined) {
        const refunding = rig.gates[0]?.refund(verdict.charge).catch(() => undefined) // Redis may be given up with it
        await sleep(5)
        expect(['revoked', later]).toContain(await outcome(revoked))
        await refunding
      } else {
        expect(['revoked', later]).toContain(await outcome(revoked))
      }

      await until(async () => (await outcome(revoked)) === 'revoked')
      clock.mockRestore()
      rig.links[0]?.postgres.heal()
    },
  )

  test('in the middle of a change of an account keeps nobody from using Redis for longer than a second', async () => {
    rig = await openRig({ instances: 2 })
    const account = await rig.account()
    await rig.call(account)
    const proxy = await startFaultProxy(Number(new URL(rig.databaseUrl).port))
    const url = proxy.through(rig.databaseUrl)
    const other = await openDatabase<AccountTables>({ url, dataDir: '', schema: 'test', log: silent })
    const [noted, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    const noting = other.db
      .transaction()
      .execute(async (trx) => {
        await noteForInstances(trx, account.tag, 2, true)
        noted.resolve(undefined)
        await goOn.promise
      })
      .catch(() => undefined)
    await noted.promise
    proxy.freeze()

    for (const { redis } of rig.links) redis.reset()
    await rig.serving('postgres')
    const ms = await milliseconds(rig.serving('redis'))

    measured(`Redis is used again ${ms.toFixed(0)} ms after a process was stopped that was noting a change`)
    expect(ms).toBeLessThan(size(8_000, 1_500))
    goOn.resolve(undefined)
    proxy.heal()
    await noting
    await other.close()
    await proxy.close()
  })

  test('while it begins to use Redis makes nobody wait', async () => {
    rig = await openRig({ instances: 2 })
    const accounts = await Promise.all(Array.from({ length: 10 }, () => rig.account()))
    for (const one of accounts) await rig.call(one, 0, 1)
    const proxy = await startFaultProxy(Number(new URL(rig.databaseUrl).port))
    const url = proxy.through(rig.databaseUrl)
    const other = await openDatabase<AccountTables>({ url, dataDir: '', schema: 'test', log: silent })
    await sql`select`.execute(other.aside)
    rig.links[1]?.redis.cut()
    await until(() => rig.gates[1]?.serving() === 'postgres')
    const joining = gateInstances(other.aside, randomUUID())
      .join()
      .catch(() => undefined)
    proxy.freeze() // somewhere in it

    const replies = await Promise.all(accounts.map((one) => outcome(one, 1, 1)))

    expect(replies).toEqual(replies.map(() => 'ok'))
    proxy.heal()
    await joining
    await other.close()
    await proxy.close()
  })
})

describe('an instance whose requests wait for Postgres', () => {
  test('hears of changes all the same', async () => {
    rig = await openRig({ instances: 2 })
    const [single, revoked, locked] = [await rig.account('single'), await rig.account(), await rig.account()]
    for (const one of [single, revoked]) await rig.call(one, 0, 0)
    rig.links[1]?.redis.cut()
    await until(() => rig.gates[1]?.serving() === 'postgres')
    await rig.call(locked, 1, 1)
    const letGo = await hold('account', locked)
    await rig.call(revoked, 0, 0)
    const waiting = Array.from({ length: 12 }, () => outcome(locked, 1, 0)) // as many as have connections, and more
    await sleep(60)

    await rig.revoke(revoked, 1)

    const replies = [await outcome(single, 1, 1), await outcome(single, 1, 0), await outcome(revoked, 1, 0)]
    expect(replies).toEqual(['ok', 'over', 'revoked'])
    await letGo()
    await Promise.all(waiting)
  })
})

describe('what was read before', () => {
  test('a revocation does not make the key valid again in a Redis that has forgotten the revocation', async () => {
    rig = await openRig({ instances: 2 })
    const account = await rig.account()
    await rig.call(account, 1, 0)
    await rig.open()
    await rig.serving('redis')
    rig.links[2]?.postgres.disturb({ down: { latencyMs: 150 } })
    const reading = outcome(account, 0, 2)
    await sleep(60)
    await rig.revoke(account, 0)
    await rig.forget()

    // Until it is asked, the record of the account is not there.
    await until(async () => (await rig.clients[0]?.exists(`slr:{${account.tag}}`)) === 1)
    const replies: string[] = []
    const end = performance.now() + 500
    while (performance.now() < end) {
      replies.push(await outcome(account, 1, replies.length % 2))
      await sleep(2)
    }
    replies.push(await reading)

    expect([...new Set(replies)]).toEqual(['revoked'])
    rig.links[2]?.postgres.heal()
  })

  test('midnight counts for the month, also where another instance had seen it and Redis is lost just then', async () => {
    rig = await openRig({ instances: 3 })
    for (let run = 0; run < size(2, 10); run++) {
      const account = await rig.account('free')
      const replies: string[] = []
      const call = async (instance: number, times: number) => {
        for (let i = 0; i < times; i++) replies.push(await outcome(account, 1, instance))
      }
      await call(0, 5)
      await sleep(300) // written
      rig.now += 86_400_000
      await call(2, 5)
      rig.links[2]?.postgres.freeze() // it does not write them in time
      rig.now += 86_400_000
      if (run % 2 === 1) await call(0, 1) // the record has begun the new day
      rig.links[1]?.redis.cut()
      await call(1, 6)

      expect(replies.filter((one) => one === 'ok')).toHaveLength(12)
      rig.now -= 2 * 86_400_000
      for (const link of [rig.links[1]?.redis, rig.links[2]?.postgres]) link?.heal()
      await rig.serving('redis')
    }
  })
})

test.each([1, 2])(
  'a key whose revocation is delivered while the connections to Postgres break, of %d instances, is refused from the answer on',
  async (instances) => {
    rig = await openRig({ instances })
    rig.links[0]?.postgres.disturb({ up: { latencyMs: 4 } })
    for (let run = 0; run < size(8, 60); run++) {
      await rig.serving('redis')
      const account = await rig.account()
      await rig.call(account)
      const isRevoked = async () => {
        const key = await rig.database.db
          .selectFrom('api_key')
          .select('revoked_at')
          .where('tag', '=', account.tag)
          .executeTakeFirst()
        return key?.revoked_at !== null
      }
      const revoking = rig.revoke(account).then(
        () => 'revoked',
        () => 'not answered',
      )
      await until(isRevoked)
      await sleep(run % 10)
      rig.links[0]?.postgres.reset()

      const answer = await revoking
      const after = await outcome(account, 0)
      if (answer === 'revoked') expect([run, after]).not.toEqual([run, 'ok'])
      await sleep(300) // the breaker of Postgres has closed again
    }
  },
)

test('an outbox of a million changes that nobody needs keeps nobody from using Redis', async () => {
  rig = await openRig({ instances: 2 })
  for (const { redis } of rig.links) redis.cut()
  await rig.serving('postgres')
  await until(async () => {
    const { rows } = await sql`select from gate_instance`.execute(rig.database.db)
    return rows.length === 0
  })
  const rows = size(100_000, 2_500_000)
  await sql`insert into outbox (tag) select 'abcdefghij' from generate_series(1, ${rows}::integer)`.execute(
    rig.database.db,
  )
  const account = await rig.account()

  for (const { redis } of rig.links) redis.heal()
  let worstMs = 0
  while (rig.gates.some((gate) => gate.serving() === 'postgres')) {
    worstMs = Math.max(worstMs, await milliseconds(outcome(account, 0)))
    await sleep(20)
  }

  measured(
    `Redis is used again beside ${rows} changes for nobody; a call took ${worstMs.toFixed(0)} ms at most`,
  )
  expect(await outcome(account)).toBe('ok')
})
