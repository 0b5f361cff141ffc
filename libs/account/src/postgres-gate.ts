import { unavailable } from '@hearth/chassis/errors'
import { sql } from 'kysely'
import { burstLimiter } from './burst-limiter.ts'
import type { CountingPlace } from './counting-place.ts'
import type { AccountDatabase } from './database.ts'
import type { Burst, Charge, Gate, GateRequest, Refused, Standing, Verdict } from './gate.ts'
import { inBudget } from './in-budget.ts'
import type { Ledger } from './ledger.ts'
import { lockAccount, type Outbox } from './outbox.ts'
import type { Plans } from './plans.ts'

/** What the Postgres gate works with. `clock` overrides the database's clock (Unix milliseconds), for tests. */
export type PostgresGateOptions = {
  readonly db: AccountDatabase
  readonly plans: Plans
  readonly burst: Burst
  readonly ledger: Ledger
  readonly clock: (() => number) | undefined
  /** When there is a Redis too: where accounts are counted, and how Redis hears of what is given back here. */
  readonly place?: CountingPlace | undefined
  readonly outbox?: Outbox | undefined
}

/** The gate that counts in Postgres. */
export type PostgresGate = Gate & {
  /** Asks for an instance that can use Redis, of an account that is counted here; `back` when it need not be. */
  readonly checkHere: (request: GateRequest) => Promise<Verdict | 'back'>
}

/**
 * The gate that counts in Postgres: one call of the database function pass_gate per request (see migrations).
 * It serves when no Redis is configured and while Redis is away.
 *
 * The burst limit is kept per process: it bounds abuse, it is not a quota.
 */
export function postgresGate(options: PostgresGateOptions): PostgresGate {
  const quotas = JSON.stringify(
    Object.fromEntries(
      Object.entries(options.plans).map(([id, { daily, monthly }]) => [id, [daily, monthly]]),
    ),
  )
  const bursts = burstLimiter(options.burst)
  const away = options.place === undefined ? null : 'away'

  async function check(
    request: GateRequest,
    inPlace: InPlace,
    signal?: AbortSignal,
  ): Promise<Verdict | 'back'> {
    // Counted before the look-up, or calls at once would all find the limit untouched; by the digest, so that only
    // who has the whole key counts against it. A key over its burst limit costs a look at the key, but no unit.
    const caller = request.digests || request.tag
    const { wait, remaining: burstRemaining } = bursts.take(caller, performance.now())
    const asked = { ...request, cost: wait > 0 ? 0 : request.cost }
    const row = await passGate(options, quotas, asked, inPlace, signal)
    if (row.outcome === 'back') return 'back'
    if (row.outcome !== 'ok' && row.outcome !== 'over') {
      bursts.forget(caller)
      return { outcome: row.outcome }
    }
    const standing = standingOf(row, burstRemaining)
    if (wait > 0) return { ...standing, outcome: 'burst', waitMs: wait }
    if (row.outcome === 'over') return { ...standing, outcome: 'over', waitMs: 0 }
    const charge =
      request.cost === 0 ? undefined : ({ tag: request.tag, day: row.day, by: 'postgres' } as const)
    return { ...standing, outcome: 'ok', charge }
  }

  const giveBack = (charge: Charge) => refundAndTell(options, charge)
  // Only who is here is sent back. Alone there is one step, and the database has a deadline of its own for it.
  const checkAway = (request: GateRequest, signal?: AbortSignal) =>
    check(request, away, signal) as Promise<Verdict>
  return {
    check: (request) =>
      away === null ? checkAway(request) : inBudget((signal) => checkAway(request, signal), giveBack),
    checkHere: (request) => inBudget((signal) => check(request, 'here', signal), giveBack),
    refund: giveBack,
  }
}

/** Whether the caller can use Redis and was sent here by it, or cannot; null where there is no Redis. */
type InPlace = 'away' | 'here' | null

/** Asks once more each time the account had to be moved to Postgres first. */
async function passGate(
  options: PostgresGateOptions,
  quotas: string,
  request: GateRequest,
  inPlace: InPlace,
  signal: AbortSignal | undefined,
): Promise<GateRow & { outcome: Exclude<GateRow['outcome'], 'move'> }> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    signal?.throwIfAborted()
    const row = await askOnce(options, quotas, request, inPlace)
    const { outcome } = row
    if (outcome !== 'move') return { ...row, outcome }
    signal?.throwIfAborted()
    await options.place?.toPostgres(request.tag)
  }
  throw unavailable('The account is being moved between two stores.')
}

/** An account that is moved back and forth all the time is still asked about in between. */
const attempts = 5

async function askOnce(
  { db, ledger, clock }: PostgresGateOptions,
  quotas: string,
  { tag, selector, digests, cost, tally = ledger.of(tag) }: GateRequest,
  inPlace: InPlace,
): Promise<GateRow> {
  const seen = tally.counter
  const at = clock === undefined ? null : new Date(clock())
  const gate = sql.ref(inPlace === null ? 'pass_gate' : 'pass_gate_in_place')
  const place = inPlace === null ? sql`` : sql`, ${inPlace}::text`
  const { rows } = await sql<GateRow>`
    select outcome, plan, day, used_today, used_before, extract(epoch from instant)::float8 * 1000 as now
    from (select coalesce(${at}::timestamptz, clock_timestamp()) as instant) as chosen,
      ${gate}(${tag}, ${selector}, ${digests}, ${cost}::integer, instant, ${quotas}::jsonb,
        ${seen?.day ?? 0}::integer, ${seen?.used ?? 0}::integer, ${seen?.refunded ?? 0}::integer${place})`.execute(
    db,
  )
  const [row] = rows
  if (row === undefined) throw new Error('pass_gate returned no row.')
  return row
}

/** An account that Redis counts would else be refused there for a unit that it has again. */
async function refundAndTell({ db, outbox }: PostgresGateOptions, charge: Charge): Promise<void> {
  if (outbox === undefined) return refundInPostgres(db, charge)
  await db.transaction().execute(async (trx) => {
    const account = await lockAccount(trx, charge.tag)
    await refundInPostgres(trx, charge)
    if (account?.counted_in === 'redis') await outbox.note(trx, charge.tag)
  })
}

/** Gives a unit back in the ledger; right for units of either gate, since a day's columns are summed. */
export async function refundInPostgres(db: AccountDatabase, { tag, day }: Charge): Promise<void> {
  await db
    .insertInto('usage_day')
    .columns(['tag', 'day', 'direct_refunded'])
    .expression((eb) =>
      eb
        .selectFrom('account')
        .where('tag', '=', tag)
        .select(['tag', sql<number>`${day}::integer`.as('day'), sql<number>`1`.as('direct_refunded')]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['tag', 'day'])
        .doUpdateSet({ direct_refunded: sql<number>`usage_day.direct_refunded + 1` }),
    )
    .execute()
}

function standingOf(row: GateRow, burstRemaining: number): Standing {
  return {
    plan: row.plan,
    now: row.now,
    day: row.day,
    usedToday: row.used_today,
    usedBefore: row.used_before,
    burstRemaining,
  }
}

type GateRow = {
  readonly outcome: 'ok' | 'over' | 'move' | 'back' | Refused['outcome']
  readonly plan: string
  readonly day: number
  readonly used_today: number
  readonly used_before: number
  readonly now: number
}
