import { sql, type Kysely } from 'kysely'

/**
 * An instance begins to count in Redis; see gate-instances.ts. Whoever notes a change meanwhile waits for it, so it is one
 * statement: a process that is stopped cannot hold up the others in the middle of it.
 */
export async function createJoinGate(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function join_gate(joiner text, its_spell integer) returns bigint language plpgsql as $$
    declare begun bigint;
    begin
      perform set_config('lock_timeout', '100ms', true);
      perform pg_advisory_xact_lock(hashtext('gate of ' || current_schema()));
      delete from outbox where not exists (select from gate_instance where instance <> joiner);
      insert into gate_instance (instance, spell) values (joiner, its_spell);
      update gate_epoch set
        epoch = greatest(epoch + 1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)
        returning epoch into strict begun;
      return begun;
    end $$`.execute(db)
}
