import type { Category } from './category.ts'

/** What rel-1 knows about a model year: complaints counted once per ODI number, under their primary category. */
export type VehicleCounts = {
  /** Keys of make and model. */
  readonly make: string
  readonly model: string
  readonly year: number
  readonly complaints: number
  /** Sum of severity weight times system weight over the complaints. */
  readonly weight: number
  /** Complaints that tell of a crash, an injury or a death. */
  readonly crashOrInjury: number
  /** Whether an open recall says not to drive it. */
  readonly doNotDrive: boolean
  /** How many there are, where anything says so. */
  readonly units: Units | null
  /** Categories without complaints may be left out. */
  readonly categories: Partial<Record<Category, CategoryCounts>>
}

export type Units = {
  /** Vehicles, > 0. */
  readonly units: number
  readonly source: string
  readonly basis: Exclude<ExposureBasis, 'crash_background'>
}

export type CategoryCounts = { readonly complaints: number; readonly weight: number }

/**
 * What the use of a vehicle is estimated from, the most trustworthy first. `crash_background` needs nothing but
 * complaints: how many tell of a crash or an injury tells roughly how many vehicles are on the road.
 */
export const exposureBases = ['sales', 'registrations', 'crash_involvement', 'crash_background'] as const

export type ExposureBasis = (typeof exposureBases)[number]
