import { accountMigrations, accountProblems } from '@hearth/account'
import { startTestApp, type TestApp, type TestParts } from '@hearth/account/testing/test-app'
import { mountDocs } from '@hearth/chassis/docs'
import { httpProblems } from '@hearth/chassis/errors'
import { mountHealth } from '@hearth/chassis/health'
import { closeHttpApp, createHttpApp } from '@hearth/chassis/http'
import { json } from '@hearth/chassis/json-body'
import { nriNumbers, nriTexts, wrcNumbers, type NriValues, type WrcValues } from '../src/database.ts'
import { deployment, envelope, problemMembers } from '../src/deployment.ts'
import { description } from '../src/description.ts'
import { countyLookup, hardeningRoi } from '../src/hardening.ts'
import { listMeasures } from '../src/measures.ts'
import { hardeningDefaults } from '../src/model/input.ts'
import { measureIds } from '../src/model/measures.ts'
import { limits } from '../src/model/warnings.ts'
import { plans } from '../src/plans.ts'
import { wildfireProblems } from '../src/problems.ts'
import { makeSnapshot, type CountyRow } from '../src/snapshot.ts'

const home = { countyCode: '06061', replacementCost: 600_000, sqft: 2000 }

let app: TestApp
let key: string

beforeAll(async () => {
  app = await startTestApp({
    ...{ deployment, plans, envelope, migrations: [accountMigrations] },
    createApp: hardeningApp,
  })
  key = (await app.signUp('lifetime')).key
})
afterAll(() => app.close())

