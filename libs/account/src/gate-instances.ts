import { isRefusal } from '@hearth/chassis/database'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { AccountDatabase, AccountTables } from './database.ts'

/**
 * What an instance tells the others, through Postgres, of where it counts: while its row is there, it counts in Redis or
 * may believe so, and whoever changes an account waits for it.
 */
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
  /** It counts in Redis after all: leave() may have been heard or not. It has to join again as soon as it can. */
  readonly comeBack: () => void
  /** Says now and then that it is still there, and removes others that have not said so for long. */
  readonly stay: () => Promise<void>
  /** Whether none of what it has said can be taken, or still be heard, as that it leaves. */
  readonly isIn: () => boolean
  /** What this instance has said of itself. */
  readonly place: () => Place
  /** Condition: another instance counts in Redis, as far as Postgres knows. */
  readonly othersCount: RawBuilder<boolean>
}

/** What an instance has said of itself at some instant. */
export type Place = {
  /** Condition: the others know of it, and cannot have taken it for crashed. */
  readonly isKnown: RawBuilder<boolean>
  /** Whether it has said nothing else since. */
  readonly isCurrent: () => boolean
}

/**
 * A question that was given up may still be answered: each spell has a row of its own, so that a late end of one
 * does not end the next.
 *
 * An instance that has crashed leaves its row behind. Another removes it when it has not changed for 15 seconds, by its
 * own clock and while it could look and write all the time: clocks that are set, and a Postgres that nobody could reach
 * or that took no writes, make nobody look crashed. One that was merely stopped finds its row gone before it counts
 * again; see outbox.ts.
 *
 * @param db with connections that requests do not use
 * @param instance unique name of this process
 * @param clock milliseconds of a clock that is never set
 */
export function gateInstances(
  db: AccountDatabase,
  instance: string,
  clock = () => performance.now(),
): GateInstances {
  const state: State = { spell: 0, isIn: false, mayHaveLeft: false, saidAt: -Infinity, said: undefined }
  const removeCrashed = watchOthers(db, instance)
  const begin = () => {
    state.isIn = true
    state.mayHaveLeft = false
    state.spell += 1
    state.said = undefined
    return state.spell
  }

  return {
    async join() {
      await clearOutbox(db, instance)
      return join(db, instance, begin())
    },
    leave: () => leave(db, instance, state),
    comeBack: () => void begin(), // without a row, which is found out as soon as Postgres answers
    async stay() {
      const now = clock()
      if (now - state.saidAt < sayEveryMs) return
      if (state.isIn) await sayStillThere(db, instance, state, begin)
      await removeCrashed(now)
      state.saidAt = now
    },
    isIn: () => state.isIn && !state.mayHaveLeft,
    place: () => placeOf(instance, state),
    othersCount: sql`exists (select from gate_instance where instance <> ${instance})`,
  }
}

type State = {
  spell: number
  isIn: boolean
  /** That it leaves was said, and the answer has not come. */
  mayHaveLeft: boolean
  /** When this instance last said that it is there, and what. */
  saidAt: number
  said: string | undefined
}

function placeOf(instance: string, state: Readonly<State>): Place {
  const { spell } = state
  return {
    isKnown: sql`exists (select from gate_instance where instance = ${instance} and spell = ${spell})`,
    isCurrent: () => state.isIn && state.spell === spell,
  }
}

const sayEveryMs = 5_000
/** Who does not say anything for three times as long has crashed. */
const crashedAfterMs = 15_000
/** Who has looked less often than that does not know for how long the others were silent: perhaps nobody could write. */
const longestPauseMs = 8_000

/** Looks at what the others say, and removes who has said nothing new for long. */
function watchOthers(db: AccountDatabase, instance: string): (now: number) => Promise<void> {
  let since = new Map<string, number>()
  let lookedAt = -Infinity

  return async (now) => {
    // The update, of no row, is refused while Postgres takes no writes.
    const { rows } = await sql<Sign>`with writable as (update gate_instance set seen_at = seen_at where false)
      select instance, spell, extract(epoch from seen_at)::text as said
      from gate_instance where instance <> ${instance}`.execute(db)
    const before = now - lookedAt > longestPauseMs ? new Map<string, number>() : since
    since = new Map(rows.map((row) => [nameOf(row), before.get(nameOf(row)) ?? now]))
    lookedAt = now
    const silent = rows.filter((row) => now - (since.get(nameOf(row)) ?? now) >= crashedAfterMs)
    if (silent.length > 0) await remove(db, silent)
  }
}

