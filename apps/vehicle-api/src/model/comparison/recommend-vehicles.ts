import { sum } from '../order-statistics.ts'
import type { Contender } from './compare-vehicles.ts'
import { drivingIndex } from './driving.ts'

/** Vehicles as `make/model/year`; null where nothing is known to choose by. */
export type VehicleRecommendation = {
  readonly best_overall: string | null
  readonly best_value: string | null
  readonly most_fun_to_drive: string | null
  readonly summary: string
}

/** The best of the compared vehicles in three respects, and what they were chosen by. */
export function recommendVehicles(all: readonly Contender[]): VehicleRecommendation {
  const scored = all.filter(({ isScored }) => isScored)
  const hasCosts = scored.every(({ avgRepairCost }) => avgRepairCost !== null)
  const values = valuesOf(scored, hasCosts)
  const fun = all.map(({ dynamics }) => drivingIndex(dynamics))
  const best = {
    best_overall: nameOf(scored.toSorted(byMerit)[0]),
    best_value: nameOf(scored[largest(values)]),
    most_fun_to_drive: nameOf(all[largest(fun)]),
  }
  return { ...best, summary: summaryOf(all, scored, best, hasCosts, fun.includes(null)) }
}

/** Higher score, then fewer recalls, then more stars, then the order asked in. */
function byMerit(a: Contender, b: Contender): number {
  return b.measure.score - a.measure.score || a.recalls - b.recalls || (b.stars ?? 0) - (a.stars ?? 0)
}

/**
 * z(score) - 0.5 * z(rate of complaints * cost of a repair), z being standard scores among those compared; the
 * second term only where the cost is known for all.
 */
function valuesOf(scored: readonly Contender[], hasCosts: boolean): number[] {
  const quality = standardised(scored.map(({ measure }) => measure.score))
  const costs = standardised(
    scored.map(({ measure, avgRepairCost }) => Math.exp(measure.lnRate) * (avgRepairCost ?? 0)),
  )
  return quality.map((z, index) => z - (hasCosts ? 0.5 * (costs[index] ?? 0) : 0))
}

/** Each value's distance from the mean in standard deviations; 0 where all are alike. */
function standardised(values: readonly number[]): number[] {
  const mean = sum(values) / values.length
  const deviation = Math.sqrt(sum(values.map((value) => (value - mean) * (value - mean))) / values.length)
  return values.map((value) => (deviation > 0 ? (value - mean) / deviation : 0))
}

/** Index of the largest number, the first of several; -1 where all are null. */
function largest(values: readonly (number | null)[]): number {
  return values.reduce<number>((best, value, index) => {
    return value !== null && value > (values[best] ?? -Infinity) ? index : best
  }, -1)
}

function nameOf(contender: Contender | undefined): string | null {
  if (contender === undefined) return null
  const { make, model, year } = contender.vehicle
  return `${make}/${model}/${year}`
}

function summaryOf(
  all: readonly Contender[],
  scored: readonly Contender[],
  best: Omit<VehicleRecommendation, 'summary'>,
  hasCosts: boolean,
  hasUnknownBodies: boolean,
): string {
  const winner = scored.toSorted(byMerit)[0]
  const unscored = all.filter(({ isScored }) => !isScored).map(nameOf)
  const sentences = [
    winner === undefined
      ? 'None of the vehicles has enough complaints for a score.'
      : `${nameOf(winner)} has the highest reliability score, ${winner.measure.score.toFixed(1)} of 100.`,
    winner !== undefined &&
      `Value weighs the score ${hasCosts ? 'against the expected cost of repairs' : 'alone, since repair costs are not known for all'}; prices and fuel costs are not in the data.`,
    best.most_fun_to_drive === null
      ? 'Nothing is known of how they drive.'
      : `Fun to drive is a rough guess from body class, stability and driven wheels, without engine data${hasUnknownBodies ? '; vehicles of unknown body class are left out' : ''}.`,
    unscored.length > 0 && winner !== undefined && `Too few complaints for a score: ${unscored.join(', ')}.`,
    all.some(({ measure }) => measure.basis === 'crash_background') &&
      'Scores rest on an exposure that is guessed from reported crashes: confidence is low.',
  ]
  return sentences.filter((sentence) => sentence !== false).join(' ')
}
