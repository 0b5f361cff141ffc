import { changeAccount } from '../src/context.ts'
import type { Verdict } from '../src/gate.ts'
import { gateKinds, insertAccount, insertKey, openTestGate, testPlans, type TestGate } from './support.ts'

/** One suite for every gate: whatever counts, the caller sees the same. */
describe.each(gateKinds)('the %s gate', (kind) => {
  let test_: TestGate
  const noon = Date.UTC(2026, 10, 20, 12)

  beforeAll(async () => {
    test_ = await openTestGate(kind, { now: noon })
  })
  afterAll(() => test_.close())
  beforeEach(() => {
    test_.now = noon
  })

  /** Makes `count` calls one after the other and returns the last verdict. */
  async function calls(
    account: Awaited<ReturnType<typeof insertAccount>>,
    count: number,
    cost: 0 | 1 = 1,
  ): Promise<Verdict> {
    let verdict: Verdict = { outcome: 'unknown' }
    for (let i = 0; i < count; i++) verdict = await test_.gate.check(account.request(cost))
    return verdict
  }

  test('serves from where it says', () => {
    expect(test_.gate.serving()).toBe(kind === 'redis' || kind === 'cluster' ? 'redis' : 'postgres')
  })

  test('allows exactly the daily quota and says how much is used', async () => {
    const account = await insertAccount(test_.db)

    const verdicts = []
    for (let i = 0; i < 7; i++) verdicts.push(await test_.gate.check(account.request(1)))

    expect(verdicts.map((verdict) => verdict.outcome)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'over', 'over'])
    expect(verdicts.map((verdict) => ('plan' in verdict ? verdict.usedToday : -1))).toEqual([
      1, 2, 3, 4, 5, 5, 5,
    ])
  })

  test('allows exactly the daily quota to 200 calls at once, and counts each once', async () => {
    const account = await insertAccount(test_.db, { plan: 'pro' })

    const verdicts = await Promise.all(
      Array.from({ length: 200 }, () => test_.gate.check(account.request(1))),
    )

    const allowed = verdicts.filter((verdict) => verdict.outcome === 'ok')
    expect(allowed.map((verdict) => verdict.usedToday).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
    expect(verdicts.filter((verdict) => verdict.outcome === 'over')).toHaveLength(150)
  })

  test('charges both windows or neither', async () => {
    const account = await insertAccount(test_.db)
    await calls(account, 5)
    test_.now = noon + 86_400_000
    await calls(account, 5)
    test_.now = noon + 2 * 86_400_000

    const verdicts = await Promise.all(Array.from({ length: 20 }, () => test_.gate.check(account.request(1))))

    expect(verdicts.filter((verdict) => verdict.outcome === 'ok')).toHaveLength(2)
    expect(await calls(account, 1, 0)).toMatchObject({ outcome: 'ok', usedToday: 2, usedBefore: 10 })
  })

  test('admits what is left of the shorter window, and what it refuses moves nothing (T03)', async () => {
    const day = Math.floor(noon / 86_400_000)
    const pro = await insertAccount(test_.db, { plan: 'pro' })
    await test_.db
      .insertInto('usage_day')
      .values([
        { tag: pro.tag, day: day - 1, redis_used: 1457 },
        { tag: pro.tag, day, redis_used: 40 },
      ])
      .execute()
    const callAtOnce = async (count: number) => {
      const verdicts = await Promise.all(
        Array.from({ length: count }, () => test_.gate.check(pro.request(1))),
      )
      return verdicts.filter(({ outcome }) => outcome === 'ok').length
    }

    // 10 are left of the day and 3 of the month.
    expect(await callAtOnce(100)).toBe(3)
    expect(await calls(pro, 1, 0)).toMatchObject({ usedToday: 43, usedBefore: 1457 })

    const other = await insertAccount(test_.db, { plan: 'pro' })
    await test_.db
      .insertInto('usage_day')
      .values([
        { tag: other.tag, day: day - 1, redis_used: 1430 },
        { tag: other.tag, day, redis_used: 50 },
      ])
      .execute()
    // None is left of the day and 20 of the month.
    for (let i = 0; i < 5; i++) {
      const verdicts = await Promise.all(
        Array.from({ length: 100 }, () => test_.gate.check(other.request(1))),
      )
      expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['over']))
    }
    expect(await calls(other, 1, 0)).toMatchObject({ usedToday: 50, usedBefore: 1430 })
  })

  test('counts no month for a plan without a monthly quota', async () => {
    const account = await insertAccount(test_.db, { plan: 'lifetime' })
    for (let day = 0; day < 5; day++) {
      test_.now = Date.UTC(2026, 10, 10 + day, 12)
      expect(await calls(account, 10)).toMatchObject({ outcome: 'ok', usedToday: 10 })
      expect(await calls(account, 1)).toMatchObject({ outcome: 'over' })
    }
  })

  test('checks without charging, even when the quota is used up', async () => {
    const account = await insertAccount(test_.db)
    await calls(account, 5)

    expect(await calls(account, 3, 0)).toMatchObject({ outcome: 'ok', usedToday: 5, charge: undefined })
  })

  test('gives a unit back once it is refunded', async () => {
    const account = await insertAccount(test_.db)
    const verdict = await calls(account, 5)
    expect(await calls(account, 1)).toMatchObject({ outcome: 'over' })

    if (verdict.outcome === 'ok' && verdict.charge !== undefined) await test_.gate.refund(verdict.charge)

    expect(await calls(account, 1, 0)).toMatchObject({ usedToday: 4 })
    expect(await calls(account, 1)).toMatchObject({ outcome: 'ok', usedToday: 5 })
    expect(await calls(account, 1)).toMatchObject({ outcome: 'over' })
  })

  test('shows nothing as used when more was given back than it knows to be charged', async () => {
    const account = await insertAccount(test_.db)
    const day = Math.floor(noon / 86_400_000)
    await test_.db.insertInto('usage_day').values({ tag: account.tag, day, redis_refunded: 3 }).execute()

    expect(await calls(account, 1, 0)).toMatchObject({ outcome: 'ok', usedToday: 0 })
  })

  test('gives a unit of yesterday back to the month, not to today', async () => {
    const account = await insertAccount(test_.db)
    const verdict = await calls(account, 3)
    test_.now = noon + 86_400_000
    await calls(account, 1)

    if (verdict.outcome === 'ok' && verdict.charge !== undefined) await test_.gate.refund(verdict.charge)

    expect(await calls(account, 1, 0)).toMatchObject({ usedToday: 1, usedBefore: 2 })
  })

  test.each([
    ['an ordinary midnight', '2026-11-20', '2026-11-21', true],
    ['the end of a month of 30 days', '2026-11-30', '2026-12-01', false],
    ['the end of a month of 31 days', '2026-12-31', '2027-01-01', false],
    ['28 February of a common year', '2027-02-28', '2027-03-01', false],
    ['28 February of a leap year', '2028-02-28', '2028-02-29', true],
    ['29 February', '2028-02-29', '2028-03-01', false],
    ['28 February 2100, which is no leap year', '2100-02-28', '2100-03-01', false],
  ])('opens new windows at %s (T07)', async (_name, before, after, sameMonth) => {
    const account = await insertAccount(test_.db)
    test_.now = Date.parse(`${before}T23:59:59.999Z`)
    await calls(account, 5)
    expect(await calls(account, 1)).toMatchObject({ outcome: 'over' })

    test_.now = Date.parse(`${after}T00:00:00.000Z`)

    expect(await calls(account, 1)).toMatchObject({
      outcome: 'ok',
      usedToday: 1,
      usedBefore: sameMonth ? 5 : 0,
    })
  })

  test('keeps the new day when the clock steps back over midnight', async () => {
    const account = await insertAccount(test_.db)
    test_.now = Date.UTC(2026, 10, 30, 23, 59, 59)
    await calls(account, 5)
    test_.now = Date.UTC(2026, 11, 1, 0, 0, 1)
    const first = await calls(account, 2)

    test_.now = Date.UTC(2026, 10, 30, 23, 59, 58)
    const second = await calls(account, 1)

    expect(first).toMatchObject({ outcome: 'ok', usedToday: 2, usedBefore: 0 })
    expect(second).toMatchObject({ outcome: 'ok', usedToday: 3, usedBefore: 0 })
    expect('day' in first && 'day' in second && first.day === second.day).toBe(true)
  })

  test('does not believe a clock that was days ahead', async () => {
    const account = await insertAccount(test_.db)
    await calls(account, 4)
    await test_.gate.ledger.flush()
    test_.now = Date.UTC(2026, 11, 25)
    await calls(account, 2)

    test_.now = noon

    expect(await calls(account, 1)).toMatchObject({ outcome: 'ok', usedToday: 5 })
    expect(await calls(account, 1)).toMatchObject({ outcome: 'over' })
  })

  test('follows a change of plan with the next call, counters untouched', async () => {
    const account = await insertAccount(test_.db)
    await calls(account, 5)

    await changeAccount({ db: test_.db, outbox: test_.gate.outbox }, account.tag, (trx) =>
      trx.updateTable('account').set({ plan: 'pro' }).where('tag', '=', account.tag).execute(),
    )
    const upgraded = await calls(account, 2)
    await changeAccount({ db: test_.db, outbox: test_.gate.outbox }, account.tag, (trx) =>
      trx.updateTable('account').set({ plan: 'free' }).where('tag', '=', account.tag).execute(),
    )

    expect(upgraded).toMatchObject({ outcome: 'ok', plan: 'pro', usedToday: 7 })
    expect(await calls(account, 1)).toMatchObject({ outcome: 'over', plan: 'free', usedToday: 7 })
  })

  test('shares one quota among all keys of an account', async () => {
    const account = await insertAccount(test_.db)
    const other = { ...account, ...(await insertKey(test_.db, account.tag)) }
    await calls(account, 3)

    expect(await calls(other, 2)).toMatchObject({ outcome: 'ok', usedToday: 5 })
    expect(await calls(account, 1)).toMatchObject({ outcome: 'over' })
  })

  test('accepts a key from the moment it is made and refuses it from the moment it is revoked', async () => {
    const account = await insertAccount(test_.db)
    await calls(account, 2)
    const context = { db: test_.db, outbox: test_.gate.outbox }
    const made = await changeAccount(context, account.tag, (trx) => insertKey(trx, account.tag))

    const withNew = await test_.gate.check(made?.request(1) ?? account.request(1))
    await changeAccount(context, account.tag, (trx) =>
      trx
        .updateTable('api_key')
        .set({ revoked_at: new Date() })
        .where('selector', '=', account.selector)
        .execute(),
    )

    expect(withNew).toMatchObject({ outcome: 'ok', usedToday: 3 })
    expect(await calls(account, 1)).toEqual({ outcome: 'revoked' })
    expect(await calls({ ...account, ...made, request: made?.request ?? account.request }, 1)).toMatchObject({
      outcome: 'ok',
      usedToday: 4,
    })
  })

  test('tells whether a key is unknown, expired or of a suspended account', async () => {
    const account = await insertAccount(test_.db)
    const expiring = await insertAccount(test_.db, { expiresAt: new Date(noon + 1100) })
    expect(await calls(expiring, 1)).toMatchObject({ outcome: 'ok' })
    await calls(account, 1)
    test_.now = noon + 1099
    expect(await calls(expiring, 1)).toMatchObject({ outcome: 'ok' })

    test_.now = noon + 1100
    await changeAccount({ db: test_.db, outbox: test_.gate.outbox }, account.tag, (trx) =>
      trx.updateTable('account').set({ suspended_at: new Date() }).where('tag', '=', account.tag).execute(),
    )

    expect(await calls(expiring, 1)).toEqual({ outcome: 'expired' })
    expect(await calls(account, 1)).toEqual({ outcome: 'suspended' })
    const { tag, selector } = account
    expect(await test_.gate.check({ tag, selector, digests: 'x'.repeat(43), cost: 1 })).toEqual({
      outcome: 'unknown',
    })
    expect(await test_.gate.check({ tag, selector: 'none', digests: 'x'.repeat(43), cost: 1 })).toEqual({
      outcome: 'unknown',
    })
    expect(await test_.gate.check({ ...account.request(1), tag: 'nobodyhere' })).toEqual({
      outcome: 'unknown',
    })
  })

  test('refuses every key of an account that was deleted', async () => {
    const account = await insertAccount(test_.db)
    await calls(account, 1)

    await changeAccount({ db: test_.db, outbox: test_.gate.outbox }, account.tag, (trx) =>
      trx.deleteFrom('account').where('tag', '=', account.tag).execute(),
    )

    expect(await calls(account, 1)).toEqual({ outcome: 'unknown' })
  })

  test('writes what it charged into the ledger', async () => {
    const account = await insertAccount(test_.db)
    await calls(account, 4)
    await test_.gate.ledger.flush()

    const row = await test_.db
      .selectFrom('usage_day')
      .selectAll()
      .where('tag', '=', account.tag)
      .executeTakeFirstOrThrow()

    expect(row.redis_used - row.redis_refunded + row.direct_used - row.direct_refunded).toBe(4)
    expect(row.day).toBe(Math.floor(noon / 86_400_000))
  })
})

