import { ageOf } from '../age.ts'
import { isScored } from '../model-score.ts'
import type { ModelYear } from '../vehicle-score.ts'
import { changePoints } from './change-points.ts'
import { knownGenerations } from './generation-table.ts'

/** Model years that belong together, in ascending order, at least one. */
export type GenerationYears = {
  /** `XV40 (2007-2011)`, or `2007-2011 (inferred)` where the rate of complaints alone tells. */
  readonly label: string
  /**
   * Its first and last model year, be there data about them or not; of one that is still sold, to the newest year
   * with data, and of an inferred one, whose span only the data tell, from the first to the last of them.
   */
  readonly from: number
  readonly to: number
  readonly isInferred: boolean
  readonly years: readonly ModelYear[]
}

/**
 * The generations of a model that have model years, oldest first: the known ones, and between them those that
 * breaks in the rate of complaints suggest. Model years that no generation is known of, and that no break parts,
 * belong to none.
 * @param years in ascending order, on one basis
 * @param asOf `YYYY-MM-DD`
 */
export function generationsOf(
  make: string,
  model: string,
  years: readonly ModelYear[],
  asOf: string,
): GenerationYears[] {
  const known = knownGenerations(make, model).map(({ name, first, last }) => {
    const own = years.filter(({ year }) => year >= first && year <= (last ?? year))
    const to = last ?? own.at(-1)?.year ?? first
    return {
      label: `${name} (${first}-${last ?? 'present'})`,
      from: first,
      to,
      isInferred: false,
      years: own,
    }
  })
  const covered = new Set(known.flatMap((generation) => generation.years))
  const gaps = runsOf(years, (year) => !covered.has(year)).flatMap((run) => inferred(run, asOf))
  return [...known, ...gaps]
    .filter((generation) => generation.years.length > 0)
    .sort((a, b) => a.from - b.from)
}

/** Years that follow one another in the list and pass the test. */
function runsOf(years: readonly ModelYear[], passes: (year: ModelYear) => boolean): ModelYear[][] {
  const runs: ModelYear[][] = [[]]
  for (const year of years) {
    if (passes(year)) runs.at(-1)?.push(year)
    else runs.push([])
  }
  return runs.filter((run) => run.length > 0)
}

/**
 * The parts of a run between breaks, none where there is no break. Breaks are looked for in years with a score that
 * are old enough, at least three on each side; the others go with their neighbours.
 */
function inferred(run: readonly ModelYear[], asOf: string): GenerationYears[] {
  const telling = run.filter(({ year, measure }) => isScored(measure) && ageOf(year, asOf) >= youngestTelling)
  const starts = changePoints(telling.map(({ measure }) => measure.lnRate)).slice(1)
  if (starts.length === 0) return []
  const firsts = [run[0]?.year ?? 0, ...starts.map((index) => telling[index]?.year ?? 0)]
  return firsts.map((from, index) => {
    const years = run.filter(({ year }) => year >= from && year < (firsts[index + 1] ?? Infinity))
    const to = years.at(-1)?.year ?? from
    return { label: `${from}-${to} (inferred)`, from, to, isInferred: true, years }
  })
}

/** In years. Younger model years give breaks that are not there. */
export const youngestTelling = 3
