import { columnsOf, fillValues } from './copula.ts'
import { evaluateValues, evaluateYear1Savings } from './economics.ts'
import { fillScores } from './normal-scores.ts'
import { evaluatePayback } from './payback.ts'
import { forEachPiece } from './pieces.ts'
import type { Run } from './plan.ts'
import { activeOf, planDraw } from './sampler.ts'

/**
 * Runs trials from..to-1 and writes each to its place in `out`. A trial depends on the run and its number
 * alone, so that the ranges of several calls, in whatever order, workers and sizes, give the same bytes.
 * @param out arrays of run.trials; they may lie on a SharedArrayBuffer
 * @throws RangeError for a range outside the run
 */
export function runTrials(run: Run, from: number, to: number, out: TrialArrays): void {
  if (!(from >= 0 && from <= to && to <= run.trials && to <= out.npv.length)) {
    throw new RangeError(
      `There are no trials ${from} to ${to} in a run of ${run.trials} with room for ${out.npv.length}.`,
    )
  }
  const columns = columnsOf(run)
  const active = activeOf(run)
  const draw = planDraw(run, columns.words)
  const { economics } = run
  forEachPiece(run, from, to, (piece) => {
    const { count, trial } = piece
    draw(piece)
    fillScores(columns.words, columns.words.length, columns.scores)
    for (const dimension of active) fillValues(run, dimension, columns, count)
    evaluateValues(economics, columns, count, out.npv, out.lifetimeNetSavings, trial)
    evaluatePayback(economics, columns, count, out.paybackYears, trial)
    evaluateYear1Savings(economics, columns, count, out.year1Savings, trial)
  })
}

/**
 * Arrays for the trials of a run.
 * @param allocate makes the memory of one array of so many bytes; a SharedArrayBuffer lets workers fill it
 */
export function trialArrays(
  trials: number,
  allocate: (bytes: number) => ArrayBufferLike = (bytes) => new ArrayBuffer(bytes),
): TrialArrays {
  const array = (): Float64Array => new Float64Array(allocate(trials * Float64Array.BYTES_PER_ELEMENT))
  return {
    npv: array(),
    paybackYears: array(),
    lifetimeNetSavings: array(),
    year1Savings: array(),
  }
}

/** One number per trial. */
export type TrialArrays = Readonly<{
  /** USD, loan included */
  npv: Float64Array
  /** years, whoever lent the money; Infinity where the system never pays back */
  paybackYears: Float64Array
  /** USD, undiscounted, loan included */
  lifetimeNetSavings: Float64Array
  /** USD off the utility bill in the first year */
  year1Savings: Float64Array
}>
