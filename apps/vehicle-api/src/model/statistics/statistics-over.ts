import { minimumCosts } from '../average-cost.ts'
import { categories, type Category } from '../category.ts'
import { modelScore } from '../model-score.ts'
import { minimumTrendYears, type TrendLabel } from '../monotone-trend.ts'
import { sum } from '../order-statistics.ts'
import type { ReliabilityFit } from '../reliability-fit.ts'
import { percentageOf, roundTo } from '../rounding.ts'
import type { ExposureBasis } from '../vehicle-counts.ts'
import type { CategoryCount, Confidence, ModelYear } from '../vehicle-score.ts'
import { categoryTrends, scoreTrend } from '../year-trends.ts'
import { minimumMileages, type MileageAnalysis } from './mileage-analysis.ts'
import type { PeriodAnalysis } from './periods.ts'
import type { RepairCostAnalysis } from './repair-cost-analysis.ts'

export type StatisticsInput = {
  /** Names for display. */
  readonly vehicle: { readonly make: string; readonly model: string }
  /** Model years of the model and their categories; those outside the period are left out here. */
  readonly years: readonly ModelYear[]
  readonly categories: readonly CategoryCount[]
  /** Mileages and costs of the period: see analysePeriods. */
  readonly known: Pick<PeriodAnalysis, 'mileage' | 'cost'>
  readonly from: number
  readonly to: number
  readonly fit: ReliabilityFit
}

/** The body of GET /v1/statistics/{make}/{model}. */
export type ModelStatistics = {
  readonly vehicle: { readonly make: string; readonly model: string }
  readonly period: { readonly from: number; readonly to: number }
  readonly overall_score: number
  readonly reliability_rating: number
  readonly confidence: Confidence
  readonly exposure_basis: ExposureBasis
  readonly total_complaints: number
  /** Per model year that is known. */
  readonly average_complaints_per_year: number
  readonly reliability_trend: TrendLabel
  /** Null where the trend is `insufficient_data`. */
  readonly trend_percentage: number | null
  /** All ten categories. */
  readonly category_breakdown: Readonly<Record<Category, CategoryShare>>
  readonly mileage_analysis: MileageAnalysis
  readonly repair_cost_analysis: RepairCostAnalysis
  /** Sentences: why something is null, insufficient or estimated. */
  readonly notes: readonly string[]
}

export type CategoryShare = {
  readonly count: number
  readonly percentage: number
  readonly trend: TrendLabel
}

/** Statistics of a model over its model years `from` to `to`. */
export function statisticsOver(input: StatisticsInput): ModelStatistics {
  const { vehicle, known, from, to, fit } = input
  const isInPeriod = ({ year }: { year: number }) => year >= from && year <= to
  const years = input.years.filter(isInPeriod)
  const rows = input.categories.filter(isInPeriod)
  const overall = modelScore(years, fit)
  const trend = scoreTrend(years, fit.asOf)
  const complaints = sum(years.map((year) => year.complaints))
  const body = {
    ...{ vehicle, period: { from, to } },
    ...{ overall_score: overall.score, reliability_rating: overall.rating },
    ...{ confidence: overall.confidence, exposure_basis: overall.basis },
    total_complaints: complaints,
    average_complaints_per_year: years.length === 0 ? 0 : roundTo(complaints / years.length, 1),
    reliability_trend: trend.label,
    trend_percentage: trend.percentage,
    category_breakdown: breakdown(rows, complaints, categoryTrends(years, rows, fit.asOf)),
    mileage_analysis: known.mileage,
    repair_cost_analysis: known.cost,
  }
  return { ...body, notes: notesOn(body) }
}

function breakdown(
  rows: readonly CategoryCount[],
  complaints: number,
  trends: Record<Category, TrendLabel>,
): Record<Category, CategoryShare> {
  const shares = categories.map((category) => {
    const count = sum(rows.map((row) => (row.category === category ? row.complaints : 0)))
    return [category, { count, percentage: percentageOf(count, complaints), trend: trends[category] }]
  })
  return Object.fromEntries(shares) as Record<Category, CategoryShare>
}

function notesOn(body: Omit<ModelStatistics, 'notes'>): string[] {
  const { mileage_analysis: mileage, repair_cost_analysis: cost } = body
  const notes: readonly (readonly [boolean, string])[] = [
    [
      body.confidence === 'insufficient_data',
      'No model year of the period has enough complaints for a score: overall_score is that of the median vehicle.',
    ],
    [
      body.exposure_basis === 'crash_background',
      'How many of these vehicles are on the road is guessed from how many complaints tell of crashes: read the scores with care.',
    ],
    [
      body.reliability_trend === 'insufficient_data',
      `A trend needs ${minimumTrendYears} model years with a score that are 2 years old or more.`,
    ],
    [mileage.n === 0, 'No complaint of the period gives a mileage.'],
    [
      mileage.most_problematic_range === null && mileage.n > 0,
      `most_problematic_range needs ${minimumMileages} complaints with a mileage; there are ${mileage.n}.`,
    ],
    [
      cost.n < minimumCosts,
      `Fewer than ${minimumCosts} complaints of the period name a repair cost: ${
        cost.estimated
          ? 'average and median are those of the same categories over all vehicles.'
          : 'nothing is known about costs.'
      }`,
    ],
  ]
  return notes.flatMap(([applies, note]) => (applies ? [note] : []))
}