type Sign = { readonly instance: string; readonly spell: number; readonly said: string }

function nameOf({ instance, spell, said }: Sign): string {
  return `${instance} ${spell} ${said}`
}

/** Removes those that have still not said anything else. */
async function remove(db: AccountDatabase, silent: readonly Sign[]): Promise<void> {
  await sql`delete from gate_instance g
    using jsonb_to_recordset(${JSON.stringify(silent)}::jsonb) as s (instance text, spell integer, said text)
    where g.instance = s.instance and g.spell = s.spell and extract(epoch from g.seen_at)::text = s.said`.execute(
    db,
  )
}

/**
 * When no other instance counts in Redis, what is in the outbox is for nobody. Should it have become long, it is removed in
 * portions: nobody is held off meanwhile.
 */
async function clearOutbox(db: AccountDatabase, instance: string): Promise<void> {
  for (let removed = portion; removed === portion;) {
    const { numAffectedRows } = await sql`delete from outbox
      where id in (select id from outbox order by id limit ${portion}::integer)
        and not exists (select from gate_instance where instance <> ${instance})`.execute(db)
    removed = Number(numAffectedRows)
  }
}

const portion = 20_000

/**
 * Holds off whoever is noting a change: a change is either committed before, and seen by all who read the account in
 * the new epoch, or finds the row of this instance and is left in the outbox for it. The epoch is later than all before,
 * also than those of a database that was put back to an earlier state.
 */
async function join(db: AccountDatabase, instance: string, spell: number): Promise<number> {
  const { rows } = await sql<{ epoch: number }>`select join_gate(${instance}, ${spell}) as epoch`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('join_gate returned no row.')
  return row.epoch
}

/** Whether it was heard is not known when there is no answer, and a refusal is one. */
async function leave(db: AccountDatabase, instance: string, state: State): Promise<void> {
  if (!state.isIn) return
  const { spell, mayHaveLeft } = state
  state.mayHaveLeft = true
  try {
    await sql`delete from gate_instance where instance = ${instance} and spell <= ${spell}`.execute(db)
    if (state.spell === spell) state.isIn = false
  } catch (error) {
    if (state.spell === spell && isRefusal(error)) state.mayHaveLeft = mayHaveLeft
    throw error
  }
}

/**
 * Puts a change into the outbox if any instance counts in Redis. To be called at the end of its transaction, which then
 * has a second left: a process that is stopped before its commit keeps others from joining for no longer.
 *
 * @param version of the account after the change; null when it is delivered only with the record that shows it
 * @param countsHere this instance counts in Redis, whatever Postgres knows of it
 */
export async function noteForInstances(
  trx: Transaction<AccountTables>,
  tag: string,
  version: number | null,
  countsHere: boolean,
): Promise<void> {
  // Until the commit nobody joins. A statement of its own: what it waited for is seen by the next.
  await sql`select set_config('idle_in_transaction_session_timeout', '1s', true),
    pg_advisory_xact_lock_shared(hashtext('gate of ' || current_schema()))`.execute(trx)
  await sql`insert into outbox (tag, version) select ${tag}, ${version}::integer
    where ${countsHere} or exists (select from gate_instance)`.execute(trx)
}

/** Whether any instance has counted in Redis lately. */
export async function anyCountsInRedis(db: AccountDatabase): Promise<boolean> {
  const { rows } = await sql`select from gate_instance
    where seen_at > clock_timestamp() - interval '15 seconds' limit 1`.execute(db)
  return rows.length > 0
}

/**
 * What is said is compared with what was heard to be said last: where Postgres has an earlier one, it was put back to a
 * backup, and knows less than the records in Redis. (A later one was said in vain, it seemed: the answer did not come.) A
 * new spell without a row is found out by the next look.
 */
async function sayStillThere(
  db: AccountDatabase,
  instance: string,
  state: State,
  begin: () => unknown,
): Promise<void> {
  const { spell, said = null } = state
  const { rows } = await sql<{ readonly said: string }>`update gate_instance set seen_at = clock_timestamp()
    where instance = ${instance} and spell = ${spell}
      and extract(epoch from seen_at) >= coalesce(${said}::text::numeric, extract(epoch from seen_at))
    returning extract(epoch from seen_at)::text as said`.execute(db)
  if (!state.isIn || state.spell !== spell) return
  if (rows[0] !== undefined) state.said = rows[0].said
  else if (said !== null) begin()
}
