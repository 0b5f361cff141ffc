import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { AccountDatabase, AccountTables } from './database.ts'

/** What an instance tells the others, through Postgres, of where it counts. */
export type GateInstances = {
  /**
   * Says that it is about to count in Redis, and begins a new epoch.
   *
   * @throws when a change that is being made does not end soon; to be tried again
   * @returns the epoch: whatever was changed before it is seen by who reads an account from now on
   */
  readonly join: () => Promise<number>
  /** Says that it does not, and that all it has counted there is written down. */
  readonly leave: () => Promise<void>
  /** It counts in Redis after all: leave() may have been heard or not. */
  readonly comeBack: () => void
  /**
   * Says now and then that it is still there.
   *
   * @returns false when the others may take it for crashed: it has to join again
   */
  readonly stay: () => Promise<boolean>
  /** Condition: any other instance counts in Redis, as far as Postgres knows. */
  readonly othersCount: () => RawBuilder<boolean>
}

/**
 * A question that was given up may still be answered: each spell has a row of its own, so that a late end of one
 * does not end the next.
 *
 * An instance that was not heard of for 15 seconds counts as crashed. But when nobody could reach Postgres, none was
 * heard of: who has just found it again takes the word of those who were there before.
 *
 * @param instance unique name of this process
 * @param clock milliseconds of a clock that is never set
 */
export function gateInstances(
  db: AccountDatabase,
  instance: string,
  clock = () => performance.now(),
): GateInstances {
  const state = { spell: 0, isIn: false }
  const contact = contactWithPostgres(clock)

  function begin(): number {
    state.isIn = true
    state.spell += 1
    return state.spell
  }

  return {
    async join() {
      const epoch = await join(db, instance, begin())
      contact.heard()
      return epoch
    },
    async leave() {
      if (!state.isIn) return
      const { spell } = state
      await sql`delete from gate_instance where instance = ${instance} and spell <= ${spell}`.execute(db)
      if (state.spell === spell) state.isIn = false
    },
    comeBack() {
      begin() // without a row, which is found out as soon as Postgres answers
      contact.isDue()
    },
    async stay() {
      if (contact.silentForMs() < sayEveryMs) return true
      const { isIn, spell } = state
      const isKnown = isIn ? await sayStillThere(db, instance, spell) : await signOfLife(db)
      contact.heard()
      return isKnown || !state.isIn || state.spell !== spell
    },
    othersCount: () =>
      sql`exists (select from gate_instance
        where instance <> ${instance} and ${contact.isDoubtful() ? sql`true` : isFresh})`,
  }
}

/** When Postgres has answered this instance, and whether it was out of reach a moment ago. */
function contactWithPostgres(clock: () => number) {
  let [heardAt, doubtsUntil] = [clock(), -Infinity]
  return {
    silentForMs: (): number => clock() - heardAt,
    isDue(): void {
      heardAt = Math.min(heardAt, clock() - sayEveryMs)
    },
    heard(): void {
      const now = clock()
      if (now - heardAt > longSilenceMs) doubtsUntil = now + doubtsForMs
      heardAt = now
    },
    isDoubtful: (): boolean => clock() < doubtsUntil || clock() - heardAt > longSilenceMs,
  }
}

const sayEveryMs = 5_000
/** Longer than between two answers of a Postgres that is there, and shorter than it takes to count as crashed. */
const longSilenceMs = 8_000
/** By then every instance that reaches Postgres again has said so. */
const doubtsForMs = 5_000

/** One that was not heard of for three times as long as it says something has crashed. */
const isFresh = sql`seen_at > clock_timestamp() - interval '15 seconds'`

/**
 * Holds off whoever is noting a change: a change is either committed before, and seen by all who read the account in
 * the new epoch, or finds the row of this instance and is left in the outbox for it. When no other instance counts in
 * Redis, what is in the outbox is for nobody: all of it was committed before the new epoch.
 */
async function join(db: AccountDatabase, instance: string, spell: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    // Whoever notes a change waits behind this: not for long, should a process be frozen in the middle of one.
    await sql`set local lock_timeout = '100ms'`.execute(trx)
    await sql`select pg_advisory_xact_lock(${gateLock})`.execute(trx)
    await sql`delete from gate_instance where seen_at < clock_timestamp() - interval '1 hour'`.execute(trx)
    await sql`delete from outbox where not exists (
      select from gate_instance where instance <> ${instance} and ${isFresh})`.execute(trx)
    await sql`insert into gate_instance (instance, spell) values (${instance}, ${spell})`.execute(trx)
    return nextEpoch(trx)
  })
}

/** Later than every epoch before, also than those of a database that was put back to an earlier state. */
async function nextEpoch(trx: AccountDatabase): Promise<number> {
  const { rows } = await sql<{ epoch: number }>`update gate_epoch set
    epoch = greatest(epoch + 1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) returning epoch`.execute(
    trx,
  )
  const [row] = rows
  if (row === undefined) throw new Error('The table gate_epoch has no row; run the migrations.')
  return row.epoch
}

/**
 * Puts a change into the outbox if any instance counts in Redis. To be called at the end of its transaction.
 *
 * @param countsHere this instance does, whatever Postgres knows of it
 */
export async function noteForInstances(
  trx: Transaction<AccountTables>,
  tag: string,
  countsHere: boolean,
): Promise<void> {
  // Until the commit nobody joins. A statement of its own: what it waited for is seen by the next.
  await sql`select pg_advisory_xact_lock_shared(${gateLock})`.execute(trx)
  await sql`insert into outbox (tag) select ${tag}
    where ${countsHere} or exists (select from gate_instance)`.execute(trx)
}

/** Whether any instance counts in Redis. */
export async function anyCountsInRedis(db: AccountDatabase): Promise<boolean> {
  const { rows } = await sql`select from gate_instance where ${isFresh} limit 1`.execute(db)
  return rows.length > 0
}

/** Two services may share a database, each with a schema of its own. */
const gateLock = sql`hashtext('gate of ' || current_schema())`

async function sayStillThere(db: AccountDatabase, instance: string, spell: number): Promise<boolean> {
  const { numAffectedRows } = await sql`update gate_instance set seen_at = clock_timestamp()
    where instance = ${instance} and spell = ${spell} and ${isFresh}`.execute(db)
  return numAffectedRows === 1n
}

async function signOfLife(db: AccountDatabase): Promise<true> {
  await sql`select`.execute(db)
  return true
}
