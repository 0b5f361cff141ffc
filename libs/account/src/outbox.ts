import { sql, type Transaction } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountDatabase, AccountTables } from './database.ts'

/** Brings changes of accounts from Postgres to every instance that serves from Redis. */
export type Outbox = {
  /**
   * Notes a change of an account; call it in the transaction that makes the change, with the account's row locked.
   * Raises the version of the account.
   */
  readonly note: (trx: Transaction<AccountTables>, tag: string) => Promise<void>
  /** After the commit: resolves when every instance sees the change with its next request. */
  readonly deliver: (tag: string) => Promise<void>
  /** Delivers what is waiting, whoever noted it. @throws when Redis or Postgres does not answer */
  readonly drain: () => Promise<void>
}

/**
 * The outbox of a service with Redis. A change waits in Postgres until Redis has acknowledged the new state of the
 * account. An instance that is cut off from Redis leaves its changes to the instances that are not: each looks every
 * tenth of a second, and none trusts Redis before the outbox is empty.
 */
export function redisOutbox(
  db: AccountDatabase,
  replicate: (tag: string) => Promise<void>,
  trusting: () => boolean,
): Outbox {
  async function deliverAll(rows: readonly { id: number; tag: string }[]): Promise<void> {
    for (const [tag, group] of Map.groupBy(rows, (row) => row.tag)) {
      await replicate(tag)
      const ids = group.map((row) => row.id)
      await db.deleteFrom('outbox').where('id', 'in', ids).execute()
    }
  }

  async function deliver(tag: string): Promise<void> {
    if (trusting()) {
      const rows = await db.selectFrom('outbox').selectAll().where('tag', '=', tag).execute()
      const delivered = await deliverAll(rows).then(
        () => true,
        () => false,
      )
      if (delivered) return
    }
    // Others may still serve from Redis; they look every 100 ms. When none does, the change holds already: the
    // Postgres gate reads it, and whoever turns to Redis again drains the outbox first.
    for (let waited = 0; waited < othersDeliverWithinMs; waited += lookAgainMs) {
      const left = await db.selectFrom('outbox').select('id').where('tag', '=', tag).executeTakeFirst()
      if (left === undefined) return
      await sleep(lookAgainMs)
    }
  }

  return {
    async note(trx, tag) {
      await raiseVersion(trx, tag)
      await trx.insertInto('outbox').values({ tag }).execute()
    },
    deliver,
    async drain() {
      await deliverAll(await db.selectFrom('outbox').selectAll().orderBy('id').limit(drainAtOnce).execute())
    },
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

const othersDeliverWithinMs = 200
const lookAgainMs = 25
const drainAtOnce = 1000
