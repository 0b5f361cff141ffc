import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import { tableName, type Tables, type VersionNumbers } from '../data-tables.ts'
import type { Category } from '../model/category.ts'
import type { CategoryCounts, VehicleCounts } from '../model/vehicle-counts.ts'

/** A model year as the datasets have it, before it is scored. */
export type CountedVehicle = VehicleCounts & {
  readonly crashes: number
  readonly fires: number
  readonly injuries: number
  readonly deaths: number
  readonly recalls: number
  /** Mean over rated variants. */
  readonly overallStars: number | null
}

/** The table of the dataset of a version, or undefined when it has none of that kind. */
export function tableOf(
  numbers: VersionNumbers,
  table: keyof Tables,
  kind: 'complaints' | 'recalls' | 'ratings' | 'sales',
): RawBuilder<unknown> | undefined {
  const number = numbers[kind]
  return number === null ? undefined : sql.id(tableName(table, number))
}

/**
 * Counts the complaints of every model year that any dataset but the sales knows, set-based. A model year with a
 * recall or a rating and no complaint is counted with zeros.
 *
 * @returns ordered by make, model, year
 */
export async function countVehicles(
  db: QueryExecutorProvider,
  numbers: VersionNumbers,
): Promise<CountedVehicle[]> {
  const vehicles = new Map<string, Mutable>()
  const at = (row: Vehicle) => {
    const key = `${row.make}/${row.model}/${row.year}`
    let vehicle = vehicles.get(key)
    if (vehicle === undefined) vehicles.set(key, (vehicle = noComplaints(row)))
    return vehicle
  }
  for (const row of await complaintCounts(db, numbers)) addCategory(at(row), row)
  for (const row of await recallCounts(db, numbers)) {
    const vehicle = at(row)
    vehicle.recalls = row.recalls
    vehicle.doNotDrive = row.doNotDrive
  }
  for (const row of await starsOf(db, numbers)) at(row).overallStars = row.stars
  for (const { units, source, ...row } of await soldUnits(db, numbers)) {
    const vehicle = vehicles.get(`${row.make}/${row.model}/${row.year}`)
    if (vehicle !== undefined) vehicle.units = { units, source, basis: 'sales' }
  }
  return [...vehicles.values()].toSorted(
    (a, b) => compare(a.make, b.make) || compare(a.model, b.model) || a.year - b.year,
  )
}

type Vehicle = Pick<VehicleCounts, 'make' | 'model' | 'year'>
type Mutable = { -readonly [K in keyof CountedVehicle]: CountedVehicle[K] } & {
  categories: Partial<Record<Category, CategoryCounts>>
}

function noComplaints({ make, model, year }: Vehicle): Mutable {
  return {
    ...{ make, model, year, complaints: 0, weight: 0, crashOrInjury: 0, crashes: 0, fires: 0 },
    ...{ injuries: 0, deaths: 0, recalls: 0, doNotDrive: false, overallStars: null, units: null },
    categories: {},
  }
}

/** The order of the database, whatever its collation: keys are ASCII. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function addCategory(vehicle: Mutable, row: ComplaintCounts): void {
  vehicle.categories[row.category] = { complaints: row.complaints, weight: row.weight }
  vehicle.complaints += row.complaints
  vehicle.weight += row.weight
  vehicle.crashOrInjury += row.crashOrInjury
  vehicle.crashes += row.crashes
  vehicle.fires += row.fires
  vehicle.injuries += row.injuries
  vehicle.deaths += row.deaths
}

type ComplaintCounts = Vehicle & {
  readonly category: Category
  readonly complaints: number
  readonly weight: number
  readonly crashOrInjury: number
  readonly crashes: number
  readonly fires: number
  readonly injuries: number
  readonly deaths: number
}

/** Weights are multiples of an eighth: their sum is exact in whatever order it is made. */
async function complaintCounts(db: QueryExecutorProvider, numbers: VersionNumbers) {
  const { rows } = await sql<ComplaintCounts>`
    select make, model, year, category, count(*) as complaints, sum(weight::double precision) as weight,
      count(*) filter (where crash or injuries > 0 or deaths > 0) as "crashOrInjury",
      count(*) filter (where crash) as crashes, count(*) filter (where fire) as fires,
      sum(injuries) as injuries, sum(deaths) as deaths
    from ${tableOf(numbers, 'complaint', 'complaints')}
    group by make, model, year, category`.execute(db)
  return rows
}

async function recallCounts(db: QueryExecutorProvider, numbers: VersionNumbers) {
  const recall = tableOf(numbers, 'recall', 'recalls')
  if (recall === undefined) return []
  const { rows } = await sql<Vehicle & { readonly recalls: number; readonly doNotDrive: boolean }>`
    select make, model, year, count(*) as recalls, bool_or(do_not_drive) as "doNotDrive"
    from ${recall} group by make, model, year`.execute(db)
  return rows
}

async function starsOf(db: QueryExecutorProvider, numbers: VersionNumbers) {
  const rating = tableOf(numbers, 'rating', 'ratings')
  if (rating === undefined) return []
  const { rows } = await sql<Vehicle & { readonly stars: number | null }>`
    select make, model, year, avg(overall)::double precision as stars
    from ${rating} group by make, model, year`.execute(db)
  return rows
}

async function soldUnits(db: QueryExecutorProvider, numbers: VersionNumbers) {
  const sale = tableOf(numbers, 'sale', 'sales')
  if (sale === undefined) return []
  const { rows } = await sql<Vehicle & { readonly units: number; readonly source: string }>`
    select make, model, year, units, source from ${sale} where units > 0`.execute(db)
  return rows
}
