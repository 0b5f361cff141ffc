import { measureIds, type MeasureId } from './measures.ts'

/**
 * Everything one calculation needs, with nothing left to assume. Money is USD of 2024, rates and shares are
 * fractions, lengths feet, areas square feet.
 */
export type HardeningInput = Readonly<{
  /** two letters; only Californian insurers must take measures into account */
  state: string
  /** 50,000..20,000,000: what it costs to build the home anew */
  replacementCost: number
  /** living area of all stories, 300..20,000 */
  sqft: number
  /** 1..4, whole */
  stories: number
  /** distinct; what is in place today. Parts that the home does not have count as in place: see bareParts */
  existingMeasures: readonly MeasureId[]
  /** 0..3000; 0: no deck */
  deckSqft: number
  /** 0..500, of fence within 5 ft of the house; 0: none */
  fenceFt: number
  /** a year */
  annualPremium: number
  /** of the insurance */
  deductible: number
  /** share of the value at risk that no insurance pays, 0..1 */
  uninsuredShare: number
  /** value of the contents as a share of replacementCost */
  contentsRatio: number
  /** living elsewhere while rebuilding, as a share of replacementCost */
  aleRatio: number
  /** `exposed`: on ground that can burn; `average`: like the average building of the county */
  exposure: Exposure
  /** a year, 0..0.2, in place of the county's; undefined: the county's */
  burnProbability: number | undefined
  /** 1..50, whole */
  horizonYears: number
  /** real, 0..0.15 */
  discountRate: number
  /** USD that may be spent at once; undefined: no limit */
  budget: number | undefined
  /** share of the premium that this home's insurer takes off, by measure; others as in the catalogue */
  premiumDiscounts: Readonly<Partial<Record<MeasureId, number>>>
}>

/** What is assumed where a request says nothing. */
export const hardeningDefaults = Object.freeze({
  stories: 1,
  deckSqft: 200,
  fenceFt: 16,
  annualPremium: 0,
  deductible: 0,
  uninsuredShare: 0.2,
  contentsRatio: 0.5,
  aleRatio: 0.2,
  exposure: 'exposed',
  horizonYears: 30,
  discountRate: 0.031,
} as const)

/**
 * What a home has in place when nobody says so, by its age: the roof of any home is taken to be Class A (asphalt);
 * windows are multi-pane from 1990 on; California's building code for wildfire areas came with 2008.
 * @param yearBuilt undefined: taken as older than 1990
 * @param state two letters
 */
export function presumedMeasures(yearBuilt: number | undefined, state: string): readonly MeasureId[] {
  if (yearBuilt === undefined || yearBuilt < 1990) return ['roof_class_a']
  if (yearBuilt < 2008 || state !== 'CA') return ['roof_class_a', 'windows_multipane']
  return codeOf2008
}

/** Measures about parts that a home does not have. Nothing can burn there, so they count as in place. */
export function bareParts(input: Pick<HardeningInput, 'deckSqft' | 'fenceFt'>): readonly MeasureId[] {
  return measureIds.filter(
    (id) => (input.deckSqft === 0 && deckMeasures.has(id)) || (input.fenceFt === 0 && id === 'fence_break'),
  )
}

const deckMeasures: ReadonlySet<MeasureId> = new Set(['deck_noncombustible', 'underdeck_clear'])

const codeOf2008: readonly MeasureId[] = [
  'roof_class_a',
  'ember_vents',
  'enclosed_eaves',
  'siding_noncombustible',
  'windows_multipane',
  'base_clearance',
]

export type Exposure = 'exposed' | 'average'
