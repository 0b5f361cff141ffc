/** The release of this catalogue, answered with every result: changed numbers get a new one. */
export const catalogVersion = '2026-11-20.r1'

/** The cases in which every home is calculated. */
export const caseNames = ['optimistic', 'central', 'pessimistic'] as const

/** In catalogue order. */
export const measureIds = [
  'roof_class_a',
  'gutter_guards',
  'ember_vents',
  'enclosed_eaves',
  'siding_noncombustible',
  'windows_multipane',
  'exterior_doors',
  'deck_noncombustible',
  'underdeck_clear',
  'fence_break',
  'zone0',
  'base_clearance',
  'defensible_5_30',
  'defensible_30_100',
  'outbuildings_30ft',
] as const

/**
 * What can be done to a home, in catalogue order: effects, prices of 2024 in USD, lives and discounts.
 *
 * The odds ratios are calibrated by judgement so that all of them together reproduce what was measured after fires
 * (see evidence.ts); no study separates them cleanly. Unit costs are assumptions within published totals.
 */
export const measures: readonly Measure[] = [
  {
    id: 'roof_class_a',
    name: 'Class A fire-rated roof covering',
    component: 'roof',
    pathway: 'ember',
    quantity: 'roofArea',
    unit: 'sq ft of roof',
    unitCost: cases(4.5, 6.5, 12),
    upkeep: 0,
    lifeYears: 30,
    oddsRatio: cases(0.35, 0.55, 0.8),
    stockShare: 0.85,
    discount: cases(0.03, 0.01, 0.001),
    requires: [],
  },
  {
    id: 'gutter_guards',
    name: 'Metal gutters with metal covers',
    component: 'gutters',
    pathway: 'ember',
    quantity: 'perimeter',
    unit: 'ft of eaves line',
    unitCost: cases(7, 12, 20),
    upkeep: 0,
    lifeYears: 20,
    oddsRatio: cases(0.85, 0.93, 0.98),
    stockShare: 0.1,
    discount: cases(0.002, 0, 0),
    requires: [],
  },
  {
    id: 'ember_vents',
    name: 'Ember-resistant vents',
    component: 'vents',
    pathway: 'ember',
    quantity: 'vents',
    unit: 'vent',
    unitCost: cases(40, 125, 250),
    upkeep: 0,
    lifeYears: 25,
    oddsRatio: cases(0.6, 0.75, 0.9),
    stockShare: 0.2,
    discount: cases(0.02, 0.005, 0.001),
    requires: [],
  },
  {
    id: 'enclosed_eaves',
    name: 'Enclosed eaves',
    component: 'eaves',
    pathway: 'ember',
    quantity: 'perimeter',
    unit: 'ft of eaves line',
    unitCost: cases(15, 28, 50),
    upkeep: 0,
    lifeYears: 30,
    oddsRatio: cases(0.55, 0.72, 0.9),
    stockShare: 0.55,
    discount: cases(0.01, 0.003, 0.001),
    requires: [],
  },
  {
    id: 'siding_noncombustible',
    name: 'Noncombustible siding',
    component: 'walls',
    pathway: 'radiant',
    quantity: 'wallArea',
    unit: 'sq ft of wall',
    unitCost: cases(8, 11, 18),
    upkeep: 0,
    lifeYears: 40,
    oddsRatio: cases(0.65, 0.8, 0.95),
    stockShare: 0.5,
    discount: cases(0.005, 0, 0),
    requires: [],
  },
  {
    id: 'windows_multipane',
    name: 'Multi-pane tempered windows',
    component: 'windows',
    pathway: 'radiant',
    quantity: 'windows',
    unit: 'window',
    unitCost: cases(600, 950, 1600),
    upkeep: 0,
    lifeYears: 30,
    oddsRatio: cases(0.6, 0.75, 0.9),
    stockShare: 0.7,
    discount: cases(0.01, 0.003, 0.001),
    requires: [],
  },
  {
    id: 'exterior_doors',
    name: 'Fire-resistant doors, sealed garage door',
    component: 'doors',
    pathway: 'radiant',
    quantity: 'doors',
    unit: 'door',
    unitCost: cases(1000, 1800, 3500),
    upkeep: 0,
    lifeYears: 30,
    oddsRatio: cases(0.88, 0.95, 1),
    stockShare: 0.6,
    discount: cases(0.002, 0, 0),
    requires: [],
  },
  {
    id: 'deck_noncombustible',
    name: 'Noncombustible deck',
    component: 'deck',
    pathway: 'ember',
    quantity: 'deckArea',
    unit: 'sq ft of deck',
    unitCost: cases(25, 35, 65),
    upkeep: 0,
    lifeYears: 25,
    oddsRatio: cases(0.75, 0.88, 0.97),
    stockShare: 0.5,
    discount: cases(0.005, 0, 0),
    requires: [],
  },
  {
    id: 'underdeck_clear',
    name: 'Cleared and screened space under decks',
    component: 'deck',
    pathway: 'ember',
    quantity: 'job',
    unit: 'job',
    unitCost: cases(150, 600, 2000),
    upkeep: 50,
    lifeYears: 15,
    oddsRatio: cases(0.82, 0.93, 0.99),
    stockShare: 0.5,
    discount: cases(0.005, 0.002, 0.001),
    requires: [],
  },
  {
    id: 'fence_break',
    name: 'Noncombustible fence within 5 ft of the house',
    component: 'fencing',
    pathway: 'flame',
    quantity: 'fenceLength',
    unit: 'ft of fence',
    unitCost: cases(20, 40, 90),
    upkeep: 0,
    lifeYears: 20,
    oddsRatio: cases(0.82, 0.92, 0.98),
    stockShare: 0.5,
    discount: cases(0.01, 0.003, 0.001),
    requires: [],
  },
  {
    id: 'zone0',
    name: 'Ember-resistant zone, 0 to 5 ft',
    component: 'zone0',
    pathway: 'ember',
    quantity: 'zone0Area',
    unit: 'sq ft of ground',
    unitCost: cases(1.5, 4, 9),
    upkeep: 150,
    lifeYears: 15,
    oddsRatio: cases(0.55, 0.7, 0.88),
    stockShare: 0.15,
    discount: cases(0.025, 0.008, 0.001),
    requires: [],
  },
  {
    id: 'base_clearance',
    name: 'Noncombustible lowest 6 inches of the walls',
    component: 'walls',
    pathway: 'ember',
    quantity: 'perimeter',
    unit: 'ft of wall base',
    unitCost: cases(8, 15, 30),
    upkeep: 0,
    lifeYears: 30,
    oddsRatio: cases(0.88, 0.95, 1),
    stockShare: 0.4,
    discount: cases(0.01, 0.003, 0.001),
    requires: [],
  },
  {
    id: 'defensible_5_30',
    name: 'Defensible space, 5 to 30 ft',
    component: 'defensible_space',
    pathway: 'flame',
    quantity: 'job',
    unit: 'job',
    unitCost: cases(800, 2000, 5000),
    upkeep: 400,
    lifeYears: 30,
    oddsRatio: cases(0.6, 0.75, 0.9),
    stockShare: 0.4,
    discount: cases(0.025, 0.008, 0.001),
    requires: [],
  },
  {
    id: 'defensible_30_100',
    name: 'Defensible space, 30 to 100 ft',
    component: 'defensible_space',
    pathway: 'flame',
    quantity: 'job',
    unit: 'job',
    unitCost: cases(1000, 3500, 10_000),
    upkeep: 500,
    lifeYears: 30,
    oddsRatio: cases(0.8, 0.9, 1),
    stockShare: 0.3,
    discount: cases(0.01, 0.002, 0),
    requires: ['defensible_5_30'],
  },
  {
    id: 'outbuildings_30ft',
    name: 'No combustible outbuilding within 30 ft',
    component: 'outbuildings',
    pathway: 'flame',
    quantity: 'job',
    unit: 'job',
    unitCost: cases(0, 1500, 6000),
    upkeep: 0,
    lifeYears: 20,
    oddsRatio: cases(0.82, 0.92, 0.98),
    stockShare: 0.6,
    discount: cases(0.005, 0.002, 0.001),
    requires: [],
  },
]

