import type { Category } from './category.ts'
import type { ExposureBasis } from './vehicle-counts.ts'

/** Every constant that a score follows from; stored with the data and shown as the methodology. */
export type ReliabilityFit = {
  readonly method: 'rel-1'
  /** Date of the newest complaint, `YYYY-MM-DD`: the day that ages are counted to. */
  readonly asOf: string
  /** Crash or injury complaints per thousand vehicle-years: makes counts of them comparable with exposure. */
  readonly kappa: number
  /** Added to the count of crash or injury complaints, so that a vehicle without any has an exposure too. */
  readonly crashOffset: number
  /** The longest age in years that counts as exposure. */
  readonly maximumAge: number
  /** What a vehicle of the reference population has at least: years of age, complaints. */
  readonly minimumAge: number
  readonly minimumComplaints: number
  /** What a population has at least for alpha and sigma to be fitted, and for a better basis to be used. */
  readonly minimumPopulation: number
  /** The interval of a score: quantiles of its gamma distribution. */
  readonly interval: readonly [number, number]
  /** Widest interval of each confidence, in points. */
  readonly confidenceWidths: { readonly high: number; readonly medium: number }
  /** The weight of a complaint is the largest system weight of its categories times its severity weight. */
  readonly systemWeights: Readonly<Record<Category, number>>
  /** Severity weights of complaints that tell of nothing, of just this, of everything. */
  readonly severityWeights: Readonly<Record<'none' | 'crash' | 'fire' | 'injury' | 'death' | 'all', number>>
  readonly bases: Readonly<Partial<Record<ExposureBasis, BasisFit>>> & { readonly crash_background: BasisFit }
}

/** What was fitted to the reference population of a basis. */
export type BasisFit = {
  /** Vehicles of the reference population. */
  readonly vehicles: number
  readonly complaints: number
  /** Thousand vehicle-years. */
  readonly exposure: number
  /** Shape of the gamma distribution of rates: the smaller, the more vehicles differ. */
  readonly alpha: number
  /** Whether alpha was fitted; otherwise it is the published default. */
  readonly alphaFitted: boolean
  readonly overall: RateScale
  readonly categories: Readonly<Record<Category, RateScale>>
}

/** What a rate is measured against. */
export type RateScale = {
  /** Complaints per thousand vehicle-years in the whole population. */
  readonly mu: number
  /** Mean weight of a complaint. */
  readonly meanWeight: number
  /** Median of ln rate, and 1.4826 times its median absolute deviation, or what stands in for it: see scale.ts. */
  readonly median: number
  readonly sigma: number
  /**
   * Scores of the reference population at each per cent of it, ascending: see score-shares.ts. Undefined in data that
   * were imported before they were stored.
   */
  readonly scorePercentiles?: readonly number[]
}
