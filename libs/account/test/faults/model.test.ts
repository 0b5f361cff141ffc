import { size } from '@hearth/infra/campaign'
import fc from 'fast-check'
import { changeAccount } from '../../src/context.ts'
import type { AccountDatabase } from '../../src/database.ts'
import type { Charge, GateRequest, Verdict } from '../../src/gate.ts'
import type { QuotaGate } from '../../src/quota-gate.ts'
import { openRig, until, type Rig } from '../failover-rig.ts'
import { insertAccount, insertKey, openTestGate, testPlans } from '../support.ts'

/*
 * Random sequences of everything that can happen to an account and to the gate, one after the other, against a model
 * that fits on a page. What the gate says must be what the model says, each time and in every word. fast-check prints
 * seed and path of a failure, and the shortest sequence that fails.
 */

import.meta.jest.setTimeout(size(120_000, 3_600_000))

const dayMs = 86_400_000

// ---- the model ------------------------------------------------------------------------------------------------------

type Model = {
  now: number
  plan: string
  isSuspended: boolean
  /** Whether each key still works, by its number. */
  keys: boolean[]
  /** Units of each day; a day that was charged once stays in the map. */
  used: Map<number, number>
  /** The last day on which anything was done. */
  lastDay: number
  /** Days of the units that can still be given back. */
  charges: number[]
  /** Which instances cannot use Redis. */
  cut: Set<number>
}

function newModel(now: number): Model {
  return {
    ...{ now, plan: 'free', isSuspended: false, keys: [true] },
    used: new Map(),
    lastDay: Math.floor(now / dayMs),
    charges: [],
    cut: new Set(),
  }
}

/**
 * The day of a call. A clock that is set back over midnight finds an account in the day that was charged already; in
 * either where nothing was.
 */
function dayOfCall({ now, used, lastDay }: Model, said: number | undefined): number {
  const clockDay = Math.floor(now / dayMs)
  const wasThere = lastDay > clockDay && said === clockDay + 1
  return wasThere || used.has(clockDay + 1) ? clockDay + 1 : clockDay
}

/** What the gate must say to a call, and what that changes. */
function decide(model: Model, key: number, cost: 0 | 1, saidDay: number | undefined): Partial<Verdict> {
  if (model.keys[key] !== true) return { outcome: 'revoked' }
  if (model.isSuspended) return { outcome: 'suspended' }
  const day = dayOfCall(model, saidDay)
  const month = (one: number) => new Date(one * dayMs).toISOString().slice(0, 7)
  const before = [...model.used].filter(([one]) => one < day && month(one) === month(day))
  const usedBefore = before.reduce((sum, [, units]) => sum + units, 0)
  const usedToday = model.used.get(day) ?? 0
  const { daily, monthly } = testPlans[model.plan] ?? testPlans.free
  const standing = { plan: model.plan, day, usedBefore }
  if (cost === 0) return { outcome: 'ok', ...standing, usedToday }
  if (usedToday + 1 > daily || usedBefore + usedToday + 1 > (monthly ?? Infinity))
    return { outcome: 'over', ...standing, usedToday }
  model.used.set(day, usedToday + 1)
  model.charges.push(day)
  return { outcome: 'ok', ...standing, usedToday: usedToday + 1 }
}

function giveBack(model: Model, charge: number): void {
  const [day] = model.charges.splice(charge, 1)
  if (day !== undefined) model.used.set(day, (model.used.get(day) ?? 0) - 1)
}

// ---- the real thing -------------------------------------------------------------------------------------------------

type Real = {
  readonly db: AccountDatabase
  readonly gate: (instance: number) => QuotaGate
  readonly tag: string
  readonly requests: ((cost: 0 | 1) => GateRequest)[]
  readonly selectors: string[]
  readonly charges: Charge[]
  readonly setNow: (now: number) => void
  readonly flush: () => Promise<void>
  /** Redis forgets everything. */
  readonly forget: () => Promise<void>
  readonly cut: (instance: number) => Promise<void>
  readonly heal: (instance: number) => Promise<void>
}

type Step = fc.AsyncCommand<Model, Real>

const step = (
  name: string,
  run: Step['run'],
  check: (model: Readonly<Model>) => boolean = () => true,
): Step => ({
  check,
  run,
  toString: () => name,
})

