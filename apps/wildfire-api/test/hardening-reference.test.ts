import { existsSync, readFileSync } from 'node:fs'
import { greedyOrder, bestBundle } from '../src/model/bundle.ts'
import { evidence } from '../src/model/evidence.ts'
import { homeQuantities } from '../src/model/geometry.ts'
import { estimateBurnProbability, resolveHazard, type Hazard } from '../src/model/hazard.ts'
import { hardeningDefaults, type HardeningInput } from '../src/model/input.ts'
import { caseNames, catalogVersion, measures, type CaseName, type MeasureId } from '../src/model/measures.ts'
import { evaluate, idsOf, openScenario, wholeSet, type Evaluation } from '../src/model/scenario.ts'

// Reference results that are kept beside the repository, not in it. The literal homes among the unit tests of the
// model stand in for them where they are absent.
const directory = new URL('../../../../shared/data/wildfire/', import.meta.url)
const available = existsSync(directory)
const suite = available ? describe : describe.skip
if (!available) console.log('skipped: reference results not found beside the repository')

suite('the catalogue', () => {
  const file = read<{ version: string; measures: ReferenceMeasure[] }>('hardening_measures.json', {
    version: '',
    measures: [],
  })

  test('has the numbers of its reference', () => {
    expect(catalogVersion).toBe(file.version)
    expect(
      measures.map(({ id, unitCost, oddsRatio, discount, upkeep, lifeYears, stockShare, requires }) => ({
        ...{ id, maintenance: upkeep, life: lifeYears, stock: stockShare, requires },
        cost: caseNames.map((name) => unitCost[name]),
        or: caseNames.map((name) => oddsRatio[name]),
        discountCA: caseNames.map((name) => discount[name]).toReversed(),
        sfw: evidence[id].saferFromWildfires,
      })),
    ).toEqual(
      file.measures.map(
        ({ id, maintenance, life, stock, requires = [], cost, or, discountCA, sfw, component, pathway }) => {
          expect(measures.find((row) => row.id === id)).toMatchObject({ component, pathway })
          return { id, maintenance, life, stock, requires, cost, or, discountCA, sfw }
        },
      ),
    )
  })
})

suite('the reference homes, worked out by another program', () => {
  const file = read<{ homes: Record<string, ReferenceHome> }>('roi_oracles.json', { homes: {} })
  const homes = Object.entries(file.homes).map(([name, home]) => ({ name, ...open(home), home }))

  test('are two', () => {
    expect(homes.map(({ name }) => name)).toEqual(['placer_1985', 'jackson_or_1978'])
  })

  test.each(homes)('$name: geometry and baseline agree to 1e-6', ({ input, home, scenario }) => {
    const { one, two, fenceFeet, ...rest } = home.geometry
    expect({ ...homeQuantities(input) }).toEqual(
      nearEach({ ...rest, doors: two ?? NaN, job: one ?? NaN, fenceLength: fenceFeet ?? NaN }),
    )
    const { p, startProbability, value } = scenario
    expect({ p, d0: 0.3, dBefore: startProbability, ealBefore: p * startProbability * value }).toEqual(
      nearEach(home.baseline),
    )
  })

  test.each(homes)('$name: every measure alone agrees to 1e-6', ({ home, scenario }) => {
    const alone = scenario.options.filter(({ requires }) => requires === 0)
    expect(alone.map(({ id }) => id)).toEqual(Object.keys(home.perMeasure))
    for (const { id } of alone) {
      expect([id, inReferenceTerms(scenario, setOf(scenario, [id]), 'societal')]).toEqual([
        id,
        nearEach(home.perMeasure[id] ?? {}),
      ])
    }
  })

  test.each(homes)('$name: all measures agree in both views to 1e-6', ({ home, scenario }) => {
    for (const [view, reference] of [
      ['societal', home.all],
      ['household', home.allHousehold],
    ] as const) {
      expect(inReferenceTerms(scenario, wholeSet(scenario), view)).toEqual(nearEach(reference))
    }
  })

  test.each(homes)('$name: the greedy order agrees to 1e-6', ({ home, scenario }) => {
    const steps = greedyOrder(scenario).map(({ index, npv, npvPerPvCost, cumulative }) => ({
      id: scenario.options[index]?.id,
      marginalNpv: npv,
      marginalNpvPerPvCost: npvPerPvCost,
      cumulativeNpv: cumulative.societal.npv,
      cumulativeUpfront: cumulative.upfrontCost,
      dAfter: cumulative.destructionProbability,
    }))
    expect(steps).toEqual(home.greedy.map(({ id, ...numbers }) => ({ id, ...nearEach(numbers) })))
  })

  test.each(homes)('$name: three measures agree in all cases to 1e-6', ({ input, hazard, home }) => {
    for (const name of caseNames) {
      const scenario = openScenario(input, hazard, name)
      const found = evaluate(scenario, setOf(scenario, ['ember_vents', 'zone0', 'fence_break']))
      const { destructionProbability, avoidedAnnualLoss, pvCost, societal } = found
      expect({
        dBefore: scenario.startProbability,
        dAfter: destructionProbability,
        ...{ avoidedAnnualLoss, pvCost, npv: societal.npv },
      }).toEqual(nearEach(home.bounds[name]))
    }
  })

  test.each(homes)('$name: vents at a rate of 7 % agree to 1e-6', ({ input, hazard, home }) => {
    const scenario = openScenario({ ...input, discountRate: 0.07 }, hazard, 'central')
    expect(inReferenceTerms(scenario, setOf(scenario, ['ember_vents']), 'societal')).toEqual(
      nearEach(home.discount7),
    )
  })

  test.each(homes)('$name: the best bundles agree', ({ home, scenario }) => {
    for (const [budget, expected] of [
      [5000, home.bestUnder5000],
      [10_000, home.bestUnder10000],
      [25_000, home.bestUnder25000],
    ] as const) {
      const set = bestBundle(scenario, budget)
      const { upfrontCost, societal } = evaluate(scenario, set)
      expect(idsOf(scenario, set)).toEqual(expected.measures)
      expect({ upfront: upfrontCost, npv: societal.npv }).toEqual(
        nearEach({ upfront: expected.upfront, npv: expected.npv }),
      )
    }
  })
})

