import { sql } from 'kysely'
import type { Category } from './model/category.ts'

/** Columns of a complaint in a list. */
export const complaintColumns = sql`
  id, date_reported, listed_on, category, component, description, mileage, crash, fire, injuries, repair_cost,
  repair_description`

/** A complaint in a list, as the database has it. */
export type ComplaintRow = {
  readonly id: string
  readonly date_reported: string | null
  /** What lists by date are ordered by. */
  readonly listed_on: string
  readonly category: Category
  readonly component: string
  readonly description: string
  readonly mileage: number | null
  readonly crash: boolean
  readonly fire: boolean
  readonly injuries: number
  readonly repair_cost: number | null
  readonly repair_description: string
}

/** A complaint as it is answered in a list. */
export function presentComplaint(row: ComplaintRow) {
  return {
    id: row.id,
    date_reported: row.date_reported,
    category: row.category,
    component: row.component,
    description: row.description,
    mileage: row.mileage,
    crash: row.crash,
    fire: row.fire,
    injuries: row.injuries,
    repair_cost: row.repair_cost ?? 0,
    repair_description: row.repair_description,
  }
}