const change = (real: Real, run: Parameters<typeof changeAccount<unknown>>[2]) =>
  changeAccount({ db: real.db, outbox: real.gate(0).outbox }, real.tag, run)

const instances = 2
/** So long that no busy machine makes an instance give up a Redis that is there. */
const answerWithinMs = 5_000
const instance = fc.nat(instances - 1)

const call = fc
  .record({ key: fc.nat(3), cost: fc.constantFrom<(0 | 1)[]>(0, 1, 1, 1), instance })
  .map((input) =>
    step(`call ${JSON.stringify(input)}`, async (model, real) => {
      const key = input.key % model.keys.length
      // An instance that asks Postgres what is left learns what others count in Redis within a quarter of a second.
      if (input.cost === 0) await real.flush()
      const request = real.requests[key]?.(input.cost)
      if (request === undefined) throw new Error('The test has lost a key.')
      const verdict = await real.gate(input.instance).check(request)
      expect(verdict).toMatchObject(
        decide(model, key, input.cost, 'day' in verdict ? verdict.day : undefined),
      )
      if ('charge' in verdict && verdict.charge !== undefined) real.charges.push(verdict.charge)
      expect(real.charges).toHaveLength(model.charges.length)
    }),
  )

const refund = fc.record({ charge: fc.nat(20), instance }).map((input) =>
  step(
    `refund ${JSON.stringify(input)}`,
    async (model, real) => {
      const at = input.charge % model.charges.length
      const [charge] = real.charges.splice(at, 1)
      giveBack(model, at)
      if (charge !== undefined) await real.gate(input.instance).refund(charge)
      await real.flush() // as for the clock
      if (model.cut.size < instances) await delivered(real)
    },
    (model) => model.charges.length > 0,
  ),
)

/** What an instance without Redis gives back, one with Redis brings there within a twentieth of a second. */
async function delivered({ db, tag }: Real): Promise<void> {
  const waiting = () => db.selectFrom('outbox').select('id').where('tag', '=', tag).execute()
  await until(async () => (await waiting()).length === 0)
}

const makeKey = fc.constant(
  step('make a key', async (model, real) => {
    const made = await change(real, (trx) => insertKey(trx, real.tag))
    const { request, selector } = made as Awaited<ReturnType<typeof insertKey>>
    real.requests.push(request)
    real.selectors.push(selector)
    model.keys.push(true)
  }),
)

const revoke = (name: string, replace: boolean) =>
  fc.nat(3).map((number) =>
    step(`${name} ${number}`, async (model, real) => {
      const key = number % model.keys.length
      const made = await change(real, async (trx) => {
        await trx
          .updateTable('api_key')
          .set({ revoked_at: new Date(model.now) })
          .where('tag', '=', real.tag)
          .where('selector', '=', real.selectors[key] ?? '')
          .execute()
        return replace ? insertKey(trx, real.tag) : undefined
      })
      model.keys[key] = false
      if (!replace) return
      const { request, selector } = made as Awaited<ReturnType<typeof insertKey>>
      real.requests.push(request)
      real.selectors.push(selector)
      model.keys.push(true)
    }),
  )

const setPlan = fc.constantFrom('free', 'pro', 'lifetime').map((plan) =>
  step(`plan ${plan}`, async (model, real) => {
    model.plan = plan
    await change(real, (trx) =>
      trx.updateTable('account').set({ plan }).where('tag', '=', real.tag).execute(),
    )
  }),
)

const suspend = fc.boolean().map((isSuspended) =>
  step(isSuspended ? 'suspend' : 'resume', async (model, real) => {
    model.isSuspended = isSuspended
    const suspended_at = isSuspended ? new Date(model.now) : null
    await change(real, (trx) =>
      trx.updateTable('account').set({ suspended_at }).where('tag', '=', real.tag).execute(),
    )
  }),
)

/** Mostly forward, by hours or weeks; sometimes back by a second or two. */
const clock = fc
  .oneof(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: 0, max: 2 * dayMs }), fc.nat(35 * dayMs))
  .map((ms) =>
    step(`clock ${ms}`, async (model, real) => {
      await real.flush() // what happens within a quarter of a second of midnight is not the question here
      model.lastDay = Math.max(model.lastDay, Math.floor(model.now / dayMs))
      model.now += ms
      real.setNow(model.now)
    }),
  )