suite('the estimate of the burn probability', () => {
  test('is what was worked out for every county', () => {
    const rows = csv('burn_probability_estimate_all_counties.csv')
    const estimated = rows.filter(
      (row) => row['source'] === 'estimated_from_wrc_rank' && row['bp_national_rank'] !== '',
    )
    expect(estimated.length).toBeGreaterThan(3100)
    for (const { bp_national_rank: rank, annual_burn_probability: expected } of estimated) {
      // Three digits, of which the last may be rounded the other way.
      const ratio = estimateBurnProbability(Number(rank)) / Number(expected)
      expect([rank, Math.abs(ratio - 1) < 0.0051]).toEqual([rank, true])
    }
  })
})

function open(home: ReferenceHome) {
  const { county, state, replacementCost, sqft, stories, deckArea, fenceFeet, premium, deductible, have } =
    home.input
  const input: HardeningInput = {
    ...hardeningDefaults,
    ...{ state, replacementCost, sqft, stories, deductible },
    ...{ deckSqft: deckArea, fenceFt: fenceFeet, annualPremium: premium, existingMeasures: have },
    ...{ burnProbability: undefined, budget: undefined, premiumDiscounts: {} },
  }
  const hazard = hazardOf(county, state)
  return { input, hazard, scenario: openScenario(input, hazard, 'central') }
}

function hazardOf(code: string, state: string): Hazard {
  const row = csv('nri_v1_20_wildfire_counties_sample.csv').find(({ STCOFIPS }) => STCOFIPS === code) ?? {}
  const nri = {
    expectedLoss: Number(row['WFIR_EALB']),
    exposedValue: Number(row['WFIR_EXPB']),
    totalValue: Number(row['BUILDVALUE']),
    lossRatio: Number(row['WFIR_HLRB']),
    burnProbability: Number(row['WFIR_AFREQ']),
  }
  const hazard = resolveHazard({ state, nri, burnProbabilityRank: null }, 'exposed', undefined)
  if (hazard?.source !== 'nri_expected_loss') throw new Error(`There are no losses for ${code}.`)
  return hazard
}

function setOf(scenario: ReturnType<typeof openScenario>, ids: readonly MeasureId[]): number {
  return scenario.options.reduce((set, { id }, index) => (ids.includes(id) ? set | (1 << index) : set), 0)
}

function inReferenceTerms(
  scenario: ReturnType<typeof openScenario>,
  set: number,
  view: 'societal' | 'household',
): Record<string, number | null> {
  const found: Evaluation = evaluate(scenario, set)
  const { annualBenefit, pvBenefit, npv, bcr, paybackYears } = found[view]
  return {
    p: scenario.p,
    d0: 0.3,
    dBefore: scenario.startProbability,
    dAfter: found.destructionProbability,
    ealBefore: scenario.p * scenario.startProbability * scenario.value,
    ealAfter: scenario.p * found.destructionProbability * scenario.value,
    avoidedAnnualLoss: found.avoidedAnnualLoss,
    premiumSaving: found.household.premiumSaving,
    ...{ annualBenefit, upfront: found.upfrontCost, maintenance: found.upkeep, pvCost: found.pvCost },
    ...{ pvBenefit, npv, bcr, paybackYears, riskReduction: found.riskReduction },
  }
}

/** Equal to 1e-6 of the value; the reference has six digits after the point. */
function nearEach(values: Record<string, number | null>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? null : near(value)]),
  )
}

function near(value: number): unknown {
  return {
    asymmetricMatch: (x: unknown) =>
      typeof x === 'number' && Math.abs(x - value) <= 1e-6 * Math.abs(value) + 6e-7,
    toString: () => `near ${value}`,
  }
}

function read<T>(name: string, absent: T): T {
  return available ? (JSON.parse(readFileSync(new URL(name, directory), 'utf8')) as T) : absent // its own format
}

function csv(name: string): Record<string, string>[] {
  const [header = '', ...lines] = readFileSync(new URL(name, directory), 'utf8').trim().split(/\r?\n/)
  const names = header.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(names.map((column, index) => [column, cells[index] ?? '']))
  })
}

type Numbers = Record<string, number | null>

type ReferenceHome = {
  input: {
    county: string
    state: string
    replacementCost: number
    sqft: number
    stories: number
    deckArea: number
    fenceFeet: number
    premium: number
    deductible: number
    have: MeasureId[]
  }
  baseline: Numbers
  geometry: Record<string, number>
  perMeasure: Record<string, Numbers>
  all: Numbers
  allHousehold: Numbers
  greedy: ({ id: MeasureId } & Record<string, number>)[]
  bounds: Record<CaseName, Numbers>
  discount7: Numbers
} & Record<`bestUnder${5000 | 10000 | 25000}`, { npv: number; measures: MeasureId[]; upfront: number }>

type ReferenceMeasure = {
  id: MeasureId
  component: string
  pathway: string
  or: number[]
  cost: number[]
  maintenance: number
  life: number
  stock: number
  discountCA: number[]
  sfw: boolean
  requires?: MeasureId[]
}
