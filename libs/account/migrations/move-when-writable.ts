import { sql, type Kysely } from 'kysely'

/**
 * pass_gate_in_place as before (see direct-at-once.ts), but no account is to be moved while the table of the counts is
 * locked: the instances that count in Redis would have to write there what they have counted, and cease to use Redis
 * because they cannot. Who asks is refused after 100 ms, with lock_not_available.
 */
export async function moveWhenWritable(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function pass_gate_in_place(
      in_tag text, in_selector text, in_digests text, in_cost integer, in_at timestamptz, in_plans jsonb,
      floor_day integer, floor_used integer, floor_refunded integer, in_place text,
      out outcome text, out plan text, out day integer, out used_today integer, out used_before integer
    ) language plpgsql as $$
    #variable_conflict use_column
    declare
      place text;
      direct timestamptz;
      is_alone boolean;
    begin
      if in_cost > 0 then
        select counted_in, direct_until into place, direct from account where tag = in_tag for no key update;
        if place = 'redis' and in_place = 'away' then
          perform pg_advisory_xact_lock_shared(hashtext('gate of ' || current_schema()));
          -- A statement of its own: it sees whoever the lock was waited for.
          is_alone := not exists (select from gate_instance);
        end if;
        if place = 'moving' or place = 'redis' and in_place = 'away' and not is_alone then
          perform set_config('lock_timeout', '100ms', true);
          lock table usage_day in row exclusive mode;
          outcome := 'move';
        elsif in_place = 'here' and (place = 'redis' or direct < clock_timestamp()) then
          outcome := 'back';
        elsif is_alone then
          update account set counted_in = 'postgres', direct_until = clock_timestamp() + interval '1 second',
            version = version + 1 where tag = in_tag;
        elsif in_place = 'away' and direct < clock_timestamp() + interval '500 milliseconds' then
          update account set direct_until = clock_timestamp() + interval '1 second' where tag = in_tag;
        end if;
        if outcome is not null then return; end if;
      end if;
      select gate.outcome, gate.plan, gate.day, gate.used_today, gate.used_before
        into outcome, plan, day, used_today, used_before
        from pass_gate(in_tag, in_selector, in_digests, in_cost, in_at, in_plans,
          floor_day, floor_used, floor_refunded) as gate;
    end $$`.execute(db)
}
