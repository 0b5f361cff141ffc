import { sum } from './order-statistics.ts'
import type { BasisFit, ReliabilityFit } from './reliability-fit.ts'
import { ratingOf, scoreOf, unknownScore } from './score.ts'
import type { ExposureBasis } from './vehicle-counts.ts'
import type { Confidence, Measure, ModelYear } from './vehicle-score.ts'

/** What stands for a model, or for some of its years. */
export type ModelScore = Pick<Measure, 'basis' | 'score' | 'rating' | 'confidence'>

/**
 * The score of several years of a model: of the mean of ln rate, weighted by exposure, over the years that have a
 * score. Its confidence is the one that at least half of the exposure has.
 */
export function modelScore(years: readonly Scored[], fit: ReliabilityFit): ModelScore {
  const scored = onOneBasis(years).filter(isScored)
  const basis = basisOf(years)
  if (scored.length === 0) {
    return { basis, score: unknownScore, rating: ratingOf(unknownScore), confidence: 'insufficient_data' }
  }
  const exposure = sum(scored.map((year) => year.exposure))
  const lnRate = sum(scored.map((year) => year.exposure * year.lnRate)) / exposure
  const score = scoreOf(lnRate, basisFit(fit, basis).overall)
  return { basis, score, rating: ratingOf(score), confidence: commonConfidence(scored, exposure / 2) }
}

/**
 * Measures that may be compared: on the basis that all vehicles with a score share, or all on the one that every
 * vehicle has.
 */
export function onOneBasis(vehicles: readonly Scored[]): Measure[] {
  const bases = new Set(
    vehicles
      .map(({ measure }) => measure)
      .filter(isScored)
      .map(({ basis }) => basis),
  )
  return vehicles.map(({ measure, background }) => (bases.size <= 1 ? measure : (background ?? measure)))
}

/**
 * The same model years with those measures alone, so that whatever is made of them rests on one basis. Of a year
 * without a score, whose measure says nothing on any basis, the basis is named that the others have.
 */
export function yearsOnOneBasis(years: readonly ModelYear[]): ModelYear[] {
  const measures = onOneBasis(years)
  const basis = basisOf(years)
  return years.map((year, index) => ({
    ...year,
    measure: { ...(measures[index] ?? year.measure), basis },
    background: null,
  }))
}

/** The basis of those measures. */
export function basisOf(vehicles: readonly Scored[]): ExposureBasis {
  const measures = onOneBasis(vehicles)
  return (measures.find(isScored) ?? measures[0])?.basis ?? 'crash_background'
}

/** Whether there are complaints enough for a score. */
export function isScored({ confidence }: Pick<Measure, 'confidence'>): boolean {
  return confidence !== 'insufficient_data'
}

/** What was fitted on a basis that vehicles have been scored on. */
export function basisFit(fit: ReliabilityFit, basis: ExposureBasis): BasisFit {
  return fit.bases[basis] ?? fit.bases.crash_background
}

/** What is needed of a vehicle. */
export type Scored = Pick<ModelYear, 'measure' | 'background'>

function commonConfidence(years: readonly Measure[], half: number): Confidence {
  let exposure = 0
  return (
    (['high', 'medium'] as const).find((confidence) => {
      exposure += sum(years.filter((year) => year.confidence === confidence).map((year) => year.exposure))
      return exposure >= half
    }) ?? 'low'
  )
}
