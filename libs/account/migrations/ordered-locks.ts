import { sql, type Kysely } from 'kysely'

/**
 * The usage of a deleted account is locked in the order in which the ledger writes it, before any of it is deleted.
 * Deleted in the order in which it lies in the table, it could hold up a writer that held up the deletion, and Postgres
 * ended one of the two. What comes to be written while the locks are taken is swept away later; see deleted-accounts.ts.
 */
export async function orderLocks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function forget_account() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into deleted_account (tag) values (old.tag) on conflict (tag) do nothing;
      with locked as (
        select day from usage_day where tag = old.tag order by day for update
      ) delete from usage_day u using locked l where u.tag = old.tag and u.day = l.day;
      with locked as (
        select selector, day, endpoint from usage_key where tag = old.tag order by selector, day, endpoint for update
      ) delete from usage_key u using locked l
        where u.tag = old.tag and u.selector = l.selector and u.day = l.day and u.endpoint = l.endpoint;
      delete from usage_endpoint where tag = old.tag;
      return null;
    end $$`.execute(db)
}
