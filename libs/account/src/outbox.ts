import { sql, type Transaction } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountDatabase, AccountTables } from './database.ts'
import { othersCountInRedis } from './gate-instances.ts'
import { leaseMs } from './redis-trust.ts'

/** Brings changes of accounts from Postgres to every instance that serves from Redis. */
export type Outbox = {
  /**
   * Notes a change of an account; call it in the transaction that makes the change, with the account's row locked.
   * Raises the version of the account.
   */
  readonly note: (trx: Transaction<AccountTables>, tag: string) => Promise<void>
  /**
   * After the commit: resolves when every instance sees the change with its next request.
   *
   * @param withinMs how long others that say nothing are waited for: an instance counting in Redis has delivered by
   * then, or has lost its trust. The default has room for a Postgres that takes 200 ms.
   */
  readonly deliver: (tag: string, withinMs?: number) => Promise<void>
  /** Delivers what is waiting, whoever noted it. @throws when Redis or Postgres does not answer */
  readonly drain: () => Promise<void>
}

/** What the outbox works with. */
export type OutboxOptions = {
  readonly db: AccountDatabase
  /** Unique name of this process. */
  readonly instance: string
  /** Writes the state of an account from Postgres to Redis; resolves when Redis has acknowledged it. */
  readonly replicate: (tag: string) => Promise<void>
  /** Whether this instance counts in Redis. */
  readonly trusting: () => boolean
}

/**
 * The outbox of a service with Redis. A change waits in Postgres until Redis has acknowledged the new state of the
 * account. An instance that is cut off from Redis leaves its changes to the instances that are not: each looks every
 * 50 ms. None trusts a Redis it has not heard from for the time of a lease, and none that begins to trust Redis uses a
 * record without having read the account anew.
 */
export function redisOutbox({ db, instance, replicate, trusting }: OutboxOptions): Outbox {
  return {
    async note(trx, tag) {
      await raiseVersion(trx, tag)
      await trx.insertInto('outbox').values({ tag }).execute()
    },
    async deliver(tag, withinMs = leaseMs + 200) {
      const delivered = trusting() && (await tryToDeliver(db, replicate, tag))
      if (!delivered) await waitForOthers(db, instance, tag, withinMs)
    },
    async drain() {
      const rows = await db.selectFrom('outbox').selectAll().orderBy('id').limit(drainAtOnce).execute()
      await deliverRows(db, replicate, rows)
    },
  }
}

type Replicate = (tag: string) => Promise<void>

async function tryToDeliver(db: AccountDatabase, replicate: Replicate, tag: string): Promise<boolean> {
  try {
    const rows = await db.selectFrom('outbox').selectAll().where('tag', '=', tag).execute()
    await deliverRows(db, replicate, rows)
    return true
  } catch {
    return false // the row stays for others, and for later
  }
}

/** One account that cannot be written does not hold up the others. @throws the first failure, at the end */
async function deliverRows(
  db: AccountDatabase,
  replicate: Replicate,
  rows: readonly { id: number; tag: string }[],
): Promise<void> {
  const accounts = [...Map.groupBy(rows, (row) => row.tag)]
  const failures: unknown[] = []
  while (accounts.length > 0) {
    const delivered = accounts.splice(0, deliverAtOnce).map(async ([tag, group]) => {
      await replicate(tag)
      const ids = group.map((row) => row.id)
      await db.deleteFrom('outbox').where('id', 'in', ids).execute()
    })
    for (const one of await Promise.allSettled(delivered))
      if (one.status === 'rejected') failures.push(one.reason)
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Whoever counts in Redis delivers within this time, or has lost its trust in Redis and reads Postgres. When nobody
 * does, there is nothing to wait for.
 */
async function waitForOthers(
  db: AccountDatabase,
  instance: string,
  tag: string,
  withinMs: number,
): Promise<void> {
  const end = performance.now() + withinMs
  while (performance.now() < end) {
    const { rows } = await sql`select where exists (select from outbox where tag = ${tag})
      and ${othersCountInRedis(instance)}`.execute(db)
    if (rows.length === 0) return
    await sleep(lookAgainMs)
  }
}

/** Without Redis every instance reads Postgres at every request: a change holds as soon as it is committed. */
export const noOutbox: Outbox = {
  note: raiseVersion,
  deliver: () => Promise.resolve(),
  drain: () => Promise.resolve(),
}

/** Locks the row of an account against other changes; undefined when it is gone. */
export async function lockAccount(trx: Transaction<AccountTables>, tag: string) {
  return trx.selectFrom('account').selectAll().where('tag', '=', tag).forUpdate().executeTakeFirst()
}

async function raiseVersion(trx: Transaction<AccountTables>, tag: string): Promise<void> {
  await trx
    .updateTable('account')
    .set({ version: sql<number>`version + 1` })
    .where('tag', '=', tag)
    .execute()
}

const lookAgainMs = 15
const drainAtOnce = 1000
const deliverAtOnce = 8
