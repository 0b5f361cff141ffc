import type { Category } from './category.ts'
import type { ComplaintRecord } from './complaint-record.ts'
import type { ComplaintRow } from './complaint-row.ts'
import { componentCategory, componentDepth, componentName, isUnspecific } from './components.ts'
import { memoise } from './memo.ts'
import { severityWeight, systemWeight, type Harm } from './severity.ts'
import { cleanNarrative } from './text/clean-narrative.ts'
import { manufacturerResponse } from './text/manufacturer-response.ts'
import { narrativeCategory } from './text/narrative-category.ts'
import { narrativeMileage } from './text/mileage.ts'
import { repairAttempted } from './text/repair-attempted.ts'
import { repairCost } from './text/repair-cost.ts'

/** Narratives of one complaint follow each other with an empty line between them. */
export const betweenNarratives = '\n\n'

/**
 * What all rows of one ODI number, make, model and model year say together, whatever their order.
 *
 * @param rows at least one
 */
export function gatherComplaint(rows: readonly ComplaintRow[]): ComplaintRecord {
  const ordered = rows.length === 1 ? rows : rows.toSorted(inFileOrder)
  const [first] = ordered
  if (first === undefined) throw new RangeError('A complaint has at least one row.')
  const harm = gatherHarm(ordered)
  const { description, rawDescription } = gatherNarratives(ordered)
  const components = distinct(ordered.map(({ component }) => component.trim()).filter((path) => path !== ''))
  const classified = classify(components, description)
  const { mileage, mileageSource } = gatherMileage(ordered, description)
  const repair = repairCost(description)
  const severity = severityWeight(harm)
  // Named one by one: spreading objects into each other takes longer than all the rest of this function.
  // prettier-ignore
  return {
    odi: first.odi, make: first.make, model: first.model, year: first.year,
    makeName: first.makeName, modelName: first.modelName, trim: known(ordered, 'trim'),
    dateReported: earliest(ordered, 'dateReported'), dateIncident: earliest(ordered, 'dateIncident'),
    category: classified.category, categories: classified.categories,
    categorySource: classified.categorySource, component: classified.component,
    components, description, rawDescription, mileage, mileageSource,
    crash: harm.crash, fire: harm.fire, injuries: harm.injuries, deaths: harm.deaths,
    repairCost: repair?.cost ?? null, repairCostKind: repair?.kind ?? null,
    repairDescription: repair?.sentence ?? '', repairAttempted: repairAttempted(description),
    purchaseDate: earliest(ordered, 'purchaseDate'), response: manufacturerResponse(description),
    state: known(ordered, 'state'), vin: known(ordered, 'vin'),
    severity, weight: severity * systemWeight(classified.categories),
  }
}

/** By place in the file; the rest only makes the order of rows with one place the same each time. */
function inFileOrder(a: ComplaintRow, b: ComplaintRow): number {
  return (
    a.place - b.place ||
    compare(a.component, b.component) ||
    compare(a.narrative, b.narrative) ||
    compare(JSON.stringify(a), JSON.stringify(b))
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function distinct(values: readonly string[]): readonly string[] {
  return values.length < 2 ? values : [...new Set(values)]
}

/** The first value that a row has. */
function known(rows: readonly ComplaintRow[], field: 'trim' | 'state' | 'vin'): string | null {
  for (const row of rows) if (row[field] !== null) return row[field]
  return null
}

function earliest(
  rows: readonly ComplaintRow[],
  field: 'dateReported' | 'dateIncident' | 'purchaseDate',
): string | null {
  let first: string | null = null
  for (const row of rows) {
    const date = row[field]
    if (date !== null && (first === null || date < first)) first = date
  }
  return first
}

/** Each row repeats the numbers of the whole incident, so they are not added up. */
function gatherHarm(rows: readonly ComplaintRow[]): Harm {
  const [only] = rows
  if (only !== undefined && rows.length === 1) return only
  return {
    crash: rows.some(({ crash }) => crash),
    fire: rows.some(({ fire }) => fire),
    injuries: Math.max(...rows.map(({ injuries }) => injuries)),
    deaths: Math.max(...rows.map(({ deaths }) => deaths)),
  }
}

function gatherNarratives(rows: readonly ComplaintRow[]) {
  const [only] = rows
  if (only !== undefined && rows.length === 1) {
    const { narrative } = only
    const description = cleanNarrative(narrative)
    // A narrative of blanks is none.
    const isSame = narrative === description || narrative.trim() === ''
    return { description, rawDescription: isSame ? null : narrative }
  }
  const raw = distinct(rows.map(({ narrative }) => narrative).filter((text) => text.trim() !== ''))
  const description = distinct(raw.map(cleanNarrative).filter((text) => text !== '')).join(betweenNarratives)
  const original = raw.join(betweenNarratives)
  return { description, rawDescription: original === description ? null : original }
}

function gatherMileage(rows: readonly ComplaintRow[], description: string) {
  for (const { mileage } of rows) if (mileage !== null) return { mileage, mileageSource: 'reported' } as const
  const mileage = narrativeMileage(description)
  return { mileage, mileageSource: mileage === null ? null : ('narrative' as const) }
}

type Classified = Pick<ComplaintRecord, 'category' | 'categories' | 'categorySource' | 'component'>

/**
 * One category per complaint, so that counts by category add up: a definite one before `other`, then that of the
 * deepest path, then that of the first row. Where the components say nothing, the narrative may.
 */
function classify(components: readonly string[], description: string): Classified {
  const [only] = components
  const classified =
    only !== undefined && components.length === 1 ? ofComponent(only) : ofComponents(components)
  if (!components.every(isUnspecific)) return classified
  const category = narrativeCategory(description)
  if (category === null) return classified
  return { category, categories: [category], categorySource: 'narrative', component: classified.component }
}

/** Most complaints have one component, and all have the same few hundred. */
const ofComponent: (path: string) => Classified = memoise((path) => ofComponents([path]), 5_000)

function ofComponents(components: readonly string[]): Classified {
  const ranked = components
    .map((path, index) => ({ path, index, category: componentCategory(path), depth: componentDepth(path) }))
    .sort(
      (a, b) =>
        Number(a.category === 'other') - Number(b.category === 'other') ||
        b.depth - a.depth ||
        a.index - b.index,
    )
  const [primary] = ranked
  const component = primary === undefined ? '' : componentName(primary.path)
  const categories: readonly Category[] = [...new Set(ranked.map(({ category }) => category))]
  return {
    category: primary?.category ?? 'other',
    categories: categories.length === 0 ? ['other'] : categories,
    ...{ categorySource: 'component', component },
  }
}
