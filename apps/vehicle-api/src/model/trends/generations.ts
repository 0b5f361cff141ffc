import { ageOf } from '../age.ts'
import { isScored } from '../model-score.ts'
import type { ModelYear } from '../vehicle-score.ts'
import { changePoints } from './change-points.ts'
import { knownGenerations } from './generation-table.ts'

/** Model years that belong together, in ascending order, at least one. */
export type GenerationYears = {
  /** `XV40 (2007-2011)`, or `2007-2011 (inferred)` where the rate of complaints alone tells. */
  readonly label: string
  readonly from: number
  readonly to: number
  readonly isInferred: boolean
  readonly years: readonly ModelYear[]
}

/**
 * The generations of a model that have model years, oldest first: the known ones, and between them those that
 * breaks in the rate of complaints suggest.
 * @param years in ascending order
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
    return { label: `${name} (${first}-${last ?? 'present'})`, from: first, isInferred: false, years: own }
  })
  const covered = new Set(known.flatMap((generation) => generation.years))
  const gaps = runsOf(years, (year) => !covered.has(year)).flatMap((run) => inferred(run, asOf))
  return [...known, ...gaps]
    .filter((generation) => generation.years.length > 0)
    .map((generation) => ({ ...generation, to: generation.years.at(-1)?.year ?? generation.from }))
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

/** Breaks are looked for in years with a score that are old enough; the others go with their neighbours. */
function inferred(run: readonly ModelYear[], asOf: string) {
  const telling = run.filter(({ year, measure }) => isScored(measure) && ageOf(year, asOf) >= youngestTelling)
  const starts = changePoints(telling.map(({ measure }) => measure.lnRate)).slice(1)
  const firsts = [run[0]?.year ?? 0, ...starts.map((index) => telling[index]?.year ?? 0)]
  return firsts.map((from, index) => {
    const years = run.filter(({ year }) => year >= from && year < (firsts[index + 1] ?? Infinity))
    return { label: `${from}-${years.at(-1)?.year ?? from} (inferred)`, from, isInferred: true, years }
  })
}

/** In years. Younger model years give breaks that are not there. */
const youngestTelling = 3