const forget = fc.constant(
  step('Redis forgets', async (_model, real) => {
    await real.flush()
    await real.forget()
  }),
)

const cut = instance.map((number) =>
  step(
    `cut ${number}`,
    async (model, real) => {
      model.cut.add(number)
      await real.cut(number)
    },
    (model) => !model.cut.has(number),
  ),
)

const heal = instance.map((number) =>
  step(
    `heal ${number}`,
    async (model, real) => {
      model.cut.delete(number)
      await real.heal(number)
    },
    (model) => model.cut.has(number),
  ),
)

const usual = [
  call,
  call,
  call,
  call,
  call,
  refund,
  makeKey,
  revoke('revoke', false),
  revoke('rotate', true),
  setPlan,
  suspend,
  clock,
]
const starts = [
  '2026-11-20T12:00:00Z',
  '2026-11-30T23:59:59Z',
  '2027-12-31T23:59:58Z',
  '2028-02-28T23:59:59Z',
]

async function newAccount(
  db: AccountDatabase,
): Promise<Pick<Real, 'tag' | 'requests' | 'selectors' | 'charges'>> {
  const { tag, selector, request } = await insertAccount(db)
  return { tag, requests: [request], selectors: [selector], charges: [] }
}

describe('whatever happens, the gate says what the model says', () => {
  async function agree(
    real: Omit<Real, 'tag' | 'requests' | 'selectors' | 'charges'>,
    steps: fc.Arbitrary<Step>[],
    numRuns: number,
  ): Promise<void> {
    const sequence = fc.commands(steps, { maxCommands: 60, size: 'max' })
    const property = fc.asyncProperty(fc.constantFrom(...starts), sequence, async (start, commands) => {
      const model = newModel(Date.parse(start))
      real.setNow(model.now)
      const account = await newAccount(real.db)
      await fc.asyncModelRun(() => ({ model, real: { ...real, ...account } }), commands)
      for (const number of model.cut) await real.heal(number)
    })
    await fc.assert(property, { numRuns })
  }

  test('on Postgres', async () => {
    const test_ = await openTestGate('postgres')
    const real = {
      ...{ db: test_.db, gate: () => test_.gate, flush: test_.gate.ledger.flush },
      setNow: (now: number) => (test_.now = now),
      ...{ forget: nothing, cut: nothing, heal: nothing },
    }
    await agree(real, usual, size(40, 2_000)).finally(() => test_.close())
  })

  test('on Redis, which may forget everything', async () => {
    const rig = await openRig({ instances, answerWithinMs })
    await agree(realOf(rig), [...usual, forget], size(40, 2_000)).finally(() => rig.close())
  })

  test('on a Redis Cluster, whose nodes may all forget everything', async () => {
    const rig = await openRig({ instances, answerWithinMs, cluster: {} })
    await agree(realOf(rig), [...usual, forget], size(15, 1_000)).finally(() => rig.close())
  })

  test('on Redis and Postgres, while instances lose Redis and find it again', async () => {
    const rig = await openRig({ instances, answerWithinMs })
    await agree(realOf(rig), [...usual, forget, cut, heal], size(12, 500)).finally(() => rig.close())
  })
})

function realOf(rig: Rig): Omit<Real, 'tag' | 'requests' | 'selectors' | 'charges'> {
  const gate = (number: number): QuotaGate => {
    const chosen = rig.gates[number]
    if (chosen === undefined) throw new Error(`There is no instance ${number}.`)
    return chosen
  }
  return {
    db: rig.database.db,
    gate,
    setNow: (now) => (rig.now = now),
    flush: async () => {
      await Promise.all(rig.gates.map(({ ledger }) => ledger.flush()))
    },
    forget: () => rig.forget(),
    async cut(number) {
      rig.links[number]?.redis.cut()
      await until(() => gate(number).serving() === 'postgres')
    },
    async heal(number) {
      rig.links[number]?.redis.heal()
      await until(() => gate(number).serving() === 'redis')
    },
  }
}

async function nothing(): Promise<void> {
  // there is no Redis
}
