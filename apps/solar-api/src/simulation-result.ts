import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import type { Correlation } from './model/monte-carlo/correlation.ts'
import type { TornadoRow } from './model/monte-carlo/sensitivity.ts'
import type { OutputStatistics } from './model/monte-carlo/statistics.ts'
import type { MonteCarloResult } from './model/monte-carlo/summarise.ts'
import { defaultDistribution, uncertainInputs } from './model/monte-carlo/uncertain-inputs.ts'
import { roundTo } from './model/rounding.ts'
import { solarModel } from './model/solar.ts'
import { describeAssumptions, type Assumption } from './solar-input.ts'
import { assumptionsSchema, warningsSchema, worthSaying } from './solar-result.ts'
import type { SimulationRequest } from './simulations.ts'

const usd = Joi.number().description('USD.')
const numberOrNull = Joi.number().allow(null)
const probability = Joi.number().min(0).max(1)
const inputName = Joi.string().valid(...uncertainInputs.map(({ name }) => name))

const percentiles = record(
  Object.fromEntries(
    ['p5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95'].map((name) => [name, Joi.number().allow(null)]),
  ),
)

/** The schema of the statistics of one output. */
function statistics(unit: string): Joi.Schema {
  return record({
    mean: numberOrNull,
    standardDeviation: numberOrNull.description('Of the sample, with n - 1.'),
    standardError: numberOrNull.description('Of the mean.'),
    min: numberOrNull,
    max: numberOrNull,
    percentiles: percentiles.description(
      'p5 is what 5 % of the trials stay below (type 7: as NumPy and PERCENTILE.INC). What the energy trade calls P90, exceeded with 90 % probability, is p10.',
    ),
    percentileStandardErrors: percentiles,
    histogram: record({
      edges: Joi.array().items(Joi.number()),
      counts: Joi.array().items(Joi.number().integer()),
      underflow: Joi.number().integer().description('Trials below the first edge.'),
      overflow: Joi.number().integer().description('Trials above the last edge, or without a payback.'),
    }).description(
      '40 equal bins from the 0.5th to the 99.5th percentile: counts[i] lie from edges[i] to edges[i + 1]. A single bin where all trials are the same, none where no trial has a value.',
    ),
  }).description(unit)
}

/** The schema of a Monte Carlo simulation in an answer. */
export const simulationSchema = record({
  model: Joi.string().valid(solarModel),
  simulation: record({
    trials: Joi.number().integer().description('That were run.'),
    seed: Joi.string().description('Decimal digits; a request with this seed gives the same numbers.'),
    method: Joi.string().valid('sobol', 'random', 'lhs'),
  }),
  npv: statistics('Net present value in USD, with the loan.'),
  paybackYears: statistics(
    'Years, as if paid in cash. Mean, standardDeviation, min and max are those of the trials that pay back; percentiles count the others as infinite, and are null where they fall among them.',
  ),
  lifetimeNetSavings: statistics('USD, not discounted, with the loan.'),
  year1Savings: statistics('USD off the utility bill in the first year.'),
  probabilities: record({
    npvPositive: probability,
    paybackWithin: record(
      Object.fromEntries([5, 7, 10, 12, 15, 20].map((limit) => [limit, probability])),
    ).description('By years.'),
    neverPaysBack: probability.description('Not within analysisYears.'),
  }),
  cvar5: usd.description(
    'Conditional value at risk in USD: the mean of the worst 5 % of the net present values.',
  ),
  sensitivity: record({
    medianNpv: usd.description('Net present value in USD with every input at its median.'),
    tornado: Joi.array()
      .items(record({ input: inputName, p10: tornadoEnd(), p90: tornadoEnd(), swing: usd }))
      .description('Net present value with one input at its 10th and 90th percentile; largest swing first.'),
    sobol: Joi.array()
      .items(record({ input: inputName, first: numberOrNull, total: numberOrNull }))
      .description(
        'Shares of the variance of the net present value that an input explains alone (first) and with its interactions (total); null where it does not vary.',
      ),
  }),
  deterministic: record({
    npv: usd,
    paybackYears: numberOrNull,
    lifetimeNetSavings: usd,
    year1Savings: usd,
  }).description('The calculation without uncertainty, which is not the mean.'),
  assumptions: assumptionsSchema.description(
    'Every input and every distribution as it was used, and whether the request gave it; names are paths in the request.',
  ),
  warnings: warningsSchema,
})

