import { ageOf, minimumAge } from '../age.ts'
import type { BasisFit, ReliabilityFit } from '../reliability-fit.ts'
import { ratingOf, scoreOf, unknownScore } from '../score.ts'
import type { ExposureBasis, VehicleCounts } from '../vehicle-counts.ts'
import type { Confidence, Measure } from '../vehicle-score.ts'
import { byCategory, minimumComplaints, noComplaints } from './basis-fit.ts'
import { exposureOf } from './exposure.ts'
import { gammaQuantile } from './gamma.ts'
import { lnRateOf, posterior } from './scale.ts'

/** The interval of a score covers nine tenths. */
export const interval = [0.05, 0.95] as const
export const confidenceWidths = { high: 10, medium: 25 } as const

/** Scores a vehicle on a basis that was fitted. */
export function measureOn(
  vehicle: VehicleCounts,
  basis: ExposureBasis,
  fit: Pick<BasisFit, 'alpha' | 'overall' | 'categories'>,
  asOf: ReliabilityFit['asOf'],
): Measure {
  const { alpha, overall } = fit
  const exposure = exposureOf(vehicle, basis, asOf)
  const lnRate = lnRateOf({ weight: vehicle.weight, exposure }, overall, alpha)
  const known = { basis, exposure, lnRate }
  if (vehicle.complaints < minimumComplaints) return { ...known, ...unknown }
  const { shape, rate } = posterior({ weight: vehicle.weight, exposure }, overall, alpha)
  const [best, worst] = interval.map((share) => Math.log(gammaQuantile(shape, share) / rate))
  const score = scoreOf(lnRate, overall)
  const [scoreLow, scoreHigh] = [scoreOf(worst ?? NaN, overall), scoreOf(best ?? NaN, overall)]
  return {
    ...{ ...known, score, scoreLow, scoreHigh, rating: ratingOf(score) },
    confidence: confidenceOf(basis, scoreHigh - scoreLow, ageOf(vehicle.year, asOf)),
    categoryScores: byCategory((category) => {
      const { weight } = vehicle.categories[category] ?? noComplaints
      const scale = fit.categories[category]
      return scoreOf(lnRateOf({ weight, exposure }, scale, alpha), scale)
    }),
  }
}

/**
 * By the width of the interval. Low at best where the exposure itself is a guess, and for vehicles so young that
 * their complaints are still on the way.
 */
function confidenceOf(basis: ExposureBasis, width: number, age: number): Confidence {
  if (basis === 'crash_background' || age < minimumAge) return 'low'
  if (width <= confidenceWidths.high) return 'high'
  return width <= confidenceWidths.medium ? 'medium' : 'low'
}

const unknown = {
  ...{ score: unknownScore, scoreLow: 1, scoreHigh: 99, rating: ratingOf(unknownScore) },
  confidence: 'insufficient_data' as const,
  categoryScores: byCategory(() => unknownScore),
}
