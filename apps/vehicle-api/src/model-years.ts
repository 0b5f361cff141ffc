import { executePrepared } from '@hearth/chassis/prepared'
import { sql, type Kysely } from 'kysely'
import type { Model } from './catalogue.ts'
import { categories, type Category } from './model/category.ts'
import { nothingKnown, type PeriodAnalysis } from './model/statistics/periods.ts'
import type { ExposureBasis } from './model/vehicle-counts.ts'
import type { CategoryCount, Confidence, Measure, ModelYear } from './model/vehicle-score.ts'
import type { ServedTables } from './served-version.ts'

/** A model year with what comparisons need besides. */
export type ModelYearFigures = ModelYear & {
  readonly recalls: number
  /** Overall stars of the crash tests, mean over variants. */
  readonly stars: number | null
}

/** The columns of the table `model_year` that scores are read from. */
export const figureColumns = sql`
  year, complaints, recalls, do_not_drive, overall_stars, exposure_basis, exposure, ln_rate, score, score_low,
  score_high, rating, confidence, category_scores, background`

/** Model years of a period, ascending, and their complaints by category. */
export async function readModelYears(
  db: Kysely<unknown>,
  tables: Pick<ServedTables, 'model_year'>,
  { make, key }: Model,
  { from, to }: Period,
): Promise<{ readonly years: ModelYear[]; readonly categories: CategoryCount[] }> {
  const { rows } = await executePrepared(
    db,
    sql<FiguresRow & { readonly category_counts: CategoryCounts }>`
    select ${figureColumns}, category_counts
    from ${tables.model_year}
    where make = ${make.key} and model = ${key} and year between ${from} and ${to}
    order by year`,
  )
  return {
    years: rows.map(figuresOf),
    categories: rows.flatMap(({ year, category_counts: counts }) =>
      categories.flatMap((category) => {
        const complaints = counts[category]
        return complaints === undefined ? [] : [{ year, category, complaints }]
      }),
    ),
  }
}

/** Model years, the first and the last one included. */
export type Period = { readonly from: number; readonly to: number }

type CategoryCounts = Readonly<Partial<Record<Category, number>>>

/** Mileages and repair costs of a period, which the import has worked out for every span of model years. */
export async function readPeriod(
  db: Kysely<unknown>,
  { period }: Pick<ServedTables, 'period'>,
  { make, key }: Model,
  { from, to }: Period,
): Promise<Pick<PeriodAnalysis, 'mileage' | 'cost'>> {
  // The widest span within the period: the first in the order of the index.
  const { rows } = await executePrepared(
    db,
    sql<PeriodRow>`
    select mileages, avg_mileage, median_mileage, busiest_mileages, costs, avg_cost, median_cost, expensive_costs,
      cost_estimated
    from ${period}
    where make = ${make.key} and model = ${key} and year_from between ${from} and ${to} and year_to <= ${to}
    order by year_from, year_to desc limit 1`,
  )
  const [row] = rows
  return row === undefined ? nothingKnown : periodOf(row)
}

function periodOf(row: PeriodRow): Pick<PeriodAnalysis, 'mileage' | 'cost'> {
  return {
    mileage: {
      avg_failure_mileage: row.avg_mileage,
      median_failure_mileage: row.median_mileage,
      most_problematic_range: row.busiest_mileages,
      n: row.mileages,
    },
    cost: {
      avg_repair_cost: row.avg_cost,
      median_repair_cost: row.median_cost,
      expensive_repairs_percentage: row.expensive_costs,
      estimated: row.cost_estimated,
      n: row.costs,
    },
  }
}

type PeriodRow = {
  readonly mileages: number
  readonly avg_mileage: number | null
  readonly median_mileage: number | null
  readonly busiest_mileages: string | null
  readonly costs: number
  readonly avg_cost: number | null
  readonly median_cost: number | null
  readonly expensive_costs: number | null
  readonly cost_estimated: boolean
}

/** A row of {@link figureColumns}. */
export function figuresOf(row: FiguresRow): ModelYearFigures {
  return {
    year: row.year,
    complaints: row.complaints,
    doNotDrive: row.do_not_drive,
    measure: measureOf(row),
    background: row.background,
    recalls: row.recalls,
    stars: row.overall_stars,
  }
}

function measureOf(row: FiguresRow): Measure {
  return {
    basis: row.exposure_basis,
    exposure: row.exposure,
    lnRate: row.ln_rate,
    score: row.score,
    scoreLow: row.score_low,
    scoreHigh: row.score_high,
    rating: row.rating,
    confidence: row.confidence,
    categoryScores: row.category_scores,
  }
}

export type FiguresRow = {
  readonly year: number
  readonly complaints: number
  readonly recalls: number
  readonly do_not_drive: boolean
  readonly overall_stars: number | null
  readonly exposure_basis: ExposureBasis
  readonly exposure: number
  readonly ln_rate: number
  readonly score: number
  readonly score_low: number
  readonly score_high: number
  readonly rating: number
  readonly confidence: Confidence
  readonly category_scores: Readonly<Record<Category, number>>
  readonly background: Measure | null
}
