import { sql, type Kysely } from 'kysely'

/**
 * Every instance forgets old answers each minute, and deleting an account deletes its answers: both would read the
 * table from end to end, and it has a row for each signup and rotation with an Idempotency-Key of two days.
 */
export async function indexIdempotency(db: Kysely<unknown>): Promise<void> {
  await sql`create index idempotency_created_at on idempotency (created_at)`.execute(db)
  await sql`create index idempotency_tag on idempotency (tag)`.execute(db)
}
