import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'

/**
 * Deleting an account deletes its usage (a trigger: migrations/ordered-locks.ts). Counts of it may be on their way to the
 * ledger at that moment, and some may still come from an instance that could not reach Postgres. The ledger writes none
 * of accounts that were deleted within the last day; see {@link ofNobodyDeleted}. A statement that had begun before the
 * deletion does not know of it yet, so what it wrote is swept away here, a minute later, when it has ended long ago.
 */
export async function sweepDeleted(db: AccountDatabase): Promise<void> {
  const { rows } = await sql<{ tag: string }>`
    select tag from deleted_account where not is_swept and deleted_at < clock_timestamp() - interval '1 minute'
    order by tag limit ${sweptAtOnce}`.execute(db)
  // By a list of tags: not knowing how many there are, Postgres would read the tables of usage from end to end.
  const tags = rows.map((row) => row.tag)
  if (tags.length > 0) {
    await sql`delete from usage_day where tag = any(${tags}::text[])`.execute(db)
    await sql`delete from usage_key where tag = any(${tags}::text[])`.execute(db)
    await sql`delete from usage_endpoint where tag = any(${tags}::text[])`.execute(db)
    await sql`update deleted_account set is_swept = true where tag = any(${tags}::text[])`.execute(db)
  }
  await sql`delete from deleted_account where is_swept and deleted_at < clock_timestamp() - interval '1 day'`.execute(
    db,
  )
}

/** Beyond what anybody deletes in half a minute; what is left is swept half a minute later. */
const sweptAtOnce = 1_000

/** The condition that rows `seen`, about to be written, belong to no account that was deleted. */
export const ofNobodyDeleted = sql`not exists (select from deleted_account d where d.tag = seen.tag)`
