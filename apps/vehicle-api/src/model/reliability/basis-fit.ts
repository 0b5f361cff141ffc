import { ageOf, minimumAge } from '../age.ts'
import { categories, type Category } from '../category.ts'
import { sum } from '../order-statistics.ts'
import type { BasisFit, RateScale } from '../reliability-fit.ts'
import type { CategoryCounts, ExposureBasis, VehicleCounts } from '../vehicle-counts.ts'
import { defaultAlpha, fitAlpha } from './dispersion.ts'
import { exposureOf } from './exposure.ts'
import { minimumPopulation, scaleOf, type Prior } from './scale.ts'

export const minimumComplaints = 5

/**
 * Fits alpha, mean rates, mean weights, medians and spreads to the reference population of a basis: vehicles old
 * enough for complaints to have come in, with complaints enough to be scored themselves.
 */
export function fitBasis(vehicles: readonly VehicleCounts[], basis: ExposureBasis, asOf: string): BasisFit {
  const population = vehicles
    .filter((vehicle) => isReference(vehicle, asOf))
    .map((vehicle) => ({ ...vehicle, exposure: exposureOf(vehicle, basis, asOf) }))
  const exposure = sum(population.map((vehicle) => vehicle.exposure))
  const prior = priorOf(population, exposure) ?? defaultPrior
  const fitted = population.length < minimumPopulation ? null : fitAlpha(population, prior.mu)
  const alpha = fitted ?? defaultAlpha
  return {
    vehicles: population.length,
    complaints: sum(population.map(({ complaints }) => complaints)),
    exposure,
    alpha,
    alphaFitted: fitted !== null,
    overall: scaleOf(population, prior, alpha),
    categories: byCategory((category) => categoryScale(population, category, prior, alpha)),
  }
}

/** Whether a vehicle is old enough, and has complaints enough, for others to be measured against it. */
export function isReference({ complaints, year }: VehicleCounts, asOf: string): boolean {
  return complaints >= minimumComplaints && ageOf(year, asOf) >= minimumAge
}

/** A value for each category. */
export function byCategory<T>(valueOf: (category: Category) => T): Record<Category, T> {
  return Object.fromEntries(categories.map((category) => [category, valueOf(category)])) as Record<
    Category,
    T
  >
}

function categoryScale(
  population: readonly (VehicleCounts & { exposure: number })[],
  category: Category,
  overall: Prior,
  alpha: number,
): RateScale {
  const part = population.map(({ categories: counts, exposure }) => ({
    ...(counts[category] ?? noComplaints),
    exposure,
  }))
  const exposure = sum(population.map((vehicle) => vehicle.exposure))
  const unknown = { mu: overall.mu / categories.length, meanWeight: overall.meanWeight }
  return scaleOf(part, priorOf(part, exposure) ?? unknown, alpha)
}

/** Null where there are no complaints to tell. */
function priorOf(counts: readonly CategoryCounts[], exposure: number): Prior | null {
  const complaints = sum(counts.map((part) => part.complaints))
  if (complaints === 0) return null
  return { mu: complaints / exposure, meanWeight: sum(counts.map(({ weight }) => weight)) / complaints }
}

/** What is taken where there is no population at all: from a fit to 87 model years with known sales. */
const defaultPrior: Prior = { mu: 0.27, meanWeight: 1.29 }

export const noComplaints: CategoryCounts = { complaints: 0, weight: 0 }
