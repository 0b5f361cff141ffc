import type { Category } from './category.ts'
import type { ExposureBasis } from './vehicle-counts.ts'

/** The score of a model year, and the one for comparisons with vehicles that lack its better basis. */
export type VehicleScore = Measure & {
  readonly make: string
  readonly model: string
  readonly year: number
  /** The same on the basis that every vehicle has; null where that is the basis already. */
  readonly background: Measure | null
}

/** A score on one basis. */
export type Measure = {
  readonly basis: ExposureBasis
  /** Thousand vehicle-years, > 0. */
  readonly exposure: number
  /** Natural logarithm of the shrunk rate of weighted complaints per thousand vehicle-years. */
  readonly lnRate: number
  /** 1 to 99 with one decimal, higher is better, 50 the median vehicle; 50 where data are insufficient. */
  readonly score: number
  /** Where the score lies with 90 % probability; 1 and 99 where data are insufficient. */
  readonly scoreLow: number
  readonly scoreHigh: number
  /** 0.0 to 5.0: the score divided by 20. */
  readonly rating: number
  readonly confidence: Confidence
  /** The same scale within each category. */
  readonly categoryScores: Readonly<Record<Category, number>>
}

/** How narrow the interval is: `high` 10 points or less, `medium` 25; `insufficient_data` under 5 complaints. */
export type Confidence = 'high' | 'medium' | 'low' | 'insufficient_data'

/** A model year as the statistics need it. */
export type ModelYear = {
  readonly year: number
  readonly complaints: number
  readonly doNotDrive: boolean
  readonly measure: Measure
  readonly background: Measure | null
}

/** Complaints of a model year in one category. */
export type CategoryCount = {
  readonly year: number
  readonly category: Category
  readonly complaints: number
}
