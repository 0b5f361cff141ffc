import type { Category } from '../category.ts'
import { basisOf, modelScore, yearsOnOneBasis } from '../model-score.ts'
import type { TrendLabel } from '../monotone-trend.ts'
import { sum } from '../order-statistics.ts'
import type { ReliabilityFit } from '../reliability-fit.ts'
import { labelOf, type ScoreLabel } from '../score.ts'
import type { ExposureBasis } from '../vehicle-counts.ts'
import type { CategoryCount, Confidence, ModelYear } from '../vehicle-score.ts'
import { categoryTrends, scoreTrend } from '../year-trends.ts'
import { generationsOf, type GenerationYears } from './generations.ts'
import { recommend, type Recommendation } from './recommendation.ts'

export type TrendsInput = {
  /** Keys of make and model, and the names for display. */
  readonly make: string
  readonly model: string
  readonly names: { readonly make: string; readonly model: string }
  /** All model years of the model with their complaints by category and their common issues, in any order. */
  readonly years: readonly ModelYear[]
  readonly categories: readonly CategoryCount[]
  readonly issues: readonly ReportedIssue[]
  readonly fit: ReliabilityFit
}

/** What is used of a common issue; the same id in several years is the same issue. */
export type ReportedIssue = {
  readonly year: number
  readonly id: string
  readonly category: Category
  readonly phrase: string
  readonly reportCount: number
}

/** The body of GET /v1/statistics/{make}/{model}/trends. */
export type ModelTrends = {
  readonly vehicle: { readonly make: string; readonly model: string }
  /** That of every score and comparison below. */
  readonly exposure_basis: ExposureBasis
  readonly yearly_trends: readonly YearlyTrend[]
  readonly generation_analysis: readonly GenerationAnalysis[]
  readonly recommendation: Recommendation
  readonly reliability_trend: TrendLabel
  /** Null where the trend is `insufficient_data`. */
  readonly trend_percentage: number | null
  readonly category_trends: Readonly<Record<Category, TrendLabel>>
}

export type YearlyTrend = {
  readonly year: number
  readonly score: number
  readonly complaints: number
  readonly trend: ScoreLabel
  readonly confidence: Confidence
  readonly exposure_basis: ExposureBasis
}

export type GenerationAnalysis = {
  readonly generation: string
  readonly first_year: number
  readonly last_year: number
  readonly inferred: boolean
  readonly avg_score: number
  readonly confidence: Confidence
  readonly exposure_basis: ExposureBasis
  readonly total_complaints: number
  readonly notable_issues: readonly string[]
}

/** How the model years of a model compare with one another: all on one basis, the best that all of them have. */
export function modelTrends(input: TrendsInput): ModelTrends {
  const { make, model, names, categories, fit } = input
  const years = yearsOnOneBasis(input.years.toSorted((a, b) => a.year - b.year))
  const trend = scoreTrend(years, fit.asOf)
  return {
    ...{ vehicle: names, exposure_basis: basisOf(years) },
    yearly_trends: years.map(yearlyTrend),
    generation_analysis: generationsOf(make, model, years, fit.asOf).map((generation) =>
      generationAnalysis(generation, input),
    ),
    recommendation: recommend(years, categories, fit),
    reliability_trend: trend.label,
    trend_percentage: trend.percentage,
    category_trends: categoryTrends(years, categories, fit.asOf),
  }
}

function yearlyTrend({ year, complaints, measure }: ModelYear): YearlyTrend {
  const { score, confidence, basis } = measure
  return { year, score, complaints, trend: labelOf(score, confidence), confidence, exposure_basis: basis }
}

function generationAnalysis(
  { label, from, to, isInferred, years }: GenerationYears,
  { issues, fit }: TrendsInput,
): GenerationAnalysis {
  const { score, confidence, basis } = modelScore(years, fit)
  const own = new Set(years.map(({ year }) => year))
  return {
    ...{ generation: label, first_year: from, last_year: to, inferred: isInferred },
    ...{ avg_score: score, confidence, exposure_basis: basis },
    total_complaints: sum(years.map(({ complaints }) => complaints)),
    notable_issues: notableIssues(issues.filter(({ year }) => own.has(year))),
  }
}

/** The three most reported. */
function notableIssues(issues: readonly ReportedIssue[]): string[] {
  return [...Map.groupBy(issues, ({ id }) => id).values()]
    .flatMap((same) =>
      same.slice(0, 1).map((issue) => ({ ...issue, reports: sum(same.map((i) => i.reportCount)) })),
    )
    .sort((a, b) => b.reports - a.reports || (a.id < b.id ? -1 : 1))
    .slice(0, 3)
    .map(({ category, phrase, reports }) => `${category}: ${phrase} (${reports} reports)`)
}
