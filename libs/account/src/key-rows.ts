import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'
import { randomBase62, selectorLength } from './keys.ts'

/** Most keys of an account that work at the same time. */
export const mostActiveKeys = 100

/** Most keys that are kept to be looked at after they stopped working. */
const mostFormerKeys = 100

/** The keys of an account, the newest first, and when each was last used. */
export async function keysOf(db: AccountDatabase, tag: string): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select k.selector, k.name, k.created_at, k.expires_at, k.revoked_at,
      greatest(k.last_used_at, (
        select max(last_used_at) from usage_key where tag = k.tag and selector = k.selector and day = (
          select max(day) from usage_key where tag = k.tag and selector = k.selector)
      )) as last_used_at
    from api_key k where k.tag = ${tag} order by k.created_at desc`.execute(db)
  return rows
}

type KeyRow = {
  readonly selector: string
  readonly name: string
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
}

/** The selectors of the keys of an account that work. */
export async function activeSelectors(db: AccountDatabase, tag: string, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('api_key')
    .select('selector')
    .where('tag', '=', tag)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute()
  return rows.map(({ selector }) => selector)
}

/** A selector that no key of the account has or was used by; its row must be locked. */
export async function freeSelector(db: AccountDatabase, tag: string): Promise<string> {
  for (;;) {
    const selector = randomBase62(selectorLength)
    const { rows } = await sql`
      select from api_key where tag = ${tag} and selector = ${selector}
      union all select from usage_key where tag = ${tag} and selector = ${selector}`.execute(db)
    if (rows.length === 0) return selector
  }
}

/** A new key of an account, and its place: of the keys that no longer work only the newest are kept. */
export async function insertKey(db: AccountDatabase, row: NewKeyRow, now: Date): Promise<void> {
  await db.insertInto('api_key').values(row).execute()
  const { rows: forgotten } = await sql`
    delete from api_key where tag = ${row.tag} and selector in (
      select selector from api_key
      where tag = ${row.tag} and (revoked_at is not null or expires_at <= ${now})
      order by greatest(created_at, revoked_at) desc offset ${mostFormerKeys}::integer
    ) returning selector`.execute(db)
  if (forgotten.length > 0) await addUpForgotten(db, row.tag)
}

/**
 * What keys that are forgotten were used for goes on in one row per endpoint and day, of no key. The rows are locked in
 * the order in which the ledger writes them, so that each waits for the other instead of both for ever.
 */
async function addUpForgotten(db: AccountDatabase, tag: string): Promise<void> {
  await sql`
    with locked as (
      select selector, day, endpoint from usage_key u where tag = ${tag} and selector > ''
        and not exists (select from api_key k where k.tag = u.tag and k.selector = u.selector)
      order by selector, day, endpoint for update
    ), forgotten as (
      delete from usage_key u using locked l
      where u.tag = ${tag} and u.selector = l.selector and u.day = l.day and u.endpoint = l.endpoint
      returning u.day, u.endpoint, u.calls, u.last_used_at
    )
    insert into usage_key as u (tag, day, selector, endpoint, calls, last_used_at)
    select ${tag}, day, '', endpoint, sum(calls), max(last_used_at) from forgotten
    group by day, endpoint order by day, endpoint
    on conflict (tag, selector, day, endpoint) do update set
      calls = u.calls + excluded.calls, last_used_at = greatest(u.last_used_at, excluded.last_used_at)`.execute(
    db,
  )
}

/** Marks a key as revoked. */
export async function revoke(db: AccountDatabase, tag: string, selector: string, now: Date): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('tag', '=', tag)
    .where('selector', '=', selector)
    .execute()
}

type NewKeyRow = {
  readonly tag: string
  readonly selector: string
  readonly digest: string
  readonly name: string
  readonly created_at: Date
  readonly expires_at: Date | null
}
