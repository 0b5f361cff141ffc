import { sql, type RawBuilder } from 'kysely'
import type { AccountDatabase } from './database.ts'
import type { Outbox } from './outbox.ts'
import { leaseMs } from './redis-trust.ts'

/**
 * Where an account is counted: in Redis or in Postgres, never in both, or their counts would have to be brought
 * together after calls were admitted that should not have been.
 *
 * An instance that cannot use Redis moves each account that it is asked about to Postgres. The move is a change of the
 * account like any other: the instances that use Redis hear of it through the outbox, and one of them writes it into
 * the account's record. From that instant on the record refuses to count, and what it had counted is written to
 * Postgres before the outbox row goes. Instances that use Redis then ask Postgres too, until no call has come from one
 * that cannot for a second; whoever finds that moves the account back.
 */
export type CountingPlace = {
  /** Resolves when an account is counted in Postgres alone, and Postgres knows all that Redis had counted. */
  readonly toPostgres: (tag: string) => Promise<void>
  /** Resolves when an account is counted in Redis, or somebody still needs it in Postgres. */
  readonly toRedis: (tag: string) => Promise<void>
}

export function countingPlace(db: AccountDatabase, outbox: Outbox): CountingPlace {
  return {
    toPostgres: oncePerAccount(async (tag) => {
      await move(
        db,
        outbox,
        tag,
        sql`update account set counted_in = 'moving' where tag = ${tag} and counted_in = 'redis' returning tag`,
      )
      await sql`update account set counted_in = 'postgres', direct_until = clock_timestamp() + interval '1 second'
        where tag = ${tag} and counted_in = 'moving'`.execute(db)
    }),
    toRedis: oncePerAccount((tag) =>
      move(
        db,
        outbox,
        tag,
        sql`update account set counted_in = 'redis'
          where tag = ${tag} and counted_in = 'postgres' and direct_until < clock_timestamp() returning tag`,
      ),
    ),
  }
}

/** When another instance has made the change, its outbox row is waited for all the same. */
async function move(
  db: AccountDatabase,
  outbox: Outbox,
  tag: string,
  change: RawBuilder<unknown>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await change.execute(trx)
    if (rows.length > 0) await outbox.note(trx, tag)
  })
  await outbox.deliver(tag, moveWithinMs)
}

/** A request waits for it: a lease, and the deadline of a question that was sent at its end. */
const moveWithinMs = leaseMs + 100

/** Everybody who asks while it is under way waits for the same move. */
function oncePerAccount(move: (tag: string) => Promise<void>): (tag: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  return (tag) => {
    const moving = underWay.get(tag) ?? move(tag).finally(() => underWay.delete(tag))
    underWay.set(tag, moving)
    return moving
  }
}