describe('POST /v1/hardening/roi', () => {
  test('answers three fields with every number and what it rests on', async () => {
    const { status, body } = await roi({})

    expect(status).toBe(200)
    expect(body.success).toBe(true)
    expect(Object.keys(body.data)).toEqual([
      ...['county', 'model', 'catalogVersion', 'hazard', 'baseline', 'societal', 'household'],
      ...['measures', 'notConsidered', 'bestBundle', 'verdict', 'limits', 'assumptions', 'warnings'],
      'dataVintage',
    ])
    const { county, hazard, dataVintage, measures } = body.data
    expect(county).toEqual({ code: '06061', name: 'Placer County', state: 'CA' })
    expect(hazard).toEqual({ p: 0.006097335, d0: 0.3, source: 'nri_expected_loss', d0Source: 'nri' })
    expect(dataVintage).toEqual({ wrc: '2026-04-15', nri: 'v1.20 (December 2025)', dataVersion: 7 })
    expect(idsOf(measures)).toEqual(measureIds.slice(1))
    expect(body.data.limits).toEqual(limits)
  })

  test('answers the reference home with its reference numbers, in cents', async () => {
    const { body } = await roi({
      existingMeasures: ['roof_class_a', 'windows_multipane', 'defensible_5_30'],
      ...{ deckSqft: 300, annualPremium: 4800, deductible: 5000, budget: 5000 },
    })

    const { baseline, measures, bestBundle, household, societal, verdict } = body.data
    expect(baseline).toMatchObject({ destructionProbability: 0.338889, expectedAnnualLoss: 2107.64 })
    expect(measures).toContainEqual(
      expect.objectContaining({
        id: 'ember_vents',
        name: 'Ember-resistant vents',
        ...{ upfrontCost: 1625, avoidedAnnualLoss: 209.88, pvCost: 2382.51 },
        ...{ npv: 1678.64, bcr: 1.7046, paybackYears: 7.74 },
      }),
    )
    expect(bestBundle).toMatchObject({
      measures: ['ember_vents', 'fence_break'],
      upfrontCost: 2265,
      npv: 1730,
    })
    expect(societal.allMeasures).toMatchObject({ npv: -61922.68, bcr: 0.2106 })
    expect(household.allMeasures).toMatchObject({ annualBenefit: 307.8, premiumSaving: 132.84 })
    expect(verdict.code).toBe('may_pay_back')
  })

  test('says plainly that nothing pays back', async () => {
    const { status, body } = await roi({ burnProbability: 0.00001 })

    expect(status).toBe(200)
    expect(body.data.bestBundle).toMatchObject({ measures: [], upfrontCost: 0, npv: 0, bcr: null })
    expect(body.data.verdict.message).toMatch(/^Nothing here pays back:/)
  })

  test('echoes every input with its source', async () => {
    const { body } = await roi({ countyCode: '6061', stories: 2, yearBuilt: 2010, budget: null })

    const { assumptions } = body.data
    for (const [name, value] of Object.entries({ ...hardeningDefaults, stories: undefined })) {
      if (value !== undefined) expect([name, assumptions[name]]).toEqual([name, { value, source: 'default' }])
    }
    expect(assumptions).toMatchObject({
      countyCode: { value: '06061', source: 'request' },
      stories: { value: 2, source: 'request' },
      yearBuilt: { value: 2010, source: 'request' },
      budget: { value: null, source: 'default' },
      burnProbability: { value: null, source: 'default' },
    })
    expect(assumptions.existingMeasures.source).toBe('default')
    expect(assumptions.existingMeasures.value).toContain('ember_vents')
    expect(idsOf(body.data.notConsidered)).toEqual(assumptions.existingMeasures.value)
  })

  test.each([
    ['06061', undefined, { ember_vents: 0.005, gutter_guards: 0 }, 'default', 'default'],
    ['06061', { ember_vents: 0.02 }, { ember_vents: 0.02, enclosed_eaves: 0.003 }, 'request', 'request'],
    ['06061', {}, { ember_vents: 0.005 }, 'default', 'default'],
    ['12011', undefined, { ember_vents: 0, enclosed_eaves: 0 }, 'default', 'default'],
    ['12011', { ember_vents: 0.02, roof_class_a: 0.1 }, { ember_vents: 0.02 }, 'request', 'request'],
  ])(
    'in %s with the discounts %j shows those it counts',
    async (countyCode, given, expected, source, ofVents) => {
      const { body } = await roi({ countyCode, annualPremium: 3000, premiumDiscounts: given })
      const { assumptions, measures, household } = body.data
      const { premiumDiscounts } = assumptions
      expect(premiumDiscounts).toMatchObject({ value: expected, source })
      expect(premiumDiscounts.sources).toMatchObject({ ember_vents: ofVents, enclosed_eaves: 'default' })
      expect(Object.keys(premiumDiscounts.value)).toEqual(idsOf(measures))
      const shares = Object.values(premiumDiscounts.value as Record<string, number>)
      const together = 1 - shares.reduce((kept, share) => kept * (1 - share), 1)
      expect(household.allMeasures.premiumSaving).toBeCloseTo(3000 * together, 2)
    },
  )

  test('works from an estimate where the National Risk Index has no row, and says so', async () => {
    const { body } = await roi({ countyCode: '12011' })

    expect(body.data.hazard).toMatchObject({ source: 'estimated', d0: 0.1, d0Source: 'region' })
    expect(body.data.warnings).toContainEqual(expect.objectContaining({ code: 'BURN_PROBABILITY_ESTIMATED' }))
  })

  test('asks for a burn probability where no hazard is known, and takes it', async () => {
    const { status, body } = await roi({ countyCode: '72001' })

    expect(status).toBe(400)
    expect(body.errors).toEqual([
      { pointer: '/burnProbability', code: 'required', detail: expect.stringContaining('Adjuntas') },
    ])
    expect((await roi({ countyCode: '72001', burnProbability: 0.001 })).status).toBe(200)
  })

  test('does not know counties that there are not, and names the successors of retired ones', async () => {
    const retired = await roi({ countyCode: '02261' })
    expect(retired.status).toBe(404)
    expect(retired.body).toMatchObject({
      code: 'county_not_found',
      supersededBy: ['02063', '02066'],
      success: false,
    })
    expect((await roi({ countyCode: '99999' })).body.code).toBe('county_not_found')
  })

  test.each<[string, object]>([
    ['/countyCode', { countyCode: 6061 }],
    ['/countyCode', { countyCode: '06O61' }],
    ['/replacementCost', { replacementCost: '600000' }],
    ['/replacementCost', { replacementCost: 49_999 }],
    ['/replacementCost', { replacementCost: 20_000_001 }],
    ['/sqft', { sqft: 299 }],
    ['/stories', { stories: 1.5 }],
    ['/yearBuilt', { yearBuilt: 1849 }],
    ['/yearBuilt', { yearBuilt: 2099 }],
    ['/existingMeasures/0', { existingMeasures: ['moat'] }],
    ['/existingMeasures/1', { existingMeasures: ['zone0', 'zone0'] }],
    ['/deckSqft', { deckSqft: -1 }],
    ['/fenceFt', { fenceFt: 501 }],
    ['/annualPremium', { annualPremium: -1 }],
    ['/uninsuredShare', { uninsuredShare: 1.01 }],
    ['/exposure', { exposure: 'hidden' }],
    ['/burnProbability', { burnProbability: 0.21 }],
    ['/horizonYears', { horizonYears: 51 }],
    ['/discountRate', { discountRate: 0.16 }],
    ['/budget', { budget: -1 }],
    ['/premiumDiscounts/moat', { premiumDiscounts: { moat: 0.1 } }],
    ['/premiumDiscounts/zone0', { premiumDiscounts: { zone0: 0.21 } }],
    ['/deckArea', { deckArea: 200 }],
  ])('refuses %s of %j', async (pointer, changed) => {
    const { status, body } = await roi(changed)

    expect(status).toBe(400)
    expect(body.errors).toEqual([expect.objectContaining({ pointer })])
    expect(body.errors[0].detail).toMatch(/\S.*[.?]$/)
  })

  test('is not for free accounts, and names the plans it is for', async () => {
    const { key: free } = await app.signUp()
    const { status, body, headers } = await app.call('post', '/v1/hardening/roi', { key: free, body: home })

    expect(status).toBe(403)
    expect(body.code).toBe('plan_upgrade_required')
    expect(body.detail).toContain('single_report')
    expect(headers['x-ratelimit-remaining']).toBe('1')
  })
})

