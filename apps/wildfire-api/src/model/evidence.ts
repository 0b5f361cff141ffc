import type { MeasureId } from './measures.ts'

/** What stands behind the effect of a measure. In every grade its size is calibrated, not measured. */
export const grades: Readonly<Record<Grade, string>> = {
  A: 'Inspections after fires keep finding that homes with it survive more often. How much of that is its own doing is judgement.',
  B: 'Part of a package of measures whose joint effect was seen after fires. Its share of the effect is judgement.',
  C: 'Hardening programs ask for it because of how fire spreads. The effect is judgement.',
}

/** What is cited, by key. */
export const sources: Readonly<Record<SourceId, string>> = {
  syphard_keeley_2019: 'Syphard & Keeley 2019, Fire 2:49; over 40,000 structures in Californian fires.',
  zamanialaei_2025:
    'Zamanialaei et al. 2025, Nature Communications 16:8041; five Californian fires, over 47,000 structures: hardening and defensible space together would have cut losses by 52 %.',
  camp_fire_2018:
    'McClatchy/AP on the Camp Fire of 2018: 51 % of 350 homes built after 2008 were undamaged, and 18 % of 12,100 older ones.',
  baylis_boomhower_2021:
    'Baylis & Boomhower 2021, working paper: homes built under the stricter codes after 1995 are lost less often, and so are their neighbours.',
  safer_from_wildfires: 'California Code of Regulations, title 10, section 2644.9 (Safer from Wildfires).',
  wildfire_prepared_home: 'IBHS, requirements of the Wildfire Prepared Home designation.',
  headwaters_ibhs_2024:
    'Headwaters Economics and IBHS 2024: the most effective steps cost 2,000 to 15,000 USD, hardening a whole house up to 100,000 USD.',
}

