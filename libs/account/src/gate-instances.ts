import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'

/** What an instance tells the others, through Postgres, of where it counts. */
export type GateInstances = {
  /** Says that it is about to count in Redis. */
  readonly enter: () => Promise<void>
  /** Says that it does not, and that all it has counted there is written down. */
  readonly leave: () => Promise<void>
  /** It counts in Redis after all: leave() may have been heard or not, so it has to be said again. */
  readonly comeBack: () => void
  /** Says what is yet to be said, and now and then that it is still there. */
  readonly stay: () => Promise<void>
}

/**
 * A question that was given up may still be answered: each spell has a row of its own, so that a late end of one
 * does not end the next.
 *
 * @param instance unique name of this process
 */
export function gateInstances(db: AccountDatabase, instance: string): GateInstances {
  const state = { spell: 0, isIn: false, saidAt: -Infinity }

  async function enter(): Promise<void> {
    state.spell += 1
    state.isIn = true
    await say()
  }

  async function say(): Promise<void> {
    await sql`insert into gate_instance (instance, spell) values (${instance}, ${state.spell})
      on conflict (instance, spell) do update set seen_at = clock_timestamp()`.execute(db)
    state.saidAt = performance.now()
    await sql`delete from gate_instance where seen_at < clock_timestamp() - interval '1 hour'`.execute(db)
  }

  return {
    enter,
    async leave() {
      if (!state.isIn) return
      const { spell } = state
      await sql`delete from gate_instance where instance = ${instance} and spell <= ${spell}`.execute(db)
      if (state.spell === spell) state.isIn = false
    },
    comeBack() {
      state.spell += 1
      state.isIn = true
      state.saidAt = -Infinity
    },
    async stay() {
      if (state.isIn && performance.now() - state.saidAt > sayEveryMs) await say()
    },
  }
}

/** One that was not heard of for three times as long has crashed. */
const sayEveryMs = 5_000

/** Whether any other instance counts in Redis, as far as Postgres knows. One not seen for 15 seconds has crashed. */
export const othersCountInRedis = (instance: string) =>
  sql<boolean>`exists (select from gate_instance
    where instance <> ${instance} and seen_at > clock_timestamp() - interval '15 seconds')`
