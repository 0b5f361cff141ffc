import type { Run } from './model/monte-carlo/plan.ts'
import type { MonteCarloResult } from './model/monte-carlo/summarise.ts'
import type { TrialArrays } from './model/monte-carlo/trials.ts'
import type { Crew } from './simulation-crew.ts'
import type { SimulationRequest } from './simulations.ts'

/** A run that has its place. */
export type Job = {
  readonly crew: Crew
  readonly request: SimulationRequest
  readonly room: Room
  readonly signal: AbortSignal
  /** Told of each piece that is done. */
  readonly count: (trials: number) => void
}

/**
 * Plans, runs and summarises, a piece of the trials at a time.
 *
 * @returns when nobody works for the run any more
 * @throws the reason of the signal, before the next piece; whatever goes wrong in a piece
 */
export async function conduct(job: Job): Promise<MonteCarloResult> {
  const { crew, request, room, signal } = job
  signal.throwIfAborted()
  const run = await crew.plan(request)
  const out = room(run.trials)
  await fillAll(job, run, out)
  const result = await crew.summarise(run, out)
  signal.throwIfAborted()
  return result
}

/** Ends only when nobody writes to `out` any more, also when it fails. */
async function fillAll({ crew, signal, count }: Job, run: Run, out: TrialArrays): Promise<void> {
  let next = 0
  let hasFailed = false
  async function work(): Promise<void> {
    while (next < run.trials && !hasFailed && !signal.aborted) {
      const from = next
      const to = Math.min(run.trials, from + crew.pieceLength)
      next = to
      await crew.fill(run, from, to, out)
      count(to - from)
    }
  }
  const hands = Array.from({ length: crew.hands }, () =>
    work().catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  for (const outcome of await Promise.allSettled(hands)) {
    if (outcome.status === 'rejected') throw outcome.reason
  }
  signal.throwIfAborted()
}

/** Memory for the trials of one run at a time, taken when it is first needed and kept. */
export type Room = (trials: number) => TrialArrays

/** Rooms for runs of at most so many trials. */
export function rooms(count: number, mostTrials: number): Room[] {
  return Array.from({ length: count }, () => {
    let memory: SharedArrayBuffer | undefined
    return (trials) => {
      const buffer = (memory ??= new SharedArrayBuffer(4 * mostTrials * Float64Array.BYTES_PER_ELEMENT))
      const column = (index: number) =>
        new Float64Array(buffer, index * trials * Float64Array.BYTES_PER_ELEMENT, trials)
      return {
        npv: column(0),
        paybackYears: column(1),
        lifetimeNetSavings: column(2),
        year1Savings: column(3),
      }
    }
  })
}
