import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'

/** What Redis needs to know of an account, as Postgres has it at one instant. */
export type Snapshot = {
  readonly version: number
  /** a: active, p: counted in Postgres, s: suspended, d: deleted. */
  readonly state: 'a' | 'p' | 's' | 'd'
  readonly plan: string
  /** Day number of the counters: the day asked for, or the next one when that was already begun. */
  readonly day: number
  /** Counters of that day; see UsageDayTable. */
  readonly used: number
  readonly refunded: number
  readonly directUsed: number
  readonly directRefunded: number
  /** Units charged on the earlier days of the month, by either gate, and given back of these. */
  readonly usedBefore: number
  readonly refundedBefore: number
  /** Every key that is neither revoked nor expired. `expiresAt` in Unix seconds with a fraction, 0: never. */
  readonly keys: readonly { readonly selector: string; readonly digest: string; readonly expiresAt: number }[]
}

/** Later than all versions that an account can have: that of one that is gone. */
export const versionOfGone = 2_147_483_647

/** Stands for an account that is gone: newer than any version, so that no late writer brings it back. */
export const tombstone: Snapshot = {
  version: versionOfGone,
  state: 'd',
  plan: '',
  day: 0,
  used: 0,
  refunded: 0,
  directUsed: 0,
  directRefunded: 0,
  usedBefore: 0,
  refundedBefore: 0,
  keys: [],
}

/** Reads accounts in one statement; there is none for an account that is gone. */
export async function readSnapshots(
  db: AccountDatabase,
  tags: readonly string[],
  day: number,
  now: Date,
): Promise<ReadonlyMap<string, Snapshot>> {
  const { rows } = await sql<SnapshotRow>`
    select a.tag, a.version, a.plan, case when a.suspended_at is not null then 's'
        when a.counted_in = 'redis' then 'a' else 'p' end as state, at.day,
      coalesce(u.redis_used, 0) as used, coalesce(u.redis_refunded, 0) as refunded,
      coalesce(u.direct_used, 0) as direct_used, coalesce(u.direct_refunded, 0) as direct_refunded,
      coalesce(earlier.used, 0)::integer as used_before, coalesce(earlier.refunded, 0)::integer as refunded_before,
      (select coalesce(jsonb_agg(jsonb_build_object('selector', k.selector, 'digest', k.digest,
          'expiresAt', coalesce(extract(epoch from k.expires_at), 0))), '[]')
        from api_key k where k.tag = a.tag and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > ${now})
      ) as keys
    from account a cross join lateral (
        -- A clock that steps back over midnight does not open a day that was already left.
        select coalesce(max(next.day), ${day}::integer) as day
        from usage_day next where next.tag = a.tag and next.day = ${day}::integer + 1
      ) as at left join usage_day u on u.tag = a.tag and u.day = at.day
      cross join lateral (
        select sum(e.redis_used + e.direct_used) as used, sum(e.redis_refunded + e.direct_refunded) as refunded
        from usage_day e where e.tag = a.tag and e.day >= month_start(at.day) and e.day < at.day
      ) as earlier
    where a.tag = any(${tags}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.tag, snapshotOf(row)]))
}

function snapshotOf({ version, plan, state, day, used, refunded, keys, ...row }: SnapshotRow): Snapshot {
  return {
    ...{ version, plan, state, day, used, refunded, keys },
    ...{ directUsed: row.direct_used, directRefunded: row.direct_refunded },
    ...{ usedBefore: row.used_before, refundedBefore: row.refunded_before },
  }
}

type SnapshotRow = {
  readonly tag: string
  readonly version: number
  readonly plan: string
  readonly state: 'a' | 'p' | 's'
  readonly day: number
  readonly used: number
  readonly refunded: number
  readonly direct_used: number
  readonly direct_refunded: number
  readonly used_before: number
  readonly refunded_before: number
  readonly keys: Snapshot['keys']
}
