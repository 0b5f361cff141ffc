import { categories, type Category } from '../category.ts'
import { basisFit, basisOf, isScored, onOneBasis } from '../model-score.ts'
import type { ReliabilityFit } from '../reliability-fit.ts'
import type { ExposureBasis } from '../vehicle-counts.ts'
import type { Confidence, Measure } from '../vehicle-score.ts'
import type { Dynamics } from './driving.ts'
import { recommendVehicles, type VehicleRecommendation } from './recommend-vehicles.ts'
import { strengthsOf, weaknessesOf } from './strengths.ts'

/** What is compared of a vehicle. */
export type ComparedVehicle = {
  /** Slugs, as in the path `make/model/year`. */
  readonly vehicle: { readonly make: string; readonly model: string; readonly year: number }
  readonly complaints: number
  /** Of each category that has some. */
  readonly categoryComplaints: Readonly<Partial<Record<Category, number>>>
  readonly recalls: number
  /** Whether an open recall says not to drive it. */
  readonly doNotDrive: boolean
  /** Overall stars of the crash tests, mean over variants. */
  readonly stars: number | null
  readonly measure: Measure
  readonly background: Measure | null
  /** US dollars of a repair, own or estimated. */
  readonly avgRepairCost: number | null
  readonly dynamics: Dynamics
}

/** The body of GET /v1/statistics/compare. */
export type Comparison = {
  readonly comparison: readonly ComparisonEntry[]
  readonly recommendation: VehicleRecommendation
}

export type ComparisonEntry = {
  readonly vehicle: ComparedVehicle['vehicle']
  readonly reliability_score: number
  readonly confidence: Confidence
  /** The same for all vehicles that have a score. */
  readonly exposure_basis: ExposureBasis
  readonly total_complaints: number
  /** 1 is best; vehicles of equal score share a rank, those without enough complaints for a score come last. */
  readonly rank: number
  readonly strengths: readonly string[]
  readonly weaknesses: readonly string[]
  /** `overall` and the categories asked for. */
  readonly category_scores: Readonly<Partial<Record<Category, number>>> & { readonly overall: number }
}

/** A vehicle with the measure that it is compared by. */
export type Contender = ComparedVehicle & { readonly rank: number; readonly isScored: boolean }

/**
 * Ranks vehicles, on the basis of exposure that all of them share.
 * @param vehicles at least one
 * @param fit what their scores follow from
 * @param only categories to look at
 */
export function compareVehicles(
  vehicles: readonly ComparedVehicle[],
  fit: ReliabilityFit,
  only: readonly Category[] = categories,
): Comparison {
  const contenders = ranked(vehicles)
  const own = basisFit(fit, basisOf(vehicles))
  return {
    comparison: contenders.map((contender) => ({
      vehicle: contender.vehicle,
      reliability_score: contender.measure.score,
      confidence: contender.measure.confidence,
      exposure_basis: contender.measure.basis,
      total_complaints: contender.complaints,
      rank: contender.rank,
      strengths: strengthsOf(contender, contenders, only, own),
      weaknesses: weaknessesOf(contender, contenders, only, own),
      category_scores: categoryScores(contender.measure, only),
    })),
    recommendation: recommendVehicles(contenders),
  }
}

function ranked(vehicles: readonly ComparedVehicle[]): Contender[] {
  const measures = onOneBasis(vehicles)
  const unranked = vehicles.map((vehicle, index) => {
    const measure = measures[index] ?? vehicle.measure
    return { ...vehicle, measure, isScored: isScored(measure) }
  })
  const merit = ({ measure }: { measure: Measure }) => (isScored(measure) ? measure.score : 0)
  return unranked.map((vehicle) => ({
    ...vehicle,
    rank: 1 + unranked.filter((other) => merit(other) > merit(vehicle)).length,
  }))
}

function categoryScores(measure: Measure, only: readonly Category[]): ComparisonEntry['category_scores'] {
  const scores = only.map((category) => [category, measure.categoryScores[category]] as const)
  return { overall: measure.score, ...(Object.fromEntries(scores) as Partial<Record<Category, number>>) }
}