/** How good the evidence for each measure is, where it comes from, and which programs ask for the measure. */
export const evidence: Readonly<Record<MeasureId, Evidence>> = {
  roof_class_a: {
    grade: 'B',
    sources: ['camp_fire_2018', 'baylis_boomhower_2021'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base'],
    explanation: 'The roof is the largest surface for embers to land on.',
  },
  gutter_guards: {
    grade: 'C',
    sources: ['wildfire_prepared_home'],
    saferFromWildfires: false,
    wildfirePreparedHome: ['base', 'plus'],
    explanation:
      'Dry leaves in a gutter are lit by embers and burn right under the roof edge. Metal gutters belong to the base designation, covers to plus.',
  },
  ember_vents: {
    grade: 'A',
    sources: ['syphard_keeley_2019', 'safer_from_wildfires'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base'],
    explanation: 'Embers drawn in through vents start fires inside the attic.',
  },
  enclosed_eaves: {
    grade: 'A',
    sources: ['syphard_keeley_2019', 'safer_from_wildfires'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['plus'],
    explanation: 'Open eaves hold embers and heat under the roof.',
  },
  siding_noncombustible: {
    grade: 'B',
    sources: ['camp_fire_2018', 'baylis_boomhower_2021'],
    saferFromWildfires: false,
    wildfirePreparedHome: ['plus'],
    explanation: 'A wall that cannot burn stands the heat of a burning neighbour for longer.',
  },
  windows_multipane: {
    grade: 'A',
    sources: ['syphard_keeley_2019', 'safer_from_wildfires'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['plus'],
    explanation: 'When heat breaks the first pane, a second, tempered one keeps the opening closed.',
  },
  exterior_doors: {
    grade: 'C',
    sources: ['wildfire_prepared_home'],
    saferFromWildfires: false,
    wildfirePreparedHome: ['plus'],
    explanation:
      'Fire comes in through doors as through walls, and embers pass below an unsealed garage door.',
  },
  deck_noncombustible: {
    grade: 'C',
    sources: ['wildfire_prepared_home'],
    saferFromWildfires: false,
    wildfirePreparedHome: ['plus'],
    explanation: 'A burning deck sets the wall beside it on fire.',
  },
  underdeck_clear: {
    grade: 'C',
    sources: ['safer_from_wildfires', 'wildfire_prepared_home'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base'],
    explanation: 'Leaves and things kept under a deck are what embers light first.',
  },
  fence_break: {
    grade: 'C',
    sources: ['safer_from_wildfires', 'wildfire_prepared_home'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base'],
    explanation: 'A wooden fence leads fire to the wall where it ends.',
  },
  zone0: {
    grade: 'C',
    sources: ['safer_from_wildfires', 'wildfire_prepared_home'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base'],
    explanation: 'With nothing to burn in the first five feet, embers that gather at the wall go out.',
  },
  base_clearance: {
    grade: 'C',
    sources: ['safer_from_wildfires', 'wildfire_prepared_home'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base'],
    explanation: 'Embers gather where the wall meets the ground.',
  },
  defensible_5_30: {
    grade: 'B',
    sources: ['zamanialaei_2025', 'safer_from_wildfires'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base'],
    explanation: 'Thinned and trimmed plants keep flames and their heat away from the house.',
  },
  defensible_30_100: {
    grade: 'C',
    sources: ['safer_from_wildfires'],
    saferFromWildfires: true,
    wildfirePreparedHome: [],
    explanation: 'Farther out clearing changes little, and without the inner zone nothing.',
  },
  outbuildings_30ft: {
    grade: 'C',
    sources: ['safer_from_wildfires', 'wildfire_prepared_home'],
    saferFromWildfires: true,
    wildfirePreparedHome: ['base', 'plus'],
    explanation:
      'A burning shed is hot enough to ignite a wall. Hardening it is enough for the base designation; plus wants it moved away.',
  },
}

/** Programs that reward hardening. */
export const programs: readonly Program[] = [
  {
    id: 'saferFromWildfires',
    name: 'Safer from Wildfires',
    states: ['CA'],
    description:
      'Insurers in California must reflect ten measures on the property, and two of the community, in what they charge. How much each takes off is up to the insurer and is often well below one percent.',
  },
  {
    id: 'wildfirePreparedHome',
    name: 'IBHS Wildfire Prepared Home',
    states: ['CA', 'OR'],
    description:
      'A designation for three years with a yearly review, in the levels base and plus, for a fee of 125 USD. The checklist of the program decides.',
  },
]

/** Rules of funding programs that a plan should respect. */
export const programRules: readonly string[] = [
  'FEMA does not fund ignition-resistant construction by itself, only together with defensible space.',
  'FEMA asks for a benefit-cost ratio of at least 1, with both sides in present value.',
]

/** What to do first when money does not decide. */
export const orderAdvice =
  'A wood-shake roof goes first. Then come the cheap ways in for embers: vents, the first five feet, the space under decks, the fence at the wall. Windows and siding come last.'

/** What the unit costs are. */
export const costBasis =
  'Unit costs are assumptions in USD of 2024 for low, typical and high prices. They lie within what Headwaters Economics and IBHS found in 2024: 2,000 to 15,000 USD for the most effective steps, up to 100,000 USD for a whole house.'

/** `A` is the best. */
export type Grade = 'A' | 'B' | 'C'

export type SourceId =
  | 'syphard_keeley_2019'
  | 'zamanialaei_2025'
  | 'camp_fire_2018'
  | 'baylis_boomhower_2021'
  | 'safer_from_wildfires'
  | 'wildfire_prepared_home'
  | 'headwaters_ibhs_2024'

export type Evidence = Readonly<{
  grade: Grade
  sources: readonly SourceId[]
  /** whether Californian insurers must reflect it */
  saferFromWildfires: boolean
  /** levels of the designation that ask for it; empty: none */
  wildfirePreparedHome: readonly ('base' | 'plus')[]
  /** how the measure works */
  explanation: string
}>

type Program = Readonly<{
  id: 'saferFromWildfires' | 'wildfirePreparedHome'
  name: string
  /** two letters; where the program applies */
  states: readonly string[]
  description: string
}>
