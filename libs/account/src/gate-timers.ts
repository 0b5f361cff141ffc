import type { Logger } from 'pino'
import type { AccountDatabase } from './database.ts'
import { sweepDeleted } from './deleted-accounts.ts'
import { forgetWriters } from './ledger-rows.ts'
import type { Ledger } from './ledger.ts'
import { paceMs } from './unwritten.ts'

/** What every gate does from time to time: it writes the ledger and sweeps up. */
export function housekeeping(db: AccountDatabase, ledger: Ledger, log: Logger): NodeJS.Timeout[] {
  return [
    every(paceMs, log, ledger.keepUp),
    every(sweepEveryMs, log, () => sweepDeleted(db)),
    every(sweepEveryMs, log, () => forgetWriters(db)),
  ]
}

const sweepEveryMs = 30_000

/** Stops all of it; what is left to write is written. @throws when Postgres does not answer */
export async function stop(timers: readonly NodeJS.Timeout[], ledger: Ledger): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  const written = await Promise.allSettled([ledger.flush(), ledger.flushUses()])
  for (const one of written) if (one.status === 'rejected') throw one.reason
}

/** Repeats work that must not overlap with itself. A failure is logged unless another came shortly before. */
export function every(ms: number, log: Logger, work: () => Promise<void>): NodeJS.Timeout {
  let running = false
  let failedAt = -Infinity

  async function runOnce(): Promise<void> {
    if (running) return
    running = true
    try {
      await work()
    } catch (error) {
      const isNews = performance.now() - failedAt > sameSpellMs
      if (isNews) log.warn({ err: error }, 'background work of the quota gate fails; it goes on trying')
      failedAt = performance.now()
    } finally {
      running = false
    }
  }

  return setInterval(() => void runOnce(), ms).unref()
}

/** Work that has nothing to do for a while does not fail meanwhile, which says little. */
const sameSpellMs = 10_000
