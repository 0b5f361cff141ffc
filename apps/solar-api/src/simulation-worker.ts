import { planRun, type Run } from './model/monte-carlo/plan.ts'
import { summarise, type MonteCarloResult } from './model/monte-carlo/summarise.ts'
import { runTrials, type TrialArrays } from './model/monte-carlo/trials.ts'
import type { SimulationRequest } from './simulations.ts'

/* What the workers of simulation-crew.ts do: the entry of a thread of its own, bundled beside main.js. */

/** See planRun(). */
export function plan({ input, simulation }: SimulationRequest): Run {
  return planRun(input, simulation)
}

/** See runTrials(). */
export function fill({ run, from, to, out }: Piece): void {
  runTrials(run, from, to, out)
}

/** See summarise(). */
export function summary({ run, out }: Pick<Piece, 'run' | 'out'>): MonteCarloResult {
  return summarise(run, out)
}

/** Trials from..to-1 of a run, whose arrays lie in shared memory. */
export type Piece = {
  readonly run: Run
  readonly from: number
  readonly to: number
  readonly out: TrialArrays
}
