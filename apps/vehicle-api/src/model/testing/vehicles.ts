import fc from 'fast-check'
import { categories, type Category } from '../category.ts'
import type { CategoryCounts, VehicleCounts } from '../vehicle-counts.ts'

/** A model year with the given numbers; by default 100 complaints about the engine of 50,000 vehicles sold. */
export function vehicle(given: Partial<VehicleCounts> & { sold?: number | null } = {}): VehicleCounts {
  const { sold = 50_000, ...rest } = given
  const complaints = given.complaints ?? 100
  const weight = given.weight ?? 1.5 * complaints
  return {
    ...{ make: 'acme', model: 'one', year: 2018, complaints, weight, doNotDrive: false },
    crashOrInjury: Math.round(complaints / 12),
    units: sold === null ? null : { units: sold, source: 'test', basis: 'sales' },
    categories: { engine: { complaints, weight } },
    ...rest,
  }
}

/** Vehicles in numbers and proportions as in real data: rates differ by a factor of about e. */
export function anyVehicles(least: number, most: number): fc.Arbitrary<VehicleCounts[]> {
  return fc
    .array(anyVehicle, { minLength: least, maxLength: most })
    .map((vehicles) => vehicles.map((one, index) => ({ ...one, model: `model${index}` })))
}

const real = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })

const anyVehicle = fc
  .record({
    year: fc.integer({ min: 2000, max: 2023 }),
    thousands: real(5, 300),
    /** Logarithm of complaints per thousand vehicles. */
    level: real(-2.5, 2.5),
    crashShare: real(0.02, 0.2),
    shares: fc.array(real(0.05, 1), { minLength: categories.length, maxLength: categories.length }),
    meanWeight: real(0.8, 2),
  })
  .map(({ year, thousands, level, crashShare, shares, meanWeight }) => {
    const counts = countsOf(Math.round(thousands * Math.exp(level)), shares, meanWeight)
    const parts = Object.values(counts)
    const complaints = parts.reduce((sum, part) => sum + part.complaints, 0)
    return vehicle({
      ...{ year, complaints, sold: Math.round(1000 * thousands), categories: counts },
      weight: parts.reduce((sum, part) => sum + part.weight, 0),
      crashOrInjury: Math.round(crashShare * complaints),
    })
  })

function countsOf(complaints: number, shares: readonly number[], meanWeight: number) {
  const whole = shares.reduce((sum, share) => sum + share, 0)
  const counts: Partial<Record<Category, CategoryCounts>> = {}
  for (const [index, category] of categories.entries()) {
    const own = Math.round((complaints * (shares[index] ?? 0)) / whole)
    if (own > 0) counts[category] = { complaints: own, weight: own * meanWeight }
  }
  return counts
}
