import { categories, type Category } from '../category.ts'
import type { BasisFit, RateScale, ReliabilityFit } from '../reliability-fit.ts'
import { ratingOf, scoreOf } from '../score.ts'
import type { Measure, ModelYear } from '../vehicle-score.ts'

const scale: RateScale = { mu: 0.5, meanWeight: 1, median: 0, sigma: 1 }

const basis: BasisFit = {
  ...{ vehicles: 100, complaints: 5_000, exposure: 10_000, alpha: 1.3, alphaFitted: true, overall: scale },
  categories: byCategory({ ...scale, mu: 0.05 }),
}

/** A fit on which the median vehicle has ln rate 0 and one sigma is 1; mu is 0.05 in every category. */
export const fit: ReliabilityFit = {
  ...{ method: 'rel-1', asOf: '2025-01-01', kappa: 0.0169, crashOffset: 2, maximumAge: 12 },
  ...{ minimumAge: 1.5, minimumComplaints: 5, minimumPopulation: 10, interval: [0.05, 0.95] },
  confidenceWidths: { high: 10, medium: 25 },
  systemWeights: byCategory(1),
  severityWeights: { none: 1, crash: 2, fire: 2.5, injury: 2.5, death: 4, all: 8 },
  bases: { sales: basis, crash_background: basis },
}

/** A score on that fit; by default that of the median vehicle with 100,000 vehicle-years. */
export function measure(given: Partial<Measure> = {}): Measure {
  const lnRate = given.lnRate ?? 0
  const score = given.confidence === 'insufficient_data' ? 50 : scoreOf(lnRate, scale)
  return {
    ...{ basis: 'sales', exposure: 100, lnRate, score, scoreLow: score - 2, scoreHigh: score + 2 },
    ...{ rating: ratingOf(score), confidence: 'high', categoryScores: byCategory(score) },
    ...given,
  }
}

/** A model year with 100 complaints and that score. */
export function modelYear(
  year: number,
  given: Partial<Measure> & Partial<Pick<ModelYear, 'complaints' | 'doNotDrive' | 'background'>> = {},
): ModelYear {
  const { complaints = 100, doNotDrive = false, background = null, ...rest } = given
  return { year, complaints, doNotDrive, measure: measure(rest), background }
}

export const unscored = { confidence: 'insufficient_data', complaints: 3 } as const

export function byCategory<T>(value: T): Record<Category, T> {
  return Object.fromEntries(categories.map((category) => [category, value])) as Record<Category, T>
}
