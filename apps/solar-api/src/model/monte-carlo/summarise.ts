import { solarModel, summariseSolar } from '../solar.ts'
import type { Warning } from '../warnings.ts'
import { replicatesOf } from './pieces.ts'
import type { Method, Run } from './plan.ts'
import { formatSeed } from './seed.ts'
import { indexPoints, sobolIndices, tornado, type SobolIndex, type TornadoRow } from './sensitivity.ts'
import { describeOutput, shareAbove, sharesUpTo, tailMean, type OutputStatistics } from './statistics.ts'
import type { TrialArrays } from './trials.ts'

/**
 * What the trials of a run say, unrounded. Depends on the run and the trials alone, not on who ran them.
 * @param out filled for all trials of the run
 */
export function summarise(run: Run, out: TrialArrays): MonteCarloResult {
  const describe = (values: Float64Array): OutputStatistics =>
    describeOutput(values.subarray(0, run.trials), replicatesOf(run))
  const { medianNpv, rows } = tornado(run)
  const { savings, metrics, warnings } = summariseSolar(run.input)
  const result: Omit<MonteCarloResult, 'warnings'> = {
    model: solarModel,
    simulation: { trials: run.trials, seed: formatSeed(run.seed), method: run.method },
    npv: describe(out.npv),
    paybackYears: describe(out.paybackYears),
    lifetimeNetSavings: describe(out.lifetimeNetSavings),
    year1Savings: describe(out.year1Savings),
    probabilities: probabilitiesOf(out),
    cvar5: tailMean(out.npv, 0.05),
    sensitivity: { medianNpv, tornado: rows, sobol: sobolIndices(run, indexPoints(run.trials)) },
    deterministic: {
      npv: metrics.npv,
      paybackYears: metrics.paybackYears,
      lifetimeNetSavings: savings.lifetimeNetSavings,
      year1Savings: savings.year1Savings,
    },
  }
  return { ...result, warnings: [...warnings, ...warningsFor(run, result.probabilities.neverPaysBack)] }
}

function probabilitiesOf({ npv, paybackYears }: TrialArrays): MonteCarloResult['probabilities'] {
  const shares = sharesUpTo(paybackYears, 20)
  const within = (years: number): number => shares[years] ?? NaN
  return {
    npvPositive: shareAbove(npv, 0),
    paybackWithin: {
      5: within(5),
      7: within(7),
      10: within(10),
      12: within(12),
      15: within(15),
      20: within(20),
    },
    neverPaysBack: shareAbove(paybackYears, Number.MAX_VALUE),
  }
}

function warningsFor(run: Run, neverPaysBack: number): SimulationWarning[] {
  const { trials, requestedTrials, varies } = run
  return [
    ...when(trials > requestedTrials, 'TRIALS_ROUNDED_UP', () => [
      `Sobol points come in powers of two: ${trials} trials were run for the ${requestedTrials} asked for.`,
    ]),
    ...when(!varies.includes(true), 'NOTHING_VARIES', () => [
      'Every input is fixed, so all trials are the same and there is no variance to explain.',
    ]),
    ...when(neverPaysBack > 0, 'PAYBACK_INCOMPLETE', () => [
      'Some trials do not pay back within the years analysed.',
      'The mean, standard deviation, minimum and maximum of paybackYears are those of the others;',
      'percentiles that fall among them are null, and the histogram counts them as overflow.',
    ]),
  ]
}

function when(
  holds: boolean,
  code: SimulationWarning['code'],
  sentences: () => readonly string[],
): SimulationWarning[] {
  return holds ? [{ code, message: sentences().join(' ') }] : []
}

/** Money in USD, years from the day of installation; probabilities and indices are fractions. */
export type MonteCarloResult = Readonly<{
  /** the name of the model, `solar-v1` */
  model: string
  simulation: Readonly<{
    /** that were run */
    trials: number
    /** decimal digits of 64 bits */
    seed: string
    method: Method
  }>
  /** with the loan */
  npv: OutputStatistics
  /** of the trials that pay back; whoever lent the money */
  paybackYears: OutputStatistics
  /** undiscounted, with the loan */
  lifetimeNetSavings: OutputStatistics
  /** off the utility bill */
  year1Savings: OutputStatistics
  probabilities: Readonly<{
    npvPositive: number
    paybackWithin: Readonly<Record<5 | 7 | 10 | 12 | 15 | 20, number>>
    /** not within the years analysed */
    neverPaysBack: number
  }>
  /** conditional value at risk: mean of the worst 5 % of the net present values */
  cvar5: number
  sensitivity: Readonly<{
    /** net present value with every input at its median, which the tornado starts from */
    medianNpv: number
    /** largest swing first */
    tornado: readonly TornadoRow[]
    /** in the order of the inputs */
    sobol: readonly SobolIndex[]
  }>
  /** the calculation without uncertainty, which is not the mean: see calculateSolar() */
  deterministic: Readonly<{
    npv: number
    /** null: not within the years analysed */
    paybackYears: number | null
    lifetimeNetSavings: number
    year1Savings: number
  }>
  warnings: readonly (Warning | SimulationWarning)[]
}>

/** message is one or more full sentences for people; code is for programs. */
export type SimulationWarning = Readonly<{
  code: 'TRIALS_ROUNDED_UP' | 'NOTHING_VARIES' | 'PAYBACK_INCOMPLETE'
  message: string
}>
