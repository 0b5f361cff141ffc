import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'
import type { ShownWindow } from './windows.ts'

/** A window of attempts that all instances share, such as signups per address and hour. */
export type AttemptLimit = {
  readonly name: string
  readonly limit: number
  readonly seconds: number
}

/**
 * Counts an attempt in Postgres. The window of a bucket opens with its first attempt; a refused attempt counts nothing.
 *
 * @param at the instant of the attempt; the database's clock when undefined, so that all instances agree
 * @returns the window after the attempt, and whether it was within the limit
 */
export async function takeAttempt(
  db: AccountDatabase,
  attempts: AttemptLimit,
  bucket: string,
  at: Date | undefined,
): Promise<ShownWindow & { readonly allowed: boolean }> {
  const { name, limit, seconds } = attempts
  const { rows } = await sql<AttemptRow & { readonly allowed: boolean }>`
    with instant as (select coalesce(${at ?? null}::timestamptz, now()) as at),
    taken as (
      insert into attempt as a (bucket, count, resets_at)
      select ${`${name}:${bucket}`}, 1, at + make_interval(secs => ${seconds}::integer) from instant
      on conflict (bucket) do update set
        count = case when a.resets_at <= (select at from instant) then 1 else a.count + 1 end,
        resets_at = case when a.resets_at <= (select at from instant) then excluded.resets_at else a.resets_at end
      where a.resets_at <= (select at from instant) or a.count < ${limit}::integer
      returning count, resets_at
    ), shown as (
      select count, resets_at, true as allowed from taken
      union all
      select count, resets_at, false from attempt
        where bucket = ${`${name}:${bucket}`} and not exists (select from taken)
    )
    select at, coalesce(count, ${limit}::integer) as count, coalesce(resets_at, at) as resets_at,
      coalesce(allowed, false) as allowed
    from instant left join shown on true`.execute(db)
  // A window that ended between the two looks leaves nothing to show but the instant.
  return { ...shownWindow(attempts, rows[0]), allowed: rows[0]?.allowed ?? false }
}

/** The window of a bucket as it is, without an attempt. */
export async function peekAttempts(
  db: AccountDatabase,
  attempts: AttemptLimit,
  bucket: string,
  at: Date | undefined,
): Promise<ShownWindow> {
  const { rows } = await sql<AttemptRow>`
    with instant as (select coalesce(${at ?? null}::timestamptz, now()) as at)
    select at, coalesce(count, 0) as count, coalesce(resets_at, at) as resets_at from instant
    left join attempt on bucket = ${`${attempts.name}:${bucket}`} and resets_at > at`.execute(db)
  return shownWindow(attempts, rows[0])
}

type AttemptRow = { readonly at: Date; readonly count: number; readonly resets_at: Date }

function shownWindow({ name, limit, seconds }: AttemptLimit, row: AttemptRow | undefined): ShownWindow {
  if (row === undefined) throw new Error('The database has not said what it takes for now.')
  // When the limit was lowered, more than it may have been counted.
  const remaining = Math.max(0, limit - row.count)
  const window = { name, limit, remaining, resetsAt: row.resets_at.getTime() / 1000, seconds }
  return { window, now: row.at.getTime() / 1000 }
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

/** Deletes windows that are over by the clock of the database. */
export async function forgetAttempts(db: AccountDatabase): Promise<void> {
  await sql`delete from attempt where resets_at < now()`.execute(db)
}
