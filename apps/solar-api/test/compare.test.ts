import fc from 'fast-check'
import { plans } from '../src/plans.ts'
import { anyInputs } from './any-inputs.ts'
import { startSolar, threeNumbers, type SolarApp } from './support.ts'

let app: SolarApp
let key: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0, signupsPerHour: 0 } })
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

const cash = { name: 'Cash', type: 'cash' }
const ppa = { name: 'PPA', type: 'ppa', pricePerKWh: 0.13, escalator: 0.029 }
const lease = { name: 'Lease', type: 'lease', payment: 105, escalator: 0.019, termYears: 20 }

describe('POST /v1/calculate/compare', () => {
  test('answers with the scenarios in the order of the request and ranks them', async () => {
    const { scenarios, ranking, best, verdict, model } = await compare([cash, lease, ppa])

    expect(model).toBe('solar-v1')
    expect(scenarios.map(({ name, type }) => [name, type])).toEqual([
      ['Cash', 'cash'],
      ['Lease', 'lease'],
      ['PPA', 'ppa'],
    ])
    expect(ranking.map(({ rank, name }) => [rank, name])).toEqual([
      [1, 'Lease'],
      [2, 'PPA'],
      [3, 'Cash'],
    ])
    const npvOf = Object.fromEntries(scenarios.map(({ name, metrics }) => [name, metrics['npv']]))
    expect(ranking.map(({ name, npv }) => npv === npvOf[name])).toEqual([true, true, true])
    expect(best).toBe('Lease')
    expect(verdict.code).toBe('worth_it')
    expect(verdict.message).toContain('“Lease” is worth the most')
  })

  test('shows a PPA as its customer sees it', async () => {
    const [scenario] = (await compare([ppa, cash])).scenarios

    // 10,800 kWh: 1,836 saved at 0.17, 1,404 paid at 0.13
    expect(scenario).toMatchObject({
      costs: { grossCost: 0, upfrontCost: 0, taxCredit: 0, netCost: 0 },
      savings: { year1Savings: 1836, year1NetSavings: 432, lifetimeOperatingCost: 0 },
      metrics: { irrStatus: 'no_sign_change', paybackYears: null, roiPercent: null },
      agreement: { year1Payment: 1404, lastPaymentYear: 25, afterTerm: 'outside_analysis', buyoutCost: 0 },
    })
    expect(scenario?.warnings.map(({ code }) => code)).toContain('NO_UPFRONT_COST')
    expect(scenario?.assumptions).toMatchObject({
      pricePerKWh: { value: 0.13, source: 'request' },
      escalator: { value: 0.029, source: 'request' },
      termYears: { value: 25, source: 'default' },
      buyoutPrice: { value: null, source: 'default' },
      upfrontPayment: { value: 0, source: 'default' },
      maintenanceAndInverterPaidBy: { value: 'provider', source: 'default' },
      rebateTaxCreditAndIncentiveGoTo: { value: 'provider', source: 'default' },
    })
  })

  test('adds the yearly tables when asked for, with what is paid to the provider', async () => {
    const bought = { ...ppa, termYears: 10, buyoutPrice: 7000 }
    const plain = await compare([bought, cash])
    expect(plain.scenarios[0]).not.toHaveProperty('cashFlow')

    const { scenarios } = await compare([bought, cash], { include: ['cashFlow'] })
    const [ofPpa, ofCash] = scenarios.map(({ cashFlow }) => cashFlow ?? [])
    expect([ofPpa?.length, ofCash?.length]).toEqual([26, 26])
    expect(ofPpa?.[1]).toMatchObject({ agreementPayment: 1404, investment: 0, om: 0 })
    expect(ofPpa?.[10]).toMatchObject({ investment: 7000 })
    expect(ofPpa?.[11]).toMatchObject({ agreementPayment: 0, om: ofCash?.[11]?.['om'] })
    expect(ofCash?.[1]).not.toHaveProperty('agreementPayment')
  })

  test('names the terms of a loan that were assumed', async () => {
    const { scenarios, assumptions } = await compare([cash, { name: 'Loan', type: 'loan', apr: 0.05 }])

    expect(scenarios[1]?.assumptions).toMatchObject({
      apr: { value: 0.05, source: 'request' },
      termYears: { value: 20, source: 'default' },
    })
    expect(assumptions).not.toHaveProperty('loan')
    expect(assumptions['utilityRate']).toEqual({ value: 0.17, source: 'request' })
    expect(assumptions['discountRate']).toEqual({ value: 0.06, source: 'default' })
  })

  test.each(Object.keys(plans))('on plan %s', async (plan) => {
    const owner = await app.signUp(plan)
    const body = { ...threeNumbers, scenarios: [cash, ppa] }
    const {
      status,
      headers,
      body: answer,
    } = await app.call('post', '/v1/calculate/compare', {
      ...{ key: owner.key, body },
    })
    if (plan === 'free') {
      expect({ status, answer }).toMatchObject({
        status: 403,
        answer: { code: 'plan_upgrade_required', requiredPlans: Object.keys(plans).slice(1) },
      })
      expect(headers['x-ratelimit-remaining']).toBe('50')
    } else {
      expect(status).toBe(200)
      expect(headers['x-ratelimit-remaining']).toBe(String((plans[plan]?.daily ?? 0) - 1))
    }
  })
})

