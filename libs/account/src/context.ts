import { HttpError, unavailable } from '@hearth/chassis/errors'
import { inTime, LateError } from '@hearth/chassis/in-time'
import type Joi from 'joi'
import type { Logger } from 'pino'
import { sql, type Transaction } from 'kysely'
import type { AttemptLimit } from './attempts.ts'
import type { Deployment } from './credentials.ts'
import type { AccountDatabase, AccountTables } from './database.ts'
import type { Ledger } from './ledger.ts'
import { lockAccount, type Outbox } from './outbox.ts'
import type { Passwords } from './passwords.ts'
import type { Plans } from './plans.ts'
import type { Sessions } from './sessions.ts'

/** How a deployment wraps what it answers. */
export type Envelope = {
  /** The body of a success. */
  readonly wrap: (data: object, at: Date) => object
  /** The schema of such a body. */
  readonly schema: (data: Joi.Schema) => Joi.Schema
}

/** What the account endpoints work with. */
export type AccountContext = {
  readonly deployment: Deployment
  readonly envelope: Envelope
  readonly plans: Plans
  readonly db: AccountDatabase
  readonly outbox: Outbox
  readonly ledger: Ledger
  readonly passwords: Passwords
  readonly sessions: Sessions
  /** The newest pepper; new keys are stored under it. */
  readonly pepper: string
  readonly signupLimit: AttemptLimit
  readonly signInLimit: AttemptLimit
  readonly log: Logger
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The instant that the database takes for now; undefined lets its own clock decide. */
  readonly at: () => Date | undefined
}

/** What the database takes for now: all instances agree in it, so they find what another has written down with it. */
export async function sharedNow({ db, at }: Pick<AccountContext, 'db' | 'at'>): Promise<Date> {
  const now = sql<Date>`coalesce(${at() ?? null}::timestamptz, clock_timestamp())`.as('now')
  return (await db.selectNoFrom(now).executeTakeFirstOrThrow()).now
}

/**
 * Changes an account: one transaction with the account's row locked, a new version, and delivery to every instance
 * before it resolves. A refusal is delivered too: it may tell of a change, such as a key that is revoked already, which
 * whoever has made it is still delivering, or has left behind.
 *
 * @param run makes the change; it may throw to leave everything as it was
 * @returns what `run` returns, or undefined when there is no such account
 */
export async function changeAccount<T>(
  { db, outbox }: Pick<AccountContext, 'db' | 'outbox'>,
  tag: string,
  run: (trx: Transaction<AccountTables>, account: LockedAccount) => Promise<T>,
): Promise<T | undefined> {
  const changed = await db
    .transaction()
    .execute(async (trx) => {
      const account = await lockAccount(trx, tag)
      if (account === undefined) return undefined
      const value = await run(trx, account)
      await outbox.note(trx, tag)
      return value
    })
    .catch(async (error: unknown) => {
      if (error instanceof HttpError) await outbox.deliver(tag)
      throw error
    })
  await outbox.deliver(tag)
  return changed
}

/**
 * Waits for what is to be read to be written, but not for long. When it cannot be written, what is there is read, or
 * reading it says what is wrong.
 *
 * @throws HttpError 503 when Postgres does not answer
 */
export async function beforeReading(writing: Promise<unknown>): Promise<void> {
  try {
    await inTime(readersWaitMs, writing)
  } catch (error) {
    if (error instanceof LateError)
      throw unavailable('What is known of the account could not be written in time.', error)
  }
}

/** Less than a statement may take: a Postgres that hangs is then not asked a second time. */
const readersWaitMs = 900

/** The row of an account while it is locked. */
export type LockedAccount = NonNullable<Awaited<ReturnType<typeof lockAccount>>>
