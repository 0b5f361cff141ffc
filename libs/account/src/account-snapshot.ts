import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'

/** What Redis needs to know of an account, as Postgres has it at one instant. */
export type Snapshot = {
  readonly version: number
  /** a: active, s: suspended, d: deleted. */
  readonly state: 'a' | 's' | 'd'
  readonly plan: string
  /** Counters of the day asked for; see UsageDayTable. */
  readonly used: number
  readonly refunded: number
  readonly directUsed: number
  readonly directRefunded: number
  /** Units of the earlier days of the month. */
  readonly before: number
  /** Every key that is neither revoked nor expired. `expiresAt` in Unix seconds, 0: never. */
  readonly keys: readonly { readonly selector: string; readonly digest: string; readonly expiresAt: number }[]
}

/** Stands for an account that is gone: newer than any version, so that no late writer brings it back. */
export const tombstone: Snapshot = {
  version: Number.MAX_SAFE_INTEGER,
  state: 'd',
  plan: '',
  used: 0,
  refunded: 0,
  directUsed: 0,
  directRefunded: 0,
  before: 0,
  keys: [],
}

/** Reads an account in one statement, or undefined when there is none. */
export async function readSnapshot(
  db: AccountDatabase,
  tag: string,
  day: number,
  now: Date,
): Promise<Snapshot | undefined> {
  const { rows } = await sql<SnapshotRow>`
    select a.version, a.plan, a.suspended_at is not null as suspended,
      coalesce(u.redis_used, 0) as used, coalesce(u.redis_refunded, 0) as refunded,
      coalesce(u.direct_used, 0) as direct_used, coalesce(u.direct_refunded, 0) as direct_refunded,
      (select coalesce(sum(greatest(0, e.redis_used - e.redis_refunded + e.direct_used - e.direct_refunded)), 0)::integer
        from usage_day e where e.tag = a.tag and e.day >= month_start(${day}::integer) and e.day < ${day}::integer
      ) as before,
      (select coalesce(jsonb_agg(jsonb_build_object('selector', k.selector, 'digest', k.digest,
          'expiresAt', coalesce(ceil(extract(epoch from k.expires_at)), 0))), '[]')
        from api_key k where k.tag = a.tag and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > ${now})
      ) as keys
    from account a left join usage_day u on u.tag = a.tag and u.day = ${day}::integer
    where a.tag = ${tag}`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { direct_used: directUsed, direct_refunded: directRefunded, suspended, ...rest } = row
  return { ...rest, directUsed, directRefunded, state: suspended ? 's' : 'a' }
}

type SnapshotRow = {
  readonly version: number
  readonly plan: string
  readonly suspended: boolean
  readonly used: number
  readonly refunded: number
  readonly direct_used: number
  readonly direct_refunded: number
  readonly before: number
  readonly keys: Snapshot['keys']
}