function cases(optimistic: number, central: number, pessimistic: number): Cases {
  return { optimistic, central, pessimistic }
}

export type MeasureId = (typeof measureIds)[number]
export type CaseName = (typeof caseNames)[number]

/** One number per case. */
export type Cases = Readonly<Record<CaseName, number>>

/** One row of the catalogue. */
export type Measure = Readonly<{
  id: MeasureId
  name: string
  component: string
  /** how fire reaches the house through this component */
  pathway: 'ember' | 'flame' | 'radiant'
  /** what of the home's geometry is paid for; see geometry.ts */
  quantity: QuantityName
  /** one unit of that quantity, in words */
  unit: string
  /** USD per unit */
  unitCost: Cases
  /** USD a year */
  upkeep: number
  /** years until the work is paid for again */
  lifeYears: number
  /** odds of destruction with the measure over those without it, given that fire arrives; in (0, 1] */
  oddsRatio: Cases
  /** share of today's homes that have it */
  stockShare: number
  /** share of the insurance premium that Californian insurers take off for it */
  discount: Cases
  /** measures that must be in place with it */
  requires: readonly MeasureId[]
}>

export type QuantityName =
  | 'roofArea'
  | 'perimeter'
  | 'vents'
  | 'wallArea'
  | 'windows'
  | 'doors'
  | 'deckArea'
  | 'fenceLength'
  | 'zone0Area'
  | 'job'
