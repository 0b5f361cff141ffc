import { sql, type Kysely } from 'kysely'

/**
 * Ids that nobody else hands out again: a standby that takes over may begin the sequence earlier than it had come, and
 * an instance that has delivered the changes with these ids would take the new ones for delivered. Each id
 * is a number of the sequence and 20 random bits; JavaScript can count to 8 thousand million of them.
 */
export async function randomiseOutboxIds(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$
    declare
      latest bigint := nextval(pg_get_serial_sequence('outbox', 'id'));
    begin
      alter table outbox alter column id drop identity;
      execute format('create sequence outbox_number start with %s owned by outbox.id', latest / 1048576 + 1);
      alter table outbox alter column id
        set default nextval('outbox_number') * 1048576 + floor(random() * 1048576)::bigint;
    end $$`.execute(db)
}
