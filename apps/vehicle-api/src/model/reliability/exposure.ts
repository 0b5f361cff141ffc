import { ageOf } from '../age.ts'
import type { ExposureBasis, VehicleCounts } from '../vehicle-counts.ts'

/** Crash or injury complaints per thousand vehicle-years, measured on models with known sales. */
export const kappa = 0.0169
export const crashOffset = 2

/** Older vehicles are scrapped, and what is left of them is driven little. */
export const maximumAge = 12

/** Thousand vehicle-years: units times age, or what the number of crash and injury complaints stands for. */
export function exposureOf(vehicle: VehicleCounts, basis: ExposureBasis, asOf: string): number {
  if (basis === 'crash_background' || vehicle.units === null)
    return (vehicle.crashOrInjury + crashOffset) / kappa
  return (vehicle.units.units / 1000) * Math.min(ageOf(vehicle.year, asOf), maximumAge)
}
