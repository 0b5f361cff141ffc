import { sql, type Kysely } from 'kysely'

/**
 * An account is counted in one place at a time, Redis or Postgres: `counted_in` says where, and `direct_until` until
 * when an instance that cannot use Redis has asked for Postgres. `gate_instance` has a row for each instance that
 * counts in Redis, and each time that it began to.
 */
export async function createOnePlace(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table account
      add column counted_in text not null default 'redis' check (counted_in in ('redis', 'moving', 'postgres')),
      add column direct_until timestamptz`.execute(db)
  await sql`
    create table gate_instance (
      instance text,
      spell integer,
      seen_at timestamptz not null default clock_timestamp(),
      primary key (instance, spell)
    )`.execute(db)
  await createPassGateInPlace.execute(db)
}

/**
 * pass_gate for an instance of a deployment with Redis. `in_place` is `away` when the caller cannot use Redis, `here` when it can and
 * Redis has told it that the account is counted in Postgres. Further outcomes, for charges only: `move` when the
 * account must first be counted in Postgres alone, `back` when nobody needs that any longer.
 *
 * The row of the account is locked, so what it says of the place holds until the charge is made.
 */
const createPassGateInPlace = sql`
    create function pass_gate_in_place(
      in_tag text, in_selector text, in_digests text, in_cost integer, in_at timestamptz, in_plans jsonb,
      floor_day integer, floor_used integer, floor_refunded integer, in_place text,
      out outcome text, out plan text, out day integer, out used_today integer, out used_before integer
    ) language plpgsql as $$
    #variable_conflict use_column
    declare
      place text;
      direct timestamptz;
    begin
      if in_cost > 0 then
        select counted_in, direct_until into place, direct from account where tag = in_tag for no key update;
        if place = 'moving' or place = 'redis' and in_place = 'away' then
          outcome := 'move';
        elsif in_place = 'here' and (place = 'redis' or direct < clock_timestamp()) then
          outcome := 'back';
        elsif in_place = 'away' and direct < clock_timestamp() + interval '500 milliseconds' then
          update account set direct_until = clock_timestamp() + interval '1 second' where tag = in_tag;
        end if;
        if outcome is not null then return; end if;
      end if;
      select gate.outcome, gate.plan, gate.day, gate.used_today, gate.used_before
        into outcome, plan, day, used_today, used_before
        from pass_gate(in_tag, in_selector, in_digests, in_cost, in_at, in_plans,
          floor_day, floor_used, floor_refunded) as gate;
    end $$`