describe('a purchase in a comparison', () => {
  test('has byte for byte the numbers of a calculation, whatever the inputs', async () => {
    await fc.assert(
      fc.asyncProperty(anyInputs, async ({ loan, ...inputs }) => {
        const terms = loan ?? {}
        const scenarios = [
          { name: 'a', type: 'cash' },
          { name: 'b', type: 'loan', ...terms },
        ]
        const compared = await post('/v1/calculate/compare', { ...inputs, scenarios })
        const bought = await post('/v1/calculate', inputs)
        const borrowed = await post('/v1/calculate', { ...inputs, loan: terms })
        expect(numbersOf(compared.scenarios[0])).toBe(numbersOf(bought))
        expect(numbersOf(compared.scenarios[1])).toBe(numbersOf(borrowed))
      }),
      { numRuns: 60 },
    )
  })
})

describe('what is no comparison', () => {
  test.each<[string, unknown, { pointer: string; code: string; detail?: string }]>([
    ['one scenario', [cash], { pointer: '/scenarios', code: 'too_few' }],
    [
      'six',
      'abcdef'.split('').map((name) => ({ name, type: 'cash' })),
      { pointer: '/scenarios', code: 'too_many' },
    ],
    ['a name twice', [cash, { ...ppa, name: 'Cash' }], { pointer: '/scenarios/1', code: 'repeated' }],
    ['an empty name', [cash, { ...ppa, name: '' }], { pointer: '/scenarios/1/name', code: 'empty' }],
    [
      'a name too long',
      [cash, { ...ppa, name: 'x'.repeat(101) }],
      { pointer: '/scenarios/1/name', code: 'too_long' },
    ],
    [
      'a name with a line end',
      [cash, { ...ppa, name: 'a\nb' }],
      { pointer: '/scenarios/1/name', code: 'wrong_format' },
    ],
    [
      ...(['an unknown type', [cash, { name: 'x', type: 'rent' }]] as const),
      { pointer: '/scenarios/1/type', code: 'not_allowed', detail: 'must be one of cash, loan, lease, ppa' },
    ],
    ['no type', [cash, { name: 'x' }], { pointer: '/scenarios/1/type', code: 'required' }],
    [
      'a PPA without a price',
      [cash, { name: 'x', type: 'ppa', escalator: 0 }],
      { pointer: '/scenarios/1/pricePerKWh', code: 'required' },
    ],
    [
      'a PPA without an escalator',
      [cash, { name: 'x', type: 'ppa', pricePerKWh: 1 }],
      { pointer: '/scenarios/1/escalator', code: 'required' },
    ],
    [
      'a lease per kWh',
      [cash, { ...lease, pricePerKWh: 0.1 }],
      { pointer: '/scenarios/1/pricePerKWh', code: 'unknown_field' },
    ],
    [
      'a price as text',
      [cash, { ...ppa, pricePerKWh: '0.13' }],
      { pointer: '/scenarios/1/pricePerKWh', code: 'not_a_number' },
    ],
    [
      'a term of no year',
      [cash, { ...ppa, termYears: 0 }],
      { pointer: '/scenarios/1/termYears', code: 'too_small' },
    ],
    [
      'a negative price',
      [cash, { ...ppa, buyoutPrice: -1 }],
      { pointer: '/scenarios/1/buyoutPrice', code: 'too_small' },
    ],
    ['no objects', [1, null], { pointer: '/scenarios/0', code: 'not_an_object' }],
  ])('%s is refused with its place', async (_, scenarios, expected) => {
    const { status, body } = await app.call('post', '/v1/calculate/compare', {
      ...{ key, body: { ...threeNumbers, scenarios } },
    })
    const { detail = '', ...place } = expected
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: expect.arrayContaining([
        expect.objectContaining({ ...place, detail: expect.stringContaining(detail) }),
      ]),
    })
  })

  test('a loan outside the scenarios is refused, and costs nothing', async () => {
    const body = { ...threeNumbers, loan: {}, scenarios: [cash, ppa] }
    const owner = await app.signUp('pro')
    const {
      status,
      headers,
      body: answer,
    } = await app.call('post', '/v1/calculate/compare', {
      ...{ key: owner.key, body },
    })
    expect([status, answer.errors[0].pointer, headers['x-ratelimit-remaining']]).toEqual([
      400,
      '/loan',
      '500',
    ])
  })
})

async function compare(scenarios: readonly object[], inputs: object = {}): Promise<Comparison> {
  return post('/v1/calculate/compare', { ...threeNumbers, ...inputs, scenarios })
}

async function post(path: string, body: object) {
  const { status, body: answer } = await app.call('post', path, { key, body })
  expect({ status, answer }).toMatchObject({ status: 200 })
  return answer.data
}

/** All that a calculation computes, as text. */
function numbersOf(data: Readonly<Record<string, unknown>>): string {
  const { system, costs, savings, metrics, environment, financing, cashFlow, warnings } = data
  return JSON.stringify({ system, costs, savings, metrics, environment, financing, cashFlow, warnings })
}

/** The parts of an answer that are looked into; the answer itself is checked against the description. */
type Comparison = {
  readonly model: string
  readonly scenarios: readonly {
    readonly name: string
    readonly type: string
    readonly metrics: Readonly<Record<string, unknown>>
    readonly assumptions: Readonly<Record<string, { value: unknown; source: string }>>
    readonly cashFlow?: readonly Readonly<Record<string, number>>[]
    readonly warnings: readonly { code: string; message: string }[]
  }[]
  readonly ranking: readonly { rank: number; name: string; npv: number }[]
  readonly best: string
  readonly verdict: { code: string; message: string }
  readonly assumptions: Readonly<Record<string, { value: unknown; source: string }>>
}
