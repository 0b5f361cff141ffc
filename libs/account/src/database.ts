import type { Generated, Kysely } from 'kysely'

/** The account tables; they live in the schema of the service that mounts the library. */
export type AccountTables = {
  account: AccountTable
  api_key: ApiKeyTable
  usage_day: UsageDayTable
  usage_key: UsageKeyTable
  usage_endpoint: UsageEndpointTable
  ledger_writer: LedgerWriterTable
  deleted_account: DeletedAccountTable
  outbox: OutboxTable
  gate_epoch: GateEpochTable
  gate_instance: GateInstanceTable
  idempotency: IdempotencyTable
  attempt: AttemptTable
}

/** A database that has the account tables. */
export type AccountDatabase = Kysely<AccountTables>

/** A database for requests, and the same on connections for which requests do not wait. */
export type AccountConnections = { readonly db: AccountDatabase; readonly aside: AccountDatabase }

type AccountTable = {
  /** 10 base62 characters; part of every key of the account. The public id is `acc_` and the tag. */
  tag: string
  name: string
  email: string
  email_normalised: string
  password_hash: string
  plan: Generated<string>
  suspended_at: Date | null
  /** Grows with every change of the account or its keys; a record in Redis never goes back to an older one. */
  version: Generated<number>
  /** Sessions carry it; changing the password raises it and so ends them. */
  session_version: Generated<number>
  created_at: Generated<Date>
  /** The one place where its calls are counted; `moving`: on the way to Postgres. See counting-place.ts. */
  counted_in: Generated<'redis' | 'moving' | 'postgres'>
  /** Until when an instance that cannot use Redis has asked for Postgres. */
  direct_until: Date | null
}

type ApiKeyTable = {
  tag: string
  selector: string
  /** See digestKey. */
  digest: string
  name: string
  created_at: Generated<Date>
  expires_at: Date | null
  revoked_at: Date | null
  /** As written by releases before usage_key. */
  last_used_at: Date | null
}

/**
 * The ledger: one row per account and UTC day (days since 1970-01-01). Each column only grows, so rows from several
 * writers merge by the maximum. Used on a day: redis_used - redis_refunded + direct_used - direct_refunded. A month
 * is the sum of its days.
 */
type UsageDayTable = {
  tag: string
  day: number
  /** What the Redis gate has charged and given back, absolute. */
  redis_used: Generated<number>
  redis_refunded: Generated<number>
  /** What the Postgres gate has charged and given back. */
  direct_used: Generated<number>
  direct_refunded: Generated<number>
}

/**
 * What a key was used for on a day: successful calls of an endpoint, and when the last was.
 * `endpoint` is empty in the row of uses that do not count, `selector` in rows of all keys that are forgotten.
 */
type UsageKeyTable = {
  tag: string
  day: number
  selector: string
  endpoint: string
  calls: number
  last_used_at: Date
}

/** The last batch of rows of usage_key that each instance has written; see key-uses.ts. */
type LedgerWriterTable = { writer: string; batch: number; written_at: Generated<Date> }

/** Successful calls by endpoint as written by releases before usage_key: one row per process that counted them. */
type UsageEndpointTable = { tag: string; day: number; endpoint: string; instance: string; used: number }

/** Accounts that were deleted within a day, and whether what was written of them late is deleted too. */
type DeletedAccountTable = { tag: string; deleted_at: Generated<Date>; is_swept: Generated<boolean> }

/** Accounts whose record in Redis has yet to follow Postgres. */
type OutboxTable = { id: Generated<number>; tag: string; noted_at: Generated<Date>; version: number | null }

/** One row: the epoch of the instance that was last to trust Redis. Records of an earlier one are read anew. */
type GateEpochTable = { epoch: number }

/** The instances that count in Redis. One that crashed is known by its age; see gate-instances.ts. */
type GateInstanceTable = { instance: string; spell: number; seen_at: Generated<Date> }

/** Answers that can be given again: nothing secret is stored (see deriveSecret). */
type IdempotencyTable = {
  scope: string
  fingerprint: string
  tag: string
  selector: string
  created_at: Date
}

/** Attempts in a window that all instances share: signups and wrong passwords per address. */
type AttemptTable = { bucket: string; count: number; resets_at: Date }
