import type { Category } from './category.ts'

/**
 * One complaint about one vehicle: what all rows of the complaint file with the same ODI number, make, model and
 * model year say together. Dates are `YYYY-MM-DD`.
 */
export type ComplaintRecord = {
  /** ODI number, digits. */
  readonly odi: string
  /** Key of the make: see vehicleKey in names.ts. */
  readonly make: string
  /** Key of the model. */
  readonly model: string
  readonly year: number
  /** Make and model as they are shown. */
  readonly makeName: string
  readonly modelName: string
  /** What the model name says besides the model, such as `Regular Cab`; null when nothing. */
  readonly trim: string | null
  /** When the regulator received it; null only in files that are not the official one. */
  readonly dateReported: string | null
  readonly dateIncident: string | null
  /** The category the complaint is counted under. */
  readonly category: Category
  /** All its categories, the primary one first. */
  readonly categories: readonly Category[]
  /** Whether the component says it, or only the narrative does. */
  readonly categorySource: 'component' | 'narrative'
  /** The most specific component of the primary category, title-cased. */
  readonly component: string
  /** Component paths as in the file, in file order. */
  readonly components: readonly string[]
  /** Narrative for display: marks of transcribers and redactions cleaned. */
  readonly description: string
  /** Narrative as in the file where it differs from `description`, else null. */
  readonly rawDescription: string | null
  /** Miles at failure, 1 to 400,000. */
  readonly mileage: number | null
  readonly mileageSource: 'reported' | 'narrative' | null
  readonly crash: boolean
  readonly fire: boolean
  /** 0 to 50. */
  readonly injuries: number
  /** 0 to 19. */
  readonly deaths: number
  /** US dollars, 20 to 25,000, from the narrative. */
  readonly repairCost: number | null
  readonly repairCostKind: 'paid' | 'quoted' | null
  /** The sentence of the narrative the cost was found in; empty when none. */
  readonly repairDescription: string
  readonly repairAttempted: boolean | null
  readonly purchaseDate: string | null
  readonly response: ManufacturerResponse | null
  /** Postal abbreviation, or null. */
  readonly state: string | null
  /** First 11 characters of the vehicle identification number, or null. */
  readonly vin: string | null
  /** Severity weight of rel-1, 1 to 8. */
  readonly severity: number
  /** Severity weight times the largest system weight of its categories. */
  readonly weight: number
}

/** What the narrative says the maker has done about it. */
export type ManufacturerResponse = {
  readonly type: 'recall' | 'investigation' | 'service_bulletin' | 'notified'
  /** Number of the campaign, investigation or bulletin. */
  readonly reference: string | null
  readonly date: string | null
  readonly summary: string
}
