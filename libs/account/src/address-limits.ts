import { sql } from 'kysely'
import { isIPv4, isIPv6 } from 'node:net'
import type { AccountDatabase } from './database.ts'
import type { Window } from './windows.ts'

/** Limits per network address, for requests without a valid key. */
export type AddressLimits = {
  /** The window of unauthenticated and failed requests as the address has it now. */
  readonly peek: (address: string) => Window
  /** Counts such a request; undefined when the window was already used up. */
  readonly take: (address: string) => Window | undefined
}

/**
 * Limits unauthenticated and failed requests to `perMinute` per address and UTC minute (0: no limit). Kept per
 * process: it bounds work, it is not a quota.
 */
export function createAddressLimits(perMinute: number, clock: () => number): AddressLimits {
  let minute = 0
  const counts = new Map<string, number>()
  const limit = perMinute === 0 ? noLimit : perMinute

  function windowOf(count: number): Window {
    return {
      name: 'address',
      limit,
      remaining: Math.max(0, limit - count),
      resetsAt: (minute + 1) * 60,
      seconds: 60,
    }
  }

  function current(address: string): [bucket: string, count: number] {
    const now = Math.floor(clock() / 60_000)
    if (now !== minute) {
      minute = now
      counts.clear()
    }
    const bucket = addressBucket(address)
    return [bucket, counts.get(bucket) ?? 0]
  }

  return {
    peek: (address) => windowOf(current(address)[1]),
    take(address) {
      const [bucket, count] = current(address)
      if (count >= limit) return undefined
      if (perMinute > 0) counts.set(bucket, count + 1)
      return windowOf(counts.get(bucket) ?? 0)
    },
  }
}

/** What counts as one caller: an IPv4 address, or the /56 of an IPv6 address (what one household is given). */
export function addressBucket(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (isIPv4(address) || !isIPv6(address)) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  const [a, b, c, d] = groups.map((group) => Number.parseInt(group, 16))
  return `${[a, b, c].map((group) => (group ?? 0).toString(16)).join(':')}:${((d ?? 0) & 0xff00).toString(16)}::/56`
}

/** A window of attempts that all instances share, such as signups per address and hour. */
export type AttemptLimit = {
  readonly name: string
  /** 0: no limit. */
  readonly limit: number
  readonly seconds: number
}

/**
 * Counts an attempt in Postgres. The window of a bucket opens with its first attempt.
 *
 * @returns the window after the attempt, and whether it was within the limit
 */
export async function takeAttempt(
  db: AccountDatabase,
  { name, limit, seconds }: AttemptLimit,
  bucket: string,
  now: Date,
): Promise<{ window: Window; allowed: boolean }> {
  if (limit === 0) {
    const resetsAt = now.getTime() / 1000 + seconds
    return { window: { name, limit: noLimit, remaining: noLimit, resetsAt, seconds }, allowed: true }
  }
  const { rows } = await sql<{ count: number; resets_at: Date }>`
    insert into attempt as a (bucket, count, resets_at)
    values (${`${name}:${bucket}`}, 1, ${new Date(now.getTime() + seconds * 1000)})
    on conflict (bucket) do update set
      count = case when a.resets_at <= ${now} then 1 else least(a.count, ${limit}::integer) + 1 end,
      resets_at = case when a.resets_at <= ${now} then excluded.resets_at else a.resets_at end
    returning count, resets_at`.execute(db)
  const { count = 1, resets_at = now } = rows[0] ?? {}
  const window = {
    name,
    limit,
    remaining: Math.max(0, limit - count),
    resetsAt: resets_at.getTime() / 1000,
    seconds,
  }
  return { window, allowed: count <= limit }
}

/** Takes an attempt back, for attempts that turned out not to count. */
export async function returnAttempt(
  db: AccountDatabase,
  { name }: AttemptLimit,
  bucket: string,
): Promise<void> {
  await sql`update attempt set count = count - 1 where bucket = ${`${name}:${bucket}`} and count > 0`.execute(
    db,
  )
}

/** Deletes windows that are over. */
export async function forgetAttempts(db: AccountDatabase, now: Date): Promise<void> {
  await db.deleteFrom('attempt').where('resets_at', '<', now).execute()
}

/** What a limit that is switched off shows in the headers. */
const noLimit = 2 ** 31 - 1