describe('GET /v1/hardening/measures', () => {
  test('lists the catalogue with costs, evidence and programs', async () => {
    const { status, body } = await app.call('get', '/v1/hardening/measures', { key })

    expect(status).toBe(200)
    const { measures } = body.data
    expect(idsOf(measures)).toEqual(measureIds)
    expect(measures[0]).toMatchObject({
      unitCost: { low: 4.5, typical: 6.5, high: 12 },
      oddsRatio: { optimistic: 0.35, central: 0.55, pessimistic: 0.8 },
      premiumDiscount: { low: 0.001, typical: 0.01, high: 0.03 },
      programs: { saferFromWildfires: true, wildfirePreparedHome: ['base'] },
      evidence: { grade: 'B' },
    })
    for (const { evidence } of measures) expect(evidence.sources.length).toBeGreaterThan(0)
  })

  test('answers 304 to a client that has it, without cost', async () => {
    const { key: buyer } = await app.signUp('pro')
    const first = await app.call('get', '/v1/hardening/measures', { key: buyer })
    const again = await app.call('get', '/v1/hardening/measures', {
      key: buyer,
      headers: { 'If-None-Match': String(first.headers['etag']) },
    })

    expect(first.headers['x-ratelimit-remaining']).toBe('99')
    expect(again.status).toBe(304)
    expect(again.headers['x-ratelimit-remaining']).toBe('99')
    expect(again.headers['etag']).toBe(first.headers['etag'])
  })
})

function roi(changed: object) {
  return app.call('post', '/v1/hardening/roi', { key, body: { ...home, ...changed } })
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

/** The two endpoints alone, on counties of this file. */
function hardeningApp({ accounts, http, ready, clock }: TestParts) {
  const { limitHeaders, settle } = accounts
  const server = createHttpApp({ ...http, problemMembers, limitHeaders, settle })
  server.use(accounts.meter, json())
  const lookup = countyLookup({ snapshot: () => snapshot })
  server.get('/v1/hardening/measures', accounts.requireFeature('measureBreakdown'), listMeasures())
  server.post('/v1/hardening/roi', accounts.requireFeature('hardeningRoi'), hardeningRoi(lookup, clock))
  accounts.mount(server)
  mountHealth(server, ready)
  const problems = Object.values({ ...httpProblems, ...accountProblems, ...wildfireProblems })
  mountDocs(server, { ...description(http.publicUrl), problems })
  return closeHttpApp(server)
}

const placer: Partial<NriValues> = {
  buildvalue: 105723000000,
  wfir_afreq: 0.006092994,
  wfir_expb: 13143484407,
  wfir_hlrb: 0.3,
  wfir_ealb: 24042066.83,
}

const snapshot = makeSnapshot({
  version: 7,
  stamp: 'test',
  releases: { wrc: '2026-04-15', nri: 'v1.20 (December 2025)' },
  rows: [
    county('06061', 'Placer County', 'CA', 0.961, placer),
    county('12011', 'Broward County', 'FL', 0.998),
    county('72001', 'Adjuntas Municipio', 'PR', null),
  ],
})

function county(
  code: string,
  name: string,
  state: string,
  rank: number | null,
  nri?: Partial<NriValues>,
): CountyRow {
  return {
    ...{ code, name, state, state_name: state, type: 'County' },
    ...{ longitude: null, latitude: null, neighbors: [] },
    wrc: rank === null ? null : { ...blank(wrcNumbers), bp_national_rank: rank },
    nri: nri === undefined ? null : { ...blank(nriNumbers), ...blank(nriTexts), ...nri },
  }
}

function blank<Name extends keyof NriValues | keyof WrcValues>(names: readonly Name[]): Record<Name, null> {
  return Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null> // one per name
}
