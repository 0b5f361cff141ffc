import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'

/**
 * Deleting an account deletes its usage (a trigger: migrations/free-usage.ts). Counts of it may be on their way to the
 * ledger at that moment, and some may still come from an instance that could not reach Postgres. The ledger writes none
 * of accounts that were deleted within the last day; see {@link ofNobodyDeleted}. A statement that had begun before the
 * deletion does not know of it yet, so what it wrote is swept away here, a minute later, when it has ended long ago.
 */
export async function sweepDeleted(db: AccountDatabase): Promise<void> {
  await sql`
    with swept as (
      update deleted_account set is_swept = true
      where not is_swept and deleted_at < clock_timestamp() - interval '1 minute' returning tag
    ), days as (
      delete from usage_day u using swept where u.tag = swept.tag
    )
    delete from usage_endpoint u using swept where u.tag = swept.tag`.execute(db)
  await sql`delete from deleted_account where deleted_at < clock_timestamp() - interval '1 day'`.execute(db)
}

/** The condition that rows `seen`, about to be written, belong to no account that was deleted. */
export const ofNobodyDeleted = sql`not exists (select from deleted_account d where d.tag = seen.tag)`