describe.each(gateKinds)('the burst limit of the %s gate', (kind) => {
  let test_: TestGate
  beforeAll(async () => {
    test_ = await openTestGate(kind, { burstPerSecond: 4 })
  })
  afterAll(() => test_.close())

  test('lets twice the rate through at once, then says how long to wait, and charges nothing for what it refuses', async () => {
    const account = await insertAccount(test_.db, { plan: 'pro' })

    const verdicts = []
    for (let i = 0; i < 12; i++) verdicts.push(await test_.gate.check(account.request(1)))

    const allowed = verdicts.filter((verdict) => verdict.outcome === 'ok').length
    expect(allowed).toBeGreaterThanOrEqual(8)
    expect(allowed).toBeLessThan(12)
    const last = verdicts.at(-1)
    expect(last).toMatchObject({ outcome: 'burst', usedToday: allowed, plan: testPlans['pro'] && 'pro' })
    expect(last?.outcome === 'burst' && last.waitMs > 0 && last.waitMs <= 250).toBe(true)
  })

  test('makes nobody wait for a clock that was set back', async () => {
    const account = await insertAccount(test_.db)
    test_.now = Date.now()
    await test_.gate.check(account.request(0))

    test_.now -= 60_000

    expect(await test_.gate.check(account.request(0))).toMatchObject({ outcome: 'ok' })
    test_.now = undefined
  })
})
