import type { SolarInput } from '../input.ts'
import type { Distribution } from './distribution.ts'

/**
 * The eight inputs that a simulation may vary, in the order of their random dimensions. Seeded results depend
 * on the order. Each stands for one field of SolarInput and is counted in the unit of that field; `low` and
 * `high` are the range of that field, which no draw leaves.
 */
export const uncertainInputs = Object.freeze([
  { name: 'production', field: 'annualProductionPerKW', low: 0, high: 6000 },
  { name: 'degradation', field: 'degradationRate', low: -0.5, high: 1 },
  { name: 'escalation', field: 'rateEscalation', low: -0.5, high: 1 },
  { name: 'cost', field: 'installedCostPerWatt', low: 0, high: 1000 },
  { name: 'om', field: 'omCostPerKWYear', low: 0, high: 10_000 },
  { name: 'selfConsumption', field: 'selfConsumptionFraction', low: 0, high: 1 },
  { name: 'exportRate', field: 'exportRate', low: 0, high: 100 },
  { name: 'inverterCost', field: 'inverterCostPerKW', low: 0, high: 100_000 },
] as const)

/** How many there are: the number of random dimensions of a trial. */
export const dimensions = uncertainInputs.length

/**
 * What is assumed about an input where a request says nothing; the median is the given value.
 * Sources: production, lifetime average of Thevenard & Pelland; degradation Jordan & Kurtz; escalation, the
 * spread of 25-year means of EIA's residential price; cost, spread of quotes for one home. Production and cost
 * are shares of the value, as are the logarithmic ones. Full self-consumption is net metering, a rule and no
 * measurement, and stays as it is. Limits move out of the way of a value that is itself beyond them.
 */
export function defaultDistribution(name: UncertainInput, input: SolarInput): Distribution {
  switch (name) {
    case 'production': {
      const mean = input.annualProductionPerKW
      return { distribution: 'normal', mean, standardDeviation: 0.07 * mean, min: 0.3 * mean }
    }
    case 'degradation':
      return lognormal(input.degradationRate, 0.5, input.degradationRate > 0.05 ? undefined : 0.05)
    case 'escalation':
      return escalation(input.rateEscalation)
    case 'cost':
      return lognormal(input.installedCostPerWatt, 0.12)
    case 'om':
      return lognormal(input.omCostPerKWYear, 0.3)
    case 'selfConsumption': {
      const mean = input.selfConsumptionFraction
      if (mean >= 1) return { distribution: 'fixed', value: mean }
      return { distribution: 'normal', mean, standardDeviation: 0.08, min: 0, max: 1 }
    }
    case 'exportRate':
      return lognormal(input.exportRate, 0.25)
    case 'inverterCost':
      return lognormal(input.inverterCostPerKW, 0.25)
  }
}

function escalation(mean: number): Distribution {
  const min = mean < -0.05 ? mean - 0.05 : -0.05
  const max = mean > 0.12 ? mean + 0.05 : 0.12
  return { distribution: 'normal', mean, standardDeviation: 0.01, min, max }
}

/** Nothing has no spread, and a gain in place of a loss has no logarithm. */
function lognormal(median: number, sigma: number, max?: number): Distribution {
  if (median <= 0) return { distribution: 'fixed', value: median }
  return { distribution: 'lognormal', median, sigma, max }
}

/** The name of an input that a simulation may vary. */
export type UncertainInput = (typeof uncertainInputs)[number]['name']