function tornadoEnd(): Joi.Schema {
  return record({ value: Joi.number().description('Of the input, in its unit.'), npv: usd })
}

/** A simulation as it is answered: rounded, with its assumptions. `raw` is the request as it came. */
export function presentSimulation(
  result: MonteCarloResult,
  request: SimulationRequest,
  raw: unknown,
): object {
  const assumptions = { ...describeAssumptions(request.input, raw), ...describeUncertainty(request) }
  const { probabilities, sensitivity } = result
  return {
    model: result.model,
    simulation: result.simulation,
    npv: roundStatistics(result.npv),
    paybackYears: roundStatistics(result.paybackYears),
    lifetimeNetSavings: roundStatistics(result.lifetimeNetSavings),
    year1Savings: roundStatistics(result.year1Savings),
    probabilities: {
      npvPositive: roundTo(probabilities.npvPositive, 6),
      paybackWithin: roundAll(probabilities.paybackWithin, 6),
      neverPaysBack: roundTo(probabilities.neverPaysBack, 6),
    },
    cvar5: roundTo(result.cvar5, 2),
    sensitivity: roundSensitivity(sensitivity),
    deterministic: roundAll(result.deterministic, 2),
    assumptions,
    warnings: worthSaying(result.warnings, assumptions),
  }
}

/** USD and years have two places; what may be small beside them, errors and the widths of bins, two more. */
function roundStatistics(output: OutputStatistics): OutputStatistics {
  const { mean, standardDeviation, standardError, min, max, histogram } = output
  return {
    ...roundAll({ mean, standardDeviation }, 2),
    ...roundAll({ standardError }, 4),
    ...roundAll({ min, max }, 2),
    percentiles: roundAll(output.percentiles, 2),
    percentileStandardErrors: roundAll(output.percentileStandardErrors, 4),
    histogram: { ...histogram, edges: histogram.edges.map((edge) => roundTo(edge, 4)) },
  }
}

function roundSensitivity({ medianNpv, tornado, sobol }: MonteCarloResult['sensitivity']): object {
  const end = ({ value, npv }: TornadoRow['p10']) => ({ value: roundTo(value, 6), npv: roundTo(npv, 2) })
  return {
    medianNpv: roundTo(medianNpv, 2),
    tornado: tornado.map(({ input, p10, p90, swing }) => ({
      input,
      p10: end(p10),
      p90: end(p90),
      swing: roundTo(swing, 2),
    })),
    sobol: sobol.map(({ input, first, total }) => ({ input, ...roundAll({ first, total }, 4) })),
  }
}

function roundAll<K extends PropertyKey, V extends number | null>(
  values: Readonly<Record<K, V>>,
  places: number,
): Record<K, V> {
  const rows = Object.entries<number | null>(values)
  return Object.fromEntries(
    rows.map(([name, value]) => [name, value === null ? null : roundTo(value, places)]),
  ) as Record<K, V> // the names of `values`, and null where it was null
}

/** How the inputs varied, as rows of the assumptions. */
function describeUncertainty({ input, simulation }: SimulationRequest): Record<string, Assumption> {
  const { distributions = {}, correlations } = simulation
  const rows = uncertainInputs.map(({ name }): [string, Assumption] => {
    const given = distributions[name]
    const value = given ?? defaultDistribution(name, input)
    return [
      `simulation.distributions.${name}`,
      { value, source: given === undefined ? 'default' : 'request' },
    ]
  })
  const pairs = withAssumed(correlations ?? [])
  const source = correlations === undefined ? 'default' : 'request'
  return { ...Object.fromEntries(rows), 'simulation.correlations': { value: pairs, source } }
}

/** What correlationFactor() assumes of cost and O&M holds unless this very pair is named. */
function withAssumed(correlations: readonly Correlation[]): readonly Correlation[] {
  const isNamed = correlations.some(({ inputs }) => inputs.includes('cost') && inputs.includes('om'))
  return isNamed ? correlations : [{ inputs: ['cost', 'om'], coefficient: 0.3 }, ...correlations]
}
