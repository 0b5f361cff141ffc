import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'
import { gathered } from './gathered.ts'
import type { Outbox, Unreplicated } from './outbox.ts'
import { leaseMs } from './lease.ts'

/**
 * Where an account is counted: in Redis or in Postgres, never in both, or their counts would have to be brought
 * together after calls were admitted that should not have been.
 *
 * An instance that cannot use Redis moves each account that it is asked about to Postgres. The move is a change of the
 * account like any other: the instances that use Redis hear of it through the outbox, and one of them writes it into
 * the account's record. From that instant on the record refuses to count, and what it had counted is written to
 * Postgres before the outbox row goes, so nothing is moved while the table of the counts is locked. When no instance
 * uses Redis, the charge itself moves the account. For both see the migrations.
 *
 * Instances that use Redis ask Postgres too while the record refuses, until no call has come from one that cannot for a
 * second; whoever finds that moves the account back. Nobody has to hear of that: a record that still refuses is asked
 * about in Postgres, and written by who asks.
 */
export type CountingPlace = {
  /** Resolves when an account is counted in Postgres alone, and Postgres knows all that Redis had counted. */
  readonly toPostgres: (tag: string) => Promise<void>
  /**
   * Resolves when an account is counted in Redis, or somebody still needs it in Postgres.
   *
   * @throws RedisAway when Redis has not heard of it
   */
  readonly toRedis: (tag: string) => Promise<void>
}

export function countingPlace(options: CountingPlaceOptions): CountingPlace {
  const { db, outbox } = options
  const moveBack = gathered((tags) => moveToRedis(options, tags))

  return {
    toPostgres: oncePerAccount(async (tag) => {
      const version = await db.transaction().execute(async (trx) => {
        const { rows } = await sql`update account set counted_in = 'moving'
          where tag = ${tag} and counted_in = 'redis' returning tag`.execute(trx)
        return rows.length > 0 ? outbox.noteMove(trx, tag) : versionOf(trx, tag)
      })
      // When another instance has made the change, its outbox row is waited for all the same.
      await outbox.deliver(tag, moveWithinMs)
      // Of this move: who was stopped meanwhile must not end a later one before its time.
      await sql`update account set counted_in = 'postgres', direct_until = clock_timestamp() + interval '1 second'
        where tag = ${tag} and counted_in = 'moving' and version = ${version}`.execute(db)
    }),
    async toRedis(tag) {
      const failure = await moveBack(tag)
      if (failure !== undefined) throw failure.cause
    },
  }
}

/** 0 when the account is gone. */
async function versionOf(db: AccountDatabase, tag: string): Promise<number> {
  const account = await db.selectFrom('account').select('version').where('tag', '=', tag).executeTakeFirst()
  return account?.version ?? 0
}

/** An account that is being changed is left for the next time: all others would wait with it. */
async function moveToRedis(
  { db, replicate }: CountingPlaceOptions,
  tags: readonly string[],
): Promise<ReadonlyMap<string, Unreplicated>> {
  await sql`with free as (
      select tag from account where tag = any(${tags}::text[]) and counted_in = 'postgres'
        and direct_until < clock_timestamp() for no key update skip locked
    ) update account set counted_in = 'redis', version = version + 1 from free where account.tag = free.tag`.execute(
    db,
  )
  const failures = await replicate(tags)
  return new Map(failures.map((failure) => [failure.tag, failure]))
}

/** What the moves of accounts work with. */
export type CountingPlaceOptions = {
  readonly db: AccountDatabase
  readonly outbox: Outbox
  /** Makes the records of accounts in Redis follow Postgres. @returns those that could not */
  readonly replicate: (tags: readonly string[]) => Promise<readonly Unreplicated[]>
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
