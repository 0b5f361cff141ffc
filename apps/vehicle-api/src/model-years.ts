import { sql, type Kysely } from 'kysely'
import type { Model } from './catalogue.ts'
import type { Category } from './model/category.ts'
import type { CategoryRow } from './model/statistics/statistics-over.ts'
import type { ExposureBasis } from './model/vehicle-counts.ts'
import type { Confidence, Measure, ModelYear } from './model/vehicle-score.ts'
import type { ServedTables } from './served-version.ts'

/** A model year with what comparisons need besides. */
export type ModelYearFigures = ModelYear & {
  readonly recalls: number
  /** Overall stars of the crash tests, mean over variants. */
  readonly stars: number | null
}

/** Scores and counts of model years, ascending. @param year all years unless given */
export async function readModelYears(
  db: Kysely<unknown>,
  tables: Pick<ServedTables, 'model_year'>,
  { make, key }: Model,
  year?: number,
): Promise<ModelYearFigures[]> {
  const { rows } = await sql<ModelYearRow>`
    select year, complaints, recalls, do_not_drive, overall_stars, exposure_basis, exposure, ln_rate, score,
      score_low, score_high, rating, confidence, category_scores, background
    from ${tables.model_year}
    where make = ${make.key} and model = ${key} ${year === undefined ? sql`` : sql`and year = ${year}`}
    order by year`.execute(db)
  return rows.map((row) => ({
    year: row.year,
    complaints: row.complaints,
    doNotDrive: row.do_not_drive,
    measure: measureOf(row),
    background: row.background,
    recalls: row.recalls,
    stars: row.overall_stars,
  }))
}

/** Complaints by category of the same, with their known mileages and costs. */
export async function readCategoryRows(
  db: Kysely<unknown>,
  tables: Pick<ServedTables, 'category'>,
  { make, key }: Model,
  year?: number,
): Promise<CategoryRow[]> {
  const { rows } = await sql<CategoryRow>`
    select year, category, complaints, mileages, costs, avg_repair_cost as "avgRepairCost"
    from ${tables.category}
    where make = ${make.key} and model = ${key} ${year === undefined ? sql`` : sql`and year = ${year}`}
    order by year, category`.execute(db)
  return rows
}

function measureOf(row: ModelYearRow): Measure {
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

type ModelYearRow = {
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
