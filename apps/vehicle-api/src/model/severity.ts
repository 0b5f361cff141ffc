import type { Category } from './category.ts'

/** What a complaint says happened. */
export type Harm = {
  readonly crash: boolean
  readonly fire: boolean
  /** Persons. */
  readonly injuries: number
  readonly deaths: number
}

/**
 * Severity weight of rel-1: 1 for a complaint, more for what is rarer (about log10 of one over the share of
 * complaints with it), 8 at most.
 */
export function severityWeight({ crash, fire, injuries, deaths }: Harm): number {
  const weight = 1 + (crash ? 1 : 0) + (fire ? 1.5 : 0) + (injuries > 0 ? 1.5 : 0) + (deaths > 0 ? 3 : 0)
  return Math.min(8, weight)
}

/**
 * System weights of rel-1: failures of engine and transmission are the costly ones, those of trim and body the
 * cheap ones.
 */
export const systemWeights: Readonly<Record<Category, number>> = {
  ...{ engine: 1.5, transmission: 1.5 },
  ...{ steering: 1, brakes: 1, safety: 1, electrical: 1, suspension: 1 },
  ...{ interior: 0.75, exterior: 0.75, other: 0.75 },
}

/** The largest system weight of the categories of a complaint; that of `other` when there are none. */
export function systemWeight(categories: readonly Category[]): number {
  return categories.reduce((most, category) => Math.max(most, systemWeights[category]), systemWeights.other)
}
