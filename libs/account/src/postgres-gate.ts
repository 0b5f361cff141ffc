import { sql } from 'kysely'
import { burstLimiter } from './burst-limiter.ts'
import type { AccountDatabase } from './database.ts'
import type { Burst, Charge, Gate, GateRequest, Refused, Standing, Verdict } from './gate.ts'
import type { Ledger } from './ledger.ts'
import type { Plans } from './plans.ts'

/** What the Postgres gate works with. `clock` overrides the database's clock (Unix milliseconds), for tests. */
export type PostgresGateOptions = {
  readonly db: AccountDatabase
  readonly plans: Plans
  readonly burst: Burst
  readonly ledger: Ledger
  readonly clock: (() => number) | undefined
}

/**
 * The gate that counts in Postgres: one call of the database function pass_gate per request (see migrations).
 * It serves when no Redis is configured and while Redis is away.
 *
 * The burst limit is kept per process: it bounds abuse, it is not a quota.
 */
export function postgresGate({ db, plans, burst, ledger, clock }: PostgresGateOptions): Gate {
  const quotas = JSON.stringify(
    Object.fromEntries(Object.entries(plans).map(([id, { daily, monthly }]) => [id, [daily, monthly]])),
  )
  const bursts = burstLimiter(burst)

  async function check(request: GateRequest): Promise<Verdict> {
    const { tag, selector, digests } = request
    const seen = ledger.highest(tag)
    // Counted before the look-up, or calls at once would all find the limit untouched; by the digest, so that only
    // who has the whole key counts against it. A key over its burst limit costs a look at the key, but no unit.
    const caller = digests[0] ?? tag
    const { wait, remaining: burstRemaining } = bursts.take(caller, performance.now())
    const at = clock === undefined ? null : new Date(clock())
    const { rows } = await sql<GateRow>`
      select outcome, plan, day, used_today, used_before, extract(epoch from instant)::float8 * 1000 as now
      from (select coalesce(${at}::timestamptz, clock_timestamp()) as instant) as chosen,
        pass_gate(${tag}, ${selector}, ${digests.join(' ')}, ${wait > 0 ? 0 : request.cost}::integer, instant,
          ${quotas}::jsonb, ${seen?.day ?? 0}::integer, ${seen?.used ?? 0}::integer, ${seen?.refunded ?? 0}::integer)`.execute(
      db,
    )
    const [row] = rows
    if (row === undefined) throw new Error('pass_gate returned no row.')
    if (row.outcome !== 'ok' && row.outcome !== 'over') {
      bursts.forget(caller)
      return { outcome: row.outcome }
    }
    const standing = standingOf(row, burstRemaining)
    if (wait > 0) return { ...standing, outcome: 'burst', waitMs: wait }
    if (row.outcome === 'over') return { ...standing, outcome: 'over', waitMs: 0 }
    const charge = request.cost === 0 ? undefined : ({ tag, day: row.day, by: 'postgres' } as const)
    return { ...standing, outcome: 'ok', charge }
  }

  return { check, refund: (charge) => refundInPostgres(db, charge) }
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
  readonly outcome: 'ok' | 'over' | Refused['outcome']
  readonly plan: string
  readonly day: number
  readonly used_today: number
  readonly used_before: number
  readonly now: number
}
