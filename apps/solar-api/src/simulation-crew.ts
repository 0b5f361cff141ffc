import { unavailable } from '@hearth/chassis/errors'
import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Piscina } from 'piscina'
import type { Run } from './model/monte-carlo/plan.ts'
import type { MonteCarloResult } from './model/monte-carlo/summarise.ts'
import type { TrialArrays } from './model/monte-carlo/trials.ts'
import * as steps from './simulation-worker.ts'
import type { SimulationRequest } from './simulations.ts'

/** Who does the steps of a run. */
export type Crew = {
  /** How many pieces of a run it works on at once. */
  readonly hands: number
  /** Trials of a piece: so few that a run ends soon after it is given up. */
  readonly pieceLength: number
  readonly plan: (request: SimulationRequest) => Promise<Run>
  readonly fill: (run: Run, from: number, to: number, out: TrialArrays) => Promise<void>
  readonly summarise: (run: Run, out: TrialArrays) => Promise<MonteCarloResult>
}

/** Works in this thread, and lets the event loop turn before each step: a few milliseconds at most. */
export function inlineCrew(): Crew {
  return {
    hands: 1,
    pieceLength: 4_096,
    async plan(request) {
      await nextTurn()
      return steps.plan(request)
    },
    async fill(run, from, to, out) {
      await nextTurn()
      steps.fill({ run, from, to, out })
    },
    async summarise(run, out) {
      await nextTurn()
      return steps.summary({ run, out })
    },
  }
}

/**
 * Works in threads, which start when they are needed and end when they were not for a minute.
 *
 * @param file what they run, simulation-worker.ts unless told
 * @throws from its steps: HttpError temporarily_unavailable when no thread can be started; what is thrown in a
 * thread; Error when a thread dies
 */
export function workerCrew(
  workers: number,
  log: Logger,
  file = workerFile(),
): Crew & { readonly close: () => Promise<void> } {
  const pool = new Piscina({
    filename: file.href,
    minThreads: 0,
    maxThreads: workers,
    idleTimeout: 60_000,
    recordTiming: false,
    // The trials lie outside the heap; what is on it is garbage soon, and holds scratch memory until it is collected.
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 },
  })
  let stranded = new AbortController()
  pool.on('error', (error) => {
    log.error({ err: error }, 'a worker for simulations failed')
    // With no thread left nobody would ever come for what waits, and nobody is at work on it either.
    if (pool.threads.length > 0) return
    stranded.abort(unavailable('The workers for simulations cannot be started.', error))
    stranded = new AbortController()
  })
  async function ask<T>(name: keyof typeof steps, task: object): Promise<T> {
    const { signal } = stranded
    try {
      return (await pool.run(task, { name, signal })) as T // what the function of that name returns
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    }
  }
  return {
    hands: workers,
    pieceLength: 32_768,
    plan: (request) => ask('plan', request),
    fill: (run, from, to, out) => ask('fill', { run, from, to, out }),
    summarise: (run, out) => ask('summary', { run, out }),
    close: () => pool.destroy(),
  }
}

/** Beside this file, in the sources as in the bundle. */
function workerFile(): URL {
  return new URL(`./simulation-worker${extname(import.meta.url)}`, import.meta.url)
}
