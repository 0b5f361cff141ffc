import fc from 'fast-check'
import { sql, type KyselyPlugin } from 'kysely'
import type { Database } from '@hearth/chassis/database'
import type { AccountDatabase, AccountTables } from '../src/database.ts'
import type { KeyUse } from '../src/key-uses.ts'
import { forgetWriters } from '../src/ledger-rows.ts'
import { createLedger, type Ledger, type LedgerOptions } from '../src/ledger.ts'
import { paceMs } from '../src/unwritten.ts'
import { insertAccount, insertKey, openTestDatabase } from './support.ts'

const day = 20_000
const endpoint = 'POST /v1/echo'

describe('the ledger', () => {
  let database: Database<AccountTables>
  beforeAll(async () => {
    database = await openTestDatabase('postgres')
  })
  afterAll(() => database.close())

  const open = (options: LedgerOptions = {}) => createLedger(database.db, options)
  const call = (ledger: Ledger, tag: string, use: Partial<KeyUse> = {}) =>
    ledger.used(ledger.of(tag), { selector: 'aaaa', day, endpoint, at: 0, calls: 1, ...use })
  const accounts = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await insertAccount(database.db)).tag))
  const account = async () => (await insertAccount(database.db)).tag
  const daysOf = async (tag: string) => {
    const { rows } = await sql<{ day: number; used: number; refunded: number }>`
      select day, redis_used as used, redis_refunded as refunded from usage_day where tag = ${tag} order by day`.execute(
      database.db,
    )
    return rows.map(({ day: of, used, refunded }) => [of, used, refunded])
  }
  const callsOf = async (tag: string) => {
    const { rows } = await sql<{ used: number }>`
      select coalesce(sum(calls), 0)::integer as used from usage_key where tag = ${tag}`.execute(database.db)
    return rows[0]?.used
  }
  const usesOf = async (tag: string) => {
    const { rows } = await sql<{ selector: string; calls: number; at: Date }>`
      select selector, calls, last_used_at as at from usage_key where tag = ${tag} order by selector`.execute(
      database.db,
    )
    return rows.map(({ selector, calls, at }) => [selector, calls, at.getTime()])
  }
  const chargeDirectly = (tag: string) =>
    sql`insert into usage_day as u (tag, day, direct_used) values (${tag}, ${day}, 1)
      on conflict (tag, day) do update set direct_used = u.direct_used + 1`.execute(database.db)
  /** Runs something while other work holds the row of an account's day, so that a flush waits for it. */
  const whileLocked = async (tag: string, run: () => Promise<void>) => {
    await database.db.transaction().execute(async (trx) => {
      await sql`select from usage_day where tag = ${tag} for update`.execute(trx)
      await run()
    })
  }

  test('forgets what is written when it remembers too much, and counts on without a loss', async () => {
    const ledger = open({ most: 3 })
    const tags = await accounts(10)
    for (let round = 1; round <= 4; round++) {
      for (const tag of tags) {
        ledger.saw(ledger.of(tag), { day, used: round * 2, refunded: 0 })
        call(ledger, tag)
      }
      await ledger.flush()
      await ledger.flushUses()
    }

    const known = (tag: string) => ledger.of(tag)
    expect(tags.filter((tag) => known(tag).counter !== undefined)).toHaveLength(3)
    for (const tag of tags) {
      expect(await daysOf(tag)).toEqual([[day, 8, 0]])
      expect(await callsOf(tag)).toBe(4)
    }
  })

  test('counts the calls of an account on while it forgets those of others', async () => {
    const ledger = open({ most: 1 })
    const [tag = '', ...others] = await accounts(4)
    for (let round = 1; round <= 6; round++) {
      call(ledger, tag)
      for (const other of others) call(ledger, other)
      const writing = ledger.flushUses()
      call(ledger, tag) // is not written yet, so it must not be forgotten
      await writing
    }
    await ledger.flushUses()

    expect(await callsOf(tag)).toBe(12)
  })

  test('forgets nothing that is yet to be written', async () => {
    const ledger = open({ most: 3 })
    const tags = await accounts(10)
    for (const tag of tags) {
      ledger.saw(ledger.of(tag), { day, used: 5, refunded: 2 })
      call(ledger, tag)
    }
    await sql`alter table usage_day rename to away`.execute(database.db)
    await sql`alter table usage_key rename to away_too`.execute(database.db)
    await expect(ledger.flush()).rejects.toThrow('usage_day')
    await expect(ledger.flushUses()).rejects.toThrow('usage_key')
    await sql`alter table away rename to usage_day`.execute(database.db)
    await sql`alter table away_too rename to usage_key`.execute(database.db)

    expect(tags.map((tag) => ledger.of(tag).counter?.used)).toEqual(tags.map(() => 5))
    await ledger.flush()
    await ledger.flushUses()
    for (const tag of tags) {
      expect(await daysOf(tag)).toEqual([[day, 5, 2]])
      expect(await callsOf(tag)).toBe(1)
    }
  })

  test('keeps as a floor what was seen while a flush ran, however little it may remember', async () => {
    const ledger = open({ most: 0 })
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 1, refunded: 0 })
    await ledger.flush()
    ledger.saw(ledger.of(tag), { day, used: 2, refunded: 0 })
    let flush = Promise.resolve()
    await whileLocked(tag, async () => {
      flush = ledger.flush()
      await sql`select pg_sleep(0.05)`.execute(database.db)
      ledger.saw(ledger.of(tag), { day, used: 3, refunded: 0 })
    })
    await flush

    expect(ledger.of(tag).counter).toMatchObject({ day, used: 3 })
    await ledger.flush()
    expect(await daysOf(tag)).toEqual([[day, 3, 0]])
  })

  test('remembers counts while they are few', async () => {
    const ledger = open()
    const [early = '', late = ''] = await accounts(2)
    ledger.saw(ledger.of(early), { day: day - 2, used: 5, refunded: 0 })
    ledger.saw(ledger.of(late), { day, used: 5, refunded: 0 })
    await ledger.flush()

    expect([early, late].map((one) => ledger.of(one).counter?.day)).toEqual([day - 2, day])
  })

  test('remembers no account of which nothing was counted', async () => {
    const ledger = open()
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 0, refunded: 0 })

    expect(ledger.of(tag)).toMatchObject({ isKept: false, counter: undefined })
  })

  test('remembers no use that is written', async () => {
    const ledger = open()
    const tag = await account()
    for (const at of [day, day + 1]) call(ledger, tag, { day: at })
    call(ledger, tag, { selector: 'bbbb' })
    expect(ledger.of(tag).isKept).toBe(true)
    await ledger.flushUses()

    expect(ledger.of(tag)).toMatchObject({ isKept: false, uses: undefined })
    expect(await callsOf(tag)).toBe(3)
  })

  test('loses no count and no call, whatever it forgets', async () => {
    const step = fc.record({
      account: fc.nat(4),
      endpoint: fc.constantFrom('GET /a', 'GET /b'),
      day: fc.constantFrom(day, day, day + 1, day + 3),
      then: fc.constantFrom('go on', 'go on', 'flush', 'keep up', 'flush of one'),
    })
    const property = fc.asyncProperty(fc.nat(4), fc.array(step, { maxLength: 40 }), async (most, steps) => {
      let now = 0
      const ledger = open({ most, clock: () => now })
      const tags = await accounts(5)
      const counted = new Map<string, number>()
      for (const { account: index, endpoint: name, day: on, then } of steps) {
        const tag = tags[index] ?? ''
        const used = (counted.get(`${tag} ${on}`) ?? 0) + 1
        counted.set(`${tag} ${on}`, used)
        ledger.saw(ledger.of(tag), { day: on, used, refunded: 0 })
        call(ledger, tag, { day: on, endpoint: name })
        now += 2_000
        if (then === 'keep up') await ledger.keepUp()
        if (then === 'flush of one') await Promise.all([ledger.flushOf(tag), ledger.flushUsesOf(tag)])
        if (then === 'flush') await Promise.all([ledger.flush(), ledger.flushUses()])
      }
      await Promise.all([ledger.flush(), ledger.flushUses()])

      const totals = [...counted].map(([of, used]) => ({ of, used }))
      const { rows } = await sql`
        select u.tag || ' ' || u.day as of, redis_used as used, (
          select sum(k.calls)::integer from usage_key k where k.tag = u.tag and k.day = u.day
        ) as calls from usage_day u where tag = any(${tags}::text[])`.execute(database.db)
      expect(new Set(rows)).toEqual(new Set(totals.map(({ of, used }) => ({ of, used, calls: used }))))
      expect(tags.filter((tag) => ledger.of(tag).counter !== undefined).length).toBeLessThanOrEqual(most)
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('ends a flush though counters go on changing, and leaves the changes to the next', async () => {
    const ledger = open()
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 1, refunded: 0 })
    await ledger.flush()
    ledger.saw(ledger.of(tag), { day, used: 2, refunded: 0 })
    let used = 2
    let isBusy = true
    const count = () => {
      if (!isBusy) return
      ledger.saw(ledger.of(tag), { day, used: ++used, refunded: 0 })
      setImmediate(count)
    }
    count()
    await ledger.flush() // would not come back if it went on until nothing has changed
    isBusy = false
    await ledger.flush()

    expect(await daysOf(tag)).toEqual([[day, used, 0]])
  })

  test('has written, when a flush ends, what was seen before it was asked for, also while another ran', async () => {
    const ledger = open()
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 1, refunded: 0 })
    await ledger.flush()
    ledger.saw(ledger.of(tag), { day, used: 2, refunded: 0 })
    let second = Promise.resolve()
    let first = Promise.resolve()
    await whileLocked(tag, async () => {
      first = ledger.flush()
      await sql`select pg_sleep(0.05)`.execute(database.db)
      ledger.saw(ledger.of(tag), { day, used: 3, refunded: 1 })
      second = ledger.flush()
    })
    await first
    await second

    expect(await daysOf(tag)).toEqual([[day, 3, 1]])
  })

  test('writes the counts of other accounts when some were deleted meanwhile', async () => {
    const ledger = open()
    const [gone = '', tag = ''] = await accounts(2)
    for (const one of [gone, tag]) {
      ledger.saw(ledger.of(one), { day, used: 5, refunded: 0 })
      call(ledger, one)
    }
    await database.db.deleteFrom('account').where('tag', '=', gone).execute()
    await ledger.flush()
    await ledger.flushUses()

    expect([await daysOf(tag), await callsOf(tag)]).toEqual([[[day, 5, 0]], 1])
    expect([await daysOf(gone), await callsOf(gone)]).toEqual([[], 0])
  })

  test('writes the first counts of a day while somebody has locked the account', async () => {
    const ledger = open()
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 5, refunded: 0 })
    call(ledger, tag)
    await database.db.transaction().execute(async (trx) => {
      await sql`select from account where tag = ${tag} for update`.execute(trx)
      await ledger.flush()
      await ledger.flushUses()
    })

    expect([await daysOf(tag), await callsOf(tag)]).toEqual([[[day, 5, 0]], 1])
  })

  test('writes what is counted when the clock of the store was ahead for a while', async () => {
    const ledger = open()
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 1, refunded: 0 })
    ledger.saw(ledger.of(tag), { day: day + 10, used: 2, refunded: 0 })
    ledger.saw(ledger.of(tag), { day, used: 4, refunded: 1 })
    await ledger.flush()
    ledger.saw(ledger.of(tag), { day, used: 5, refunded: 1 })
    await ledger.flush()

    expect(await daysOf(tag)).toEqual([
      [day, 5, 1],
      [day + 10, 2, 0],
    ])
  })

  test('takes nothing back that another instance has written', async () => {
    const [one, two] = [open(), open()]
    const tag = await account()
    one.saw(one.of(tag), { day, used: 7, refunded: 1 })
    two.saw(two.of(tag), { day, used: 5, refunded: 2 })
    await Promise.all([one.flush(), two.flush()])

    expect(await daysOf(tag)).toEqual([[day, 7, 2]])
  })

  test('tells of charges made in Postgres once, and again only when telling has failed', async () => {
    const told: string[][] = []
    let works = false
    const ledger = open({
      onDirect: (tags) => {
        told.push([...tags])
        return works ? Promise.resolve() : Promise.reject(new Error('away'))
      },
    })
    const tag = await account()
    await chargeDirectly(tag)
    ledger.saw(ledger.of(tag), { day, used: 1, refunded: 0 })
    await ledger.flush()
    works = true
    for (let i = 0; i < 3; i++) await ledger.flush()
    expect(told).toEqual([[tag], [tag]])

    ledger.saw(ledger.of(tag), { day, used: 2, refunded: 0 })
    await ledger.flush()
    expect(told).toHaveLength(2)

    await chargeDirectly(tag)
    ledger.saw(ledger.of(tag), { day, used: 3, refunded: 0 })
    await ledger.flush()
    expect(told).toHaveLength(3)
  })

  test('keeps up: counts are written within a quarter of a second, uses within five seconds', async () => {
    let now = 0
    const ledger = open({ clock: () => now })
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 3, refunded: 1 })
    call(ledger, tag)
    const keepUpFor = async (ms: number) => {
      for (const end = now + ms; now < end; now += paceMs) await ledger.keepUp()
    }

    await keepUpFor(150)
    expect([await daysOf(tag), await callsOf(tag)]).toEqual([[], 0])
    await keepUpFor(100)
    expect([await daysOf(tag), await callsOf(tag)]).toEqual([[[day, 3, 1]], 0])
    await keepUpFor(4750)
    expect(await callsOf(tag)).toBe(1)
  })

  test('writes the counts of one account for who is about to read them, also those of the day before', async () => {
    const ledger = open()
    const [tag = '', other = ''] = await accounts(2)
    for (const one of [tag, other])
      for (const on of [day, day + 1]) ledger.saw(ledger.of(one), { day: on, used: 2, refunded: 1 })
    await ledger.flushOf(tag)
    expect([await daysOf(tag), await daysOf(other)]).toEqual([[[day, 2, 1], [day + 1, 2, 1]], []]) // prettier-ignore

    ledger.saw(ledger.of(tag), { day: day + 1, used: 3, refunded: 1 })
    await ledger.flush()
    expect([await daysOf(tag), await daysOf(other)]).toEqual([
      [[day, 2, 1], [day + 1, 3, 1]],
      [[day, 2, 1], [day + 1, 2, 1]],
    ]) // prettier-ignore
  })

  test('keeps up with everybody while readers come one after another', async () => {
    let now = 0
    const ledger = open({ clock: () => now })
    const [tag = '', other = ''] = await accounts(2)
    ledger.saw(ledger.of(other), { day, used: 3, refunded: 0 })
    call(ledger, other)
    for (const end = now + 5_000; now < end; now += paceMs) {
      // Readers come first each time, so that what is due is left to them.
      await Promise.all([ledger.flushOf(tag), ledger.flushUsesOf(tag), ledger.keepUp()])
      if (now === 250) expect(await daysOf(other)).toEqual([[day, 3, 0]])
    }

    expect(await callsOf(other)).toBe(1)
  })

  test('writes the calls of one account for who is about to read them', async () => {
    const ledger = open()
    const [tag = '', other = ''] = await accounts(2)
    for (const one of [tag, other, tag]) call(ledger, one)
    await ledger.flushUsesOf(tag)
    expect([await callsOf(tag), await callsOf(other)]).toEqual([2, 0])

    await ledger.flushUses()
    expect([await callsOf(tag), await callsOf(other)]).toEqual([2, 1])
  })

  test('goes on counting for who found an account before it was forgotten', async () => {
    const ledger = open({ most: 3 })
    const tags = await accounts(10)
    const tallies = tags.map(ledger.of)
    for (const round of [1, 2, 3]) {
      for (const tally of tallies) {
        ledger.saw(tally, { day, used: round, refunded: 0 })
        ledger.used(tally, { selector: 'aaaa', day, endpoint, at: 0, calls: 1 })
      }
      expect(tags.map((tag) => ledger.of(tag).counter?.used)).toEqual(tags.map(() => round))
      await ledger.flush()
      await ledger.flushUses()
    }

    expect(await Promise.all(tags.map(daysOf))).toEqual(tags.map(() => [[day, 3, 0]]))
    expect(await Promise.all(tags.map(callsOf))).toEqual(tags.map(() => 3))
  })

  test('lets two who found an account before it was known count for one', async () => {
    const ledger = open()
    const tag = await account()
    const [one, other] = [ledger.of(tag), ledger.of(tag)]
    for (const tally of [one, other, one]) {
      ledger.saw(tally, { day, used: 1, refunded: 0 })
      ledger.used(tally, { selector: 'aaaa', day, endpoint, at: 0, calls: 1 })
    }
    await ledger.flushUses()

    expect(ledger.of(tag).counter).toMatchObject({ day, used: 1 })
    expect(await callsOf(tag)).toBe(3)
  })

  test('remembers nothing for being asked', () => {
    const ledger = open()
    const asked = ledger.of('nobody0000')

    expect(ledger.of('nobody0000')).not.toBe(asked)
  })

  test('writes the use of a key whose selector means nothing to it, though something to Postgres', async () => {
    const ledger = open()
    const tag = await account()
    const at = Date.UTC(2026, 10, 20, 12)
    await insertKey(database.db, tag, null, 'NULL')
    call(ledger, tag, { selector: 'NULL', at })
    await ledger.flushUses()

    expect(await usesOf(tag)).toEqual([['NULL', 1, at]])
  })

  test('knows the last use of each key, also of those that were refused something', async () => {
    const [one, two] = [open(), open()]
    const tag = await account()
    call(one, tag, { at: 2_000 })
    call(one, tag, { selector: 'bbbb', at: 1_000 })
    call(one, tag, { selector: 'bbbb', at: 4_000, calls: 0 })
    call(two, tag, { at: 3_000 })
    await Promise.all([one.flushUses(), two.flushUses()])
    call(one, tag, { at: 2_500 }) // by a clock that was set back
    await one.flushUses()

    expect(await usesOf(tag)).toEqual([
      ['aaaa', 3, 3_000],
      ['bbbb', 1, 4_000],
    ])
  })

  test('counts a use once, though nobody knows whether it was written, and loses none meanwhile', async () => {
    const failing = failingAtTimes(database.db)
    const ledger = createLedger(failing.db)
    const [tag, other] = [await account(), await account()]
    call(ledger, tag)
    failing.fails = 3
    await expect(ledger.flushUses()).rejects.toThrow('the connection broke')
    expect(await callsOf(tag)).toBe(1)
    call(ledger, tag)
    call(ledger, other)
    await expect(ledger.flushUsesOf(tag)).rejects.toThrow('the connection broke')
    await expect(ledger.flushUses()).rejects.toThrow('the connection broke')
    call(ledger, tag)
    await ledger.flushUses()
    await ledger.flushUses()

    expect([await callsOf(tag), await callsOf(other)]).toEqual([3, 1])
  })

  test('adds up what is used while nothing can be written, and writes it at once', async () => {
    let now = 0
    const failing = failingAtTimes(database.db)
    const ledger = createLedger(failing.db, { clock: () => now })
    const tag = await account()
    failing.refuses = Infinity
    for (let round = 0; round < 20; round++) {
      call(ledger, tag)
      now += 5_000
      await expect(ledger.keepUp()).rejects.toThrow('the connection broke')
    }
    Object.assign(failing, { refuses: 0, sent: 0 })
    await ledger.flushUses()

    expect(await callsOf(tag)).toBe(20)
    expect(failing.sent).toBe(2) // what was tried first, and all else
  })

  test('counts every use once when statements fail before or after they have done their work', async () => {
    const step = fc.record({
      account: fc.nat(2),
      at: fc.nat(9_999),
      then: fc.constantFrom('go on', 'go on', 'flush', 'flush of one', 'keep up'),
      outcome: fc.constantFrom('works', 'works', 'fails before', 'fails after'),
    })
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      let now = 0
      const failing = failingAtTimes(database.db)
      const ledger = createLedger(failing.db, { clock: () => now })
      const tags = await accounts(3)
      const expected = new Map<string, [string, number, number]>()
      for (const { account: index, at, then, outcome } of steps) {
        const tag = tags[index] ?? ''
        call(ledger, tag, { at })
        const [, calls = 0, last = 0] = expected.get(tag) ?? []
        expected.set(tag, ['aaaa', calls + 1, Math.max(last, at)])
        now += 2_000
        failing.fails = outcome === 'fails after' ? 1 : 0
        failing.refuses = outcome === 'fails before' ? 1 : 0
        const run = { 'go on': undefined, flush: ledger.flushUses, 'keep up': ledger.keepUp }
        await (then === 'flush of one' ? ledger.flushUsesOf(tag) : run[then]?.())?.catch(() => undefined)
      }
      Object.assign(failing, { fails: 0, refuses: 0 })
      await ledger.flushUses()

      for (const [tag, uses] of expected) expect(await usesOf(tag)).toEqual([uses])
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('forgets who has written nothing for a month, and nobody else', async () => {
    const [idle, busy] = [open(), open()]
    const tag = await account()
    call(idle, tag)
    await idle.flushUses()
    await sql`update ledger_writer set written_at = written_at - interval '31 days'`.execute(database.db)
    call(busy, tag)
    await busy.flushUses()
    await forgetWriters(database.db)

    const { rows } = await sql`select from ledger_writer`.execute(database.db)
    expect(rows).toHaveLength(1)
  })
})

/** A database whose statements fail before they are sent (`refuses` so many) or after they are done (`fails`). */
function failingAtTimes(db: AccountDatabase) {
  const state = { fails: 0, refuses: 0, sent: 0 }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (state.refuses-- > 0) throw new Error('the connection broke')
      state.sent += 1
      return node
    },
    transformResult({ result }) {
      if (state.fails-- > 0) return Promise.reject(new Error('the connection broke'))
      return Promise.resolve(result)
    },
  }
  return Object.assign(state, { db: db.withPlugin(plugin) })
}
