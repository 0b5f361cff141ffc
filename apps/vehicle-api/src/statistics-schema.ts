import { record } from '@hearth/chassis/endpoint'
import { categories } from './model/category.ts'
import { trendLabels } from './model/monotone-trend.ts'
import { scoreLabels } from './model/score.ts'
import { exposureBases } from './model/vehicle-counts.ts'
import { sharePerYear } from './model/year-trends.ts'
import * as schema from './vehicle-schema.ts'

const trendSchema = schema.choice(
  trendLabels,
  'Of the scores from model year to model year: a slope of at least one point a year that is not chance (Mann-Kendall), else stable.',
)
const categoryTrend = `From model year to model year, of complaints per vehicle-year where the trend rests on sales, registrations or crash_involvement, and of the share of the year's complaints where it rests on crash_background, the usual basis without sales. improving: a fall of at least ${100 * sharePerYear} % of the mean a year that is not chance (Mann-Kendall); worsening: such a rise; else stable. The basis is exposure_basis of this answer.`
const trendPercentage = schema
  .number(
    'Change of the fitted score from the first to the last model year, in percent of the first, which counts as 10 points at least: from -99 to 980; null without a trend.',
  )
  .allow(null)
const shareOrNull = (of: string) => schema.percentage(of).allow(null)
const milesOrNull = (description: string) => schema.integer(`${description}, in miles.`).allow(null)
const dollarsOrNull = (description: string) => schema.number(`${description}, in US dollars.`).allow(null)

/** The answer of GET /v1/statistics/{make}/{model}. */
export const statisticsSchema = record({
  vehicle: schema.vehicleSchema,
  period: record({
    from: schema.integer('First model year of the period.'),
    to: schema.integer('Last model year of the period.'),
  }),
  overall_score: schema.scoreSchema,
  reliability_rating: schema.ratingSchema,
  ...schema.trustFields,
  total_complaints: schema.integer('Complaints about model years of the period.'),
  average_complaints_per_year: schema.number('Complaints per model year of the period that is in the data.'),
  reliability_trend: trendSchema,
  trend_percentage: trendPercentage,
  category_breakdown: schema.byCategory(
    record({
      count: schema.integer('Complaints.'),
      percentage: schema.percentage('the complaints of the period'),
      trend: schema.choice(trendLabels, categoryTrend),
    }),
  ),
  mileage_analysis: record({
    avg_failure_mileage: milesOrNull('Mean mileage at failure'),
    median_failure_mileage: milesOrNull('Median mileage at failure'),
    most_problematic_range: schema
      .text('The 20,000 miles with the most complaints, as low-high; null with fewer than 10 known mileages.')
      .allow(null),
    n: schema.integer('Complaints whose mileage is known.'),
  }),
  repair_cost_analysis: record({
    avg_repair_cost: dollarsOrNull('Mean cost of a repair'),
    median_repair_cost: dollarsOrNull('Median cost of a repair'),
    expensive_repairs_percentage: shareOrNull('the known costs that is 1,000 US dollars or more'),
    estimated: schema.flag('The mean is that of the categories over all vehicles, for lack of own costs.'),
    n: schema.integer('Complaints whose repair cost is known.'),
  }),
  notes: schema.notesSchema,
})

const yearlyTrend = record({
  year: schema.integer('Model year.'),
  score: schema.scoreSchema,
  complaints: schema.integer('Complaints.'),
  trend: schema.choice(
    scoreLabels,
    'Fifth of the scale: excellent from 80 on, good 60, average 40, below_average 20, poor below.',
  ),
  ...schema.trustFields,
})

const generationSchema = record({
  generation: schema.text('Name with its span of years.'),
  first_year: schema.integer(
    'First model year of the generation, be there data about it or not; of an inferred one, the first with data.',
  ),
  last_year: schema.integer(
    'Last model year of the generation, be there data about it or not; of one that is still sold, and of an inferred one, the last with data.',
  ),
  inferred: schema.flag('The span was inferred from a break in the rate of complaints; no list names it.'),
  avg_score: schema.scoreSchema,
  ...schema.trustFields,
  total_complaints: schema.integer('Complaints.'),
  notable_issues: schema.list(schema.text('Issue.'), 'What owners report most.'),
})

/** The answer of GET /v1/statistics/{make}/{model}/trends. */
export const trendsSchema = record({
  vehicle: schema.vehicleSchema,
  exposure_basis: schema.choice(
    exposureBases,
    'What every score and comparison of this answer rests on: the best that all model years with enough complaints have.',
  ),
  yearly_trends: schema.list(yearlyTrend, 'By model year, ascending.'),
  generation_analysis: schema.list(
    generationSchema,
    'By first model year. Model years that no list names a generation of, and whose rates show no break, are in none.',
  ),
  recommendation: record({
    best_years: schema.list(
      schema.integer('Model year.'),
      'Model years to prefer: a score of 60 or more, in the top third of the model, that can be relied on.',
    ),
    years_to_avoid: schema.list(
      schema.integer('Model year.'),
      'Model years to avoid: a score under 40 and 10 points under the median of the model, or an open recall that says not to drive.',
    ),
    reasoning: schema.text('Why, and which years were left out though they score as well.'),
  }),
  reliability_trend: trendSchema,
  trend_percentage: trendPercentage,
  category_trends: schema.byCategory(schema.choice(trendLabels, 'As in category_breakdown.')),
})

const categoryScores = record({
  overall: schema.scoreSchema,
  ...Object.fromEntries(categories.map((category) => [category, schema.scoreSchema.optional()])),
}).description('The overall score, and the same scale within each category asked for.')

const path = (description: string) =>
  schema.text(`${description}, as make/model/year; null when unknown.`).allow(null)

/** The answer of GET /v1/statistics/compare. */
export const comparisonSchema = record({
  comparison: schema.list(
    record({
      vehicle: schema.vehicleYearSchema,
      reliability_score: schema.scoreSchema,
      ...schema.trustFields,
      total_complaints: schema.integer('Complaints.'),
      rank: schema.integer(
        '1 for the highest score; equal scores share a rank, and vehicles without enough complaints come last.',
      ),
      strengths: schema.list(
        schema.text('Strength.'),
        'Up to three categories in which it does well, compared with the reference vehicles (all of 1.5 years and 5 complaints or more, on the same basis) and with the others. A share is that of the reference vehicles that score less in the category, rounded down.',
      ),
      weaknesses: schema.list(
        schema.text('Weakness.'),
        'Up to three categories with 3 complaints or more in which it does badly, after an open recall that says not to drive it. A share is that of the reference vehicles that score more, rounded down.',
      ),
      category_scores: categoryScores,
    }),
    'One entry per vehicle, in the order in which they were named.',
  ),
  recommendation: record({
    best_overall: path(
      'The vehicle with the highest score; one that an open recall says not to drive only where it says so of all',
    ),
    best_value: path('The one with the best score for its repair costs, with the same exception'),
    most_fun_to_drive: path('The one with the liveliest dynamics, by a heuristic, with the same exception'),
    summary: schema.text(
      'Why, which vehicles must not be driven, and what the choice could not be based on.',
    ),
  }),
})
