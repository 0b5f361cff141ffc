import { sql, type Kysely } from 'kysely'

/**
 * The version of the account after a change: a record in Redis that shows an earlier one must not be used. None for a
 * change that is heard of only when the record has been written: one of the place where the account is counted, and those
 * of earlier releases.
 */
export async function addOutboxVersion(db: Kysely<unknown>): Promise<void> {
  await sql`alter table outbox add column version integer`.execute(db)
}
