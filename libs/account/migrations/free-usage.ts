import { sql, type Kysely } from 'kysely'

/**
 * The rows of the ledger no longer reference their account: to check that took half the time of an account's first row
 * of a day, and locked the row of the account, so that whoever else had locked it held up the counts of everybody.
 *
 * `deleted_account` does for a day what the reference did: the ledger writes nothing of accounts in it, and what was
 * being written at the very moment of the deletion is swept away afterwards (`is_swept`); see deleted-accounts.ts.
 */
export async function freeUsage(db: Kysely<unknown>): Promise<void> {
  await sql`alter table usage_day drop constraint usage_day_tag_fkey`.execute(db)
  await sql`alter table usage_endpoint drop constraint usage_endpoint_tag_fkey`.execute(db)
  await sql`
    create table deleted_account (
      tag text primary key,
      deleted_at timestamptz not null default clock_timestamp(),
      is_swept boolean not null default false
    )`.execute(db)
  await sql`
    create function forget_account() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into deleted_account (tag) values (old.tag) on conflict (tag) do nothing;
      delete from usage_day where tag = old.tag;
      delete from usage_endpoint where tag = old.tag;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger forget_account after delete on account
    for each row execute function forget_account()`.execute(db)
}
