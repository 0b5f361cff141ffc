import { sql, type Kysely } from 'kysely'

/**
 * What keys are used for: successful calls by key, endpoint and day, and when the last one was. What an instance has
 * counted is added, in numbered batches, so that there is one row however many instances have counted and however
 * often each had forgotten what it counted: `ledger_writer` knows the last batch of each.
 *
 * `usage_endpoint` and `api_key.last_used_at` are what releases before this one wrote in its place. Both are still read.
 */
export async function createKeyUsage(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_key (
      tag text not null,
      day integer not null,
      selector text not null,
      endpoint text not null,
      calls integer not null,
      last_used_at timestamptz not null,
      primary key (tag, selector, day, endpoint)
    )`.execute(db)
  await sql`
    create table ledger_writer (
      writer text primary key,
      batch bigint not null,
      written_at timestamptz not null default clock_timestamp()
    )`.execute(db)
  await sql`
    create or replace function forget_account() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into deleted_account (tag) values (old.tag) on conflict (tag) do nothing;
      delete from usage_day where tag = old.tag;
      delete from usage_key where tag = old.tag;
      delete from usage_endpoint where tag = old.tag;
      return null;
    end $$`.execute(db)
}
