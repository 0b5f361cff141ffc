import { ageOf } from './age.ts'
import { categories, type Category } from './category.ts'
import { isScored, onOneBasis } from './model-score.ts'
import { minimumTrendAge, monotoneTrend, trendLabel, type TrendLabel } from './monotone-trend.ts'
import { sum } from './order-statistics.ts'
import { roundTo } from './rounding.ts'
import type { CategoryCount, ModelYear } from './vehicle-score.ts'

/** How the score of a model changes from model year to model year. */
export type ScoreTrend = {
  readonly label: TrendLabel
  /**
   * Per cent from the first to the last year on the fitted line, of a start of 10 points or more; null where the
   * label is `insufficient_data`.
   */
  readonly percentage: number | null
}

/**
 * Over the model years that have a score and are old enough: `improving` is a point or more per model year.
 * @param asOf `YYYY-MM-DD`
 */
export function scoreTrend(years: readonly ModelYear[], asOf: string): ScoreTrend {
  const points = trendYears(years, asOf).map(({ year, measure }) => ({ year, value: measure.score }))
  const trend = monotoneTrend(points)
  if (trend === null) return { label: 'insufficient_data', percentage: null }
  // The line may leave the scale where scores are spread widely.
  const onScale = (score: number) => Math.min(99, Math.max(1, score))
  const [first, last] = [onScale(trend.first), onScale(trend.last)]
  return {
    label: trendLabel(trend, pointsPerYear, 'better'),
    percentage: roundTo((100 * (last - first)) / Math.max(smallestStart, first), 1),
  }
}

/**
 * The same for each category: by its complaints per vehicle-year, or, where the exposure is only guessed from
 * crashes, by its share of the complaints of the year.
 */
export function categoryTrends(
  years: readonly ModelYear[],
  counts: readonly CategoryCount[],
  asOf: string,
): Record<Category, TrendLabel> {
  const used = trendYears(years, asOf)
  const complaints = new Map(counts.map((count) => [`${count.year} ${count.category}`, count.complaints]))
  const labels = categories.map((category) => {
    const points = used.map(({ year, complaints: all, measure }) => {
      const whole = measure.basis === 'crash_background' ? all : measure.exposure
      return { year, value: (complaints.get(`${year} ${category}`) ?? 0) / whole }
    })
    const mean = sum(points.map(({ value }) => value)) / points.length
    return [category, trendLabel(monotoneTrend(points), sharePerYear * mean, 'worse')]
  })
  return Object.fromEntries(labels) as Record<Category, TrendLabel>
}

function trendYears(years: readonly ModelYear[], asOf: string): ModelYear[] {
  const measures = onOneBasis(years)
  return years
    .map((year, index) => ({ ...year, measure: measures[index] ?? year.measure }))
    .filter(({ year, measure }) => isScored(measure) && ageOf(year, asOf) >= minimumTrendAge)
}

/**
 * Points that a change is measured against at least. The score has no natural zero: from 1 to 90 is not ninety
 * times as good, and a line that starts below the scale would make any change thousands of percent.
 */
export const smallestStart = 10

/** Smaller changes per model year do not matter. */
const pointsPerYear = 1

/**
 * Of the mean of a category over the years: smaller changes per model year do not matter. A point of score is this
 * share of a rate, around the median and where the spread of rates is 1.
 */
export const sharePerYear = 0.025
