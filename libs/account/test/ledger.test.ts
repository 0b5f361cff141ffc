import fc from 'fast-check'
import { sql } from 'kysely'
import type { Database } from '@hearth/chassis/database'
import type { AccountTables } from '../src/database.ts'
import { createLedger, type LedgerOptions } from '../src/ledger.ts'
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

  let opened = 0
  const open = (options: Partial<LedgerOptions> = {}) =>
    createLedger(database.db, { instance: `ledger${opened++}`, ...options })
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
      select coalesce(sum(used), 0)::integer as used from usage_endpoint where tag = ${tag}`.execute(
      database.db,
    )
    return rows[0]?.used
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
        ledger.called(ledger.of(tag), day, endpoint)
      }
      await ledger.flush()
      await ledger.flushCalls()
    }

    const known = (tag: string) => ledger.of(tag)
    expect(tags.filter((tag) => known(tag).counter !== undefined)).toHaveLength(3)
    expect(tags.filter((tag) => known(tag).calls !== undefined)).toHaveLength(3)
    for (const tag of tags) {
      expect(await daysOf(tag)).toEqual([[day, 8, 0]])
      expect(await callsOf(tag)).toBe(4)
    }
  })

  test('counts the calls of an account on while it forgets those of others', async () => {
    const ledger = open({ most: 1 })
    const [tag = '', ...others] = await accounts(4)
    for (let round = 1; round <= 6; round++) {
      ledger.called(ledger.of(tag), day, endpoint)
      for (const other of others) ledger.called(ledger.of(other), day, endpoint)
      const writing = ledger.flushCalls()
      ledger.called(ledger.of(tag), day, endpoint) // is not written yet, so it must not be forgotten
      await writing
    }
    await ledger.flushCalls()

    expect(await callsOf(tag)).toBe(12)
  })

  test('forgets nothing that is yet to be written', async () => {
    const ledger = open({ most: 3 })
    const tags = await accounts(10)
    for (const tag of tags) {
      ledger.saw(ledger.of(tag), { day, used: 5, refunded: 2 })
      ledger.called(ledger.of(tag), day, endpoint)
    }
    await sql`alter table usage_day rename to away`.execute(database.db)
    await sql`alter table usage_endpoint rename to away_too`.execute(database.db)
    await expect(ledger.flush()).rejects.toThrow('usage_day')
    await expect(ledger.flushCalls()).rejects.toThrow('usage_endpoint')
    await sql`alter table away rename to usage_day`.execute(database.db)
    await sql`alter table away_too rename to usage_endpoint`.execute(database.db)

    expect(tags.map((tag) => ledger.of(tag).counter?.used)).toEqual(tags.map(() => 5))
    await ledger.flush()
    await ledger.flushCalls()
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

  test('forgets calls of days that are over with the first call of a later day', async () => {
    const ledger = open()
    const tag = await account()
    for (const at of [day, day + 1, day + 2]) {
      ledger.called(ledger.of(tag), at, endpoint)
      await ledger.flushCalls()
    }
    const days = []
    for (let call = ledger.of(tag).calls; call !== undefined; call = call.next) days.push(call.day)
    expect(days.toSorted()).toEqual([day + 1, day + 2])

    ledger.called(ledger.of(tag), day, endpoint) // by a clock that was set back
    await ledger.flushCalls()
    expect(await callsOf(tag)).toBe(4)
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
        ledger.called(ledger.of(tag), on, name)
        now += 2_000
        if (then === 'keep up') await ledger.keepUp()
        if (then === 'flush of one') await ledger.flushCallsOf(tag)
        if (then === 'flush') await Promise.all([ledger.flush(), ledger.flushCalls()])
      }
      await Promise.all([ledger.flush(), ledger.flushCalls()])

      const totals = [...counted].map(([of, used]) => ({ of, used }))
      const { rows } = await sql`
        select u.tag || ' ' || u.day as of, redis_used as used, (
          select sum(e.used)::integer from usage_endpoint e where e.tag = u.tag and e.day = u.day
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
      ledger.called(ledger.of(one), day, endpoint)
    }
    await database.db.deleteFrom('account').where('tag', '=', gone).execute()
    await ledger.flush()
    await ledger.flushCalls()

    expect([await daysOf(tag), await callsOf(tag)]).toEqual([[[day, 5, 0]], 1])
    expect([await daysOf(gone), await callsOf(gone)]).toEqual([[], 0])
  })

  test('writes the first counts of a day while somebody has locked the account', async () => {
    const ledger = open()
    const tag = await account()
    ledger.saw(ledger.of(tag), { day, used: 5, refunded: 0 })
    ledger.called(ledger.of(tag), day, endpoint)
    await database.db.transaction().execute(async (trx) => {
      await sql`select from account where tag = ${tag} for update`.execute(trx)
      await ledger.flush()
      await ledger.flushCalls()
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

  test('keeps up: counts and uses are written within a quarter of a second, calls within five seconds', async () => {
    let now = 0
    const ledger = open({ clock: () => now })
    const { tag, selector } = await insertAccount(database.db)
    ledger.saw(ledger.of(tag), { day, used: 3, refunded: 1 })
    ledger.used({ tag, selector, notedAt: -Infinity }, Date.UTC(2026, 10, 20, 12))
    ledger.called(ledger.of(tag), day, endpoint)
    const keepUpFor = async (ms: number) => {
      for (const end = now + ms; now < end; now += paceMs) await ledger.keepUp()
    }
    const isUsed = async () => {
      const { rows } = await sql`select from api_key where tag = ${tag} and last_used_at is not null`.execute(
        database.db,
      )
      return rows.length === 1
    }

    await keepUpFor(150)
    expect([await daysOf(tag), await isUsed(), await callsOf(tag)]).toEqual([[], false, 0])
    await keepUpFor(100)
    expect([await daysOf(tag), await isUsed(), await callsOf(tag)]).toEqual([[[day, 3, 1]], true, 0])
    await keepUpFor(4750)
    expect(await callsOf(tag)).toBe(1)
  })

  test('writes the calls of one account for who is about to read them', async () => {
    const ledger = open()
    const [tag = '', other = ''] = await accounts(2)
    for (const one of [tag, other, tag]) ledger.called(ledger.of(one), day, endpoint)
    await ledger.flushCallsOf(tag)
    expect([await callsOf(tag), await callsOf(other)]).toEqual([2, 0])

    await ledger.flushCalls()
    expect([await callsOf(tag), await callsOf(other)]).toEqual([2, 1])
  })

  test('goes on counting for who found an account before it was forgotten', async () => {
    const ledger = open({ most: 3 })
    const tags = await accounts(10)
    const tallies = tags.map(ledger.of)
    for (const round of [1, 2, 3]) {
      for (const tally of tallies) {
        ledger.saw(tally, { day, used: round, refunded: 0 })
        ledger.called(tally, day, endpoint)
      }
      expect(tags.map((tag) => ledger.of(tag).counter?.used)).toEqual(tags.map(() => round))
      await ledger.flush()
      await ledger.flushCalls()
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
      ledger.called(tally, day, endpoint)
    }
    await ledger.flushCalls()

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
    const { selector } = await insertKey(database.db, tag, null, 'NULL')
    ledger.used({ tag, selector, notedAt: -Infinity }, Date.UTC(2026, 10, 20, 12))
    await ledger.flush()

    const { rows } = await sql<{ at: Date | null }>`
      select last_used_at as at from api_key where tag = ${tag} and selector = ${selector}`.execute(
      database.db,
    )
    expect(rows[0]?.at).toEqual(new Date(Date.UTC(2026, 10, 20, 12)))
  })

  test('knows the last use of a key to a minute', async () => {
    const ledger = open()
    const { tag, selector } = await insertAccount(database.db)
    const key = { tag, selector, notedAt: -Infinity }
    const start = Date.UTC(2026, 10, 20, 12)
    const lastUse = async () => {
      const { rows } = await sql<{
        at: Date
      }>`select last_used_at as at from api_key where tag = ${tag}`.execute(database.db)
      return rows[0]?.at.getTime() ?? 0
    }
    for (let second = 0; second <= 200; second += 7) {
      ledger.used(key, start + second * 1000)
      await ledger.flush()

      expect(await lastUse()).toBeLessThanOrEqual(start + second * 1000)
      expect(await lastUse()).toBeGreaterThan(start + (second - 60) * 1000)
    }
  })

  test('knows to a minute, too, when a key was used while nothing could be written', async () => {
    const ledger = open()
    const { tag, selector } = await insertAccount(database.db)
    const key = { tag, selector, notedAt: -Infinity }
    const start = Date.UTC(2026, 10, 20, 12)
    await sql`alter table api_key rename to away`.execute(database.db)
    for (let second = 0; second <= 100; second += 10) {
      ledger.used(key, start + second * 1000)
      await expect(ledger.flush()).rejects.toThrow('api_key')
    }
    await sql`alter table away rename to api_key`.execute(database.db)
    await ledger.flush()

    const { rows } = await sql<{
      at: Date
    }>`select last_used_at as at from api_key where tag = ${tag}`.execute(database.db)
    expect(rows[0]?.at.getTime()).toBeLessThanOrEqual(start + 100_000)
    expect(rows[0]?.at.getTime()).toBeGreaterThan(start + 40_000)
  })
})
