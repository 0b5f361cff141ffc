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

/**
 * The best of the compared vehicles in three respects, and what they were chosen by. One that an open recall says not
 * to drive is none of them while there is another one, whatever its score.
 */
export function recommendVehicles(all: readonly Contender[]): VehicleRecommendation {
  const scored = all.filter(({ isScored }) => isScored)
  const hasCosts = scored.every(({ avgRepairCost }) => avgRepairCost !== null)
  const drivable = drivableOf(all)
  const winner = drivable.filter(({ isScored }) => isScored).toSorted(byMerit)[0]
  const values = valuesOf(scored, hasCosts).map((value, at) => only(drivable, scored[at], value))
  const fun = all.map((one) => only(drivable, one, drivingIndex(one.dynamics)))
  const best = {
    best_overall: nameOf(winner),
    best_value: nameOf(scored[largest(values)]),
    most_fun_to_drive: nameOf(all[largest(fun)]),
  }
  return { ...best, summary: summaryOf({ all, scored, drivable, winner, best, hasCosts }) }
}

/** Those that no open recall says not to drive; all where it says so of all. */
function drivableOf(all: readonly Contender[]): readonly Contender[] {
  const drivable = all.filter(({ doNotDrive }) => !doNotDrive)
  return drivable.length === 0 ? all : drivable
}

/** The value where the vehicle is among those, else null. */
function only(those: readonly Contender[], one: Contender | undefined, value: number | null): number | null {
  return one !== undefined && those.includes(one) ? value : null
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

function summaryOf({ all, scored, drivable, winner, best, hasCosts }: Reasons): string {
  const unscored = all.filter(({ isScored }) => !isScored).map(nameOf)
  const hasUnknownBodies = drivable.some(({ dynamics }) => drivingIndex(dynamics) === null)
  const sentences = [
    winnerSentence(scored, winner),
    recallSentence(all),
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

function winnerSentence(scored: readonly Contender[], winner: Contender | undefined): string {
  if (scored.length === 0) return 'None of the vehicles has enough complaints for a score.'
  if (winner === undefined)
    return 'None of the vehicles without a recall that says not to drive has enough complaints for a score.'
  const isBeaten = scored.some(({ measure }) => measure.score > winner.measure.score)
  const whose = isBeaten ? ' of those without a recall that says not to drive' : ''
  return `${nameOf(winner)} has the highest reliability score${whose}, ${winner.measure.score.toFixed(1)} of 100.`
}

/** Said whenever there is such a recall. */
function recallSentence(all: readonly Contender[]): string | false {
  const stopped = all.filter(({ doNotDrive }) => doNotDrive).map(nameOf)
  if (stopped.length === 0) return false
  return stopped.length === all.length
    ? 'Open recalls say not to drive any of them: none may be driven before it is repaired.'
    : `An open recall says not to drive ${stopped.join(', ')}: not recommended, whatever the score.`
}

type Reasons = {
  readonly all: readonly Contender[]
  readonly scored: readonly Contender[]
  readonly drivable: readonly Contender[]
  readonly winner: Contender | undefined
  readonly best: Omit<VehicleRecommendation, 'summary'>
  readonly hasCosts: boolean
}
