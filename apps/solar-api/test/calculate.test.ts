import type { TestApp } from '@hearth/account/testing/test-app'
import fc from 'fast-check'
import { loanDefaults, solarDefaults } from '../src/model/input.ts'
import { anyInputs } from './any-inputs.ts'
import { startSolar, threeNumbers } from './support.ts'

/** Inputs that may be null: there is none of it. */
const nullable = ['systemSizeKW', 'maxSystemSizeKW', 'panelWatts', 'taxCreditCap', 'loan']

let app: TestApp
let key: string

beforeAll(async () => {
  app = await startSolar()
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

describe('POST /v1/calculate', () => {
  test('answers three numbers with a whole calculation', async () => {
    const { key } = await app.signUp()

    const { status, headers, body } = await app.call('post', '/v1/calculate', { key, body: threeNumbers })

    expect(status).toBe(200)
    expect(body.data.system).toMatchObject({
      systemSizeKW: 7.714,
      panelCount: null,
      year1ProductionKWh: 10800,
    })
    expect(body.data.metrics).toMatchObject({ npv: 542.68, irr: 0.062156, paybackYears: 13.82 })
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '49' })
  })

  test('wraps it as {data, meta: {timestamp}}, without success', async () => {
    const before = Date.now()
    const { body } = await app.call('post', '/v1/calculate', { key, body: threeNumbers })

    expect(Object.keys(body)).toEqual(['data', 'meta'])
    expect(Object.keys(body.meta)).toEqual(['timestamp'])
    expect(body.meta.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Date.parse(body.meta.timestamp)).toBeGreaterThanOrEqual(before)
    const parts = ['model', 'system', 'costs', 'savings', 'metrics', 'environment', 'assumptions', 'warnings']
    expect(Object.keys(body.data)).toEqual(parts)
    expect(body.data.model).toBe('solar-v1')
  })

  test('gives the same answer to the same question', async () => {
    const [first, second] = [await calculate(everything), await calculate(everything)]

    expect(first).toEqual(second)
  })
})

describe('assumptions', () => {
  test('name every input that was left out, as default', async () => {
    const { assumptions } = await calculate({})

    const { loan, ...defaults } = solarDefaults
    expect(loan).toBeUndefined()
    expect(Object.keys(assumptions).toSorted()).toEqual(
      [...Object.keys(threeNumbers), ...Object.keys(defaults), 'loan'].toSorted(),
    )
    for (const [name, value] of Object.entries({ ...defaults, loan: null })) {
      expect([name, assumptions[name]]).toEqual([name, { value: value ?? null, source: 'default' }])
    }
    for (const [name, value] of Object.entries(threeNumbers)) {
      expect(assumptions[name]).toEqual({ value, source: 'request' })
    }
  })

  test('echo every input that was given, as request', async () => {
    const { assumptions } = await calculate(everything)

    const { loan, ...inputs } = everything
    const loanInputs = Object.entries(loan).map(([name, value]) => [`loan.${name}`, value] as const)
    const expected = [...Object.entries({ ...threeNumbers, ...inputs }), ...loanInputs]
    expect(Object.keys(assumptions).toSorted()).toEqual(expected.map(([name]) => name).toSorted())
    for (const [name, value] of expected) {
      expect([name, assumptions[name]]).toEqual([name, { value, source: 'request' }])
    }
  })

  test('of a loan say which of its terms were given', async () => {
    const { assumptions } = await calculate({ loan: { fraction: 0.5, apr: 0.05 } })

    const sources = Object.fromEntries(
      Object.entries({ ...loanDefaults, fraction: 0.5, apr: 0.05 }).map(([name, value]) => [
        `loan.${name}`,
        { value, source: name === 'fraction' || name === 'apr' ? 'request' : 'default' },
      ]),
    )
    expect(assumptions).toMatchObject(sources)
    expect(assumptions).not.toHaveProperty('loan')
  })

  test.each(nullable)('take null for %s as "none", as if it were left out', async (name) => {
    const { assumptions, ...given } = await calculate({ [name]: null })
    const { assumptions: defaults, ...leftOut } = await calculate({})

    expect(given).toEqual(leftOut)
    expect(defaults[name]).toEqual({ value: null, source: 'default' })
    expect(assumptions[name]).toEqual({ value: null, source: 'request' })
  })
})

describe('financing', () => {
  test('is absent without a loan', async () => {
    expect(await calculate({})).not.toHaveProperty('financing')
    expect(await calculate({ loan: null })).not.toHaveProperty('financing')
  })

  test('takes {} for a loan over the whole price with all defaults', async () => {
    const all = await calculate({ loan: {} })

    expect(all.financing).toEqual({ loanPayment: 188.4, loanPrincipal: 24300, loanTotalInterest: 20915.43 })
    expect(all.metrics['npv']).not.toBe(all.metrics['npvUnlevered'])
  })

  test('of a part of the price borrows that part', async () => {
    const { financing } = await calculate({ loan: { fraction: 0.25 } })

    expect(financing['loanPrincipal']).toBe(6075)
  })

  test('with a dealer fee borrows more than is built for', async () => {
    const { financing } = await calculate({ loan: { feeRate: 0.1 } })

    expect(financing['loanPrincipal']).toBe(27000)
  })
})

describe('net billing', () => {
  test('values what is used at the utility rate and what is exported at the export rate', async () => {
    const { system, savings } = await calculate({ selfConsumptionFraction: 0.4, exportRate: 0.05 })

    expect(system).toMatchObject({ year1SelfConsumedKWh: 4320, year1ExportedKWh: 6480 })
    expect(savings.year1Savings).toBe(1058.4)
  })
})

describe('include', () => {
  test('cashFlow adds a row per year, from the installation on', async () => {
    const { cashFlow, savings, costs } = await calculate({ include: ['cashFlow'], analysisYears: 10 })

    expect(cashFlow.map(({ year }) => year)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(cashFlow[0]).toMatchObject({ productionKWh: 0, netCashFlow: -costs.upfrontCost })
    expect(cashFlow[1]).toMatchObject({ productionKWh: 10800, savings: 1836, utilityRate: 0.17 })
    expect(cashFlow.at(-1)?.cumulativeCashFlow).toBeCloseTo(savings.lifetimeNetSavings, 2)
  })

  test('changes nothing else, and an empty list adds nothing', async () => {
    const { cashFlow, ...withTable } = await calculate({ include: ['cashFlow'] })

    expect(cashFlow).toHaveLength(26)
    expect(withTable).toEqual(await calculate({}))
    expect(await calculate({ include: [] })).toEqual(await calculate({}))
  })
})

describe('warnings and what cannot be computed', () => {
  test('there are none for an ordinary system', async () => {
    expect((await calculate({})).warnings).toEqual([])
  })

  test('no consumption and no size is an answer with zeros and nulls, not an error', async () => {
    const data = await calculate({ annualConsumptionKWh: 0 })

    expect(data.system).toMatchObject({ systemSizeKW: 0, year1OffsetPercent: null })
    expect(data.costs.grossCost).toBe(0)
    expect(data.metrics).toMatchObject({ ...noMeasures, irrStatus: 'no_sign_change', npv: 0 })
    expect(codes(data)).toEqual(['NO_CONSUMPTION'])
  })

  test.each([
    ['all is exported', { annualConsumptionKWh: 0, systemSizeKW: 5 }, 'ALL_EXPORTED'],
    ['nothing is saved', { utilityRate: 0 }, 'NEVER_PAYS_BACK'],
    ['the money is never back', { utilityRate: 0.02 }, 'NEVER_PAYS_BACK'],
    ['it is not back at the discount rate', { discountRate: 0.09 }, 'NEVER_PAYS_BACK_DISCOUNTED'],
    ['the rebate is larger than the price', { rebateAmount: 1e6 }, 'REBATE_LIMITED'],
    ['nothing is to be paid', { rebateAmount: 1e6 }, 'NO_NET_COST'],
    ['cash comes in every year', { utilityRate: 0.4, loan: { apr: 0.03, termYears: 25 } }, 'IRR_UNDEFINED'],
    ['the loan outlives the analysis', { loan: { termYears: 30 } }, 'LOAN_OUTLIVES_HORIZON'],
    ['a replacement lies beyond it', { inverterReplacementYears: [26] }, 'REPLACEMENT_BEYOND_HORIZON'],
    ['the roof is too small', { maxSystemSizeKW: 3 }, 'SIZE_CAPPED'],
    ['not one panel fits', { maxSystemSizeKW: 0.1, panelWatts: 430 }, 'NO_SYSTEM'],
    ['there is a surplus', { offsetFraction: 1.5 }, 'OVERSIZED'],
    ['the yield looks like a slip', { annualProductionPerKW: 14 }, 'UNUSUAL_YIELD'],
    ['the rate looks like cents', { utilityRate: 9 }, 'UNUSUAL_RATE'],
    [
      'a late inverter undoes the payback',
      { inverterCostPerKW: 3000, inverterReplacementYears: [14] },
      'PAYBACK_UNDONE_BY_REPLACEMENT',
    ],
  ])('when %s, it is said', async (_, inputs, code) => {
    const { warnings } = await calculate(inputs)

    const warning = warnings.find((one) => one.code === code)
    expect([code, warning?.message]).toEqual([code, expect.stringMatching(/^[A-Z].{20,}\.$/)])
  })

  test('our own assumption of an inverter after the end is not worth a warning', async () => {
    expect(codes(await calculate({ analysisYears: 5 }))).not.toContain('REPLACEMENT_BEYOND_HORIZON')
  })

  test('a free system pays back at once and has no return on investment', async () => {
    const { metrics } = await calculate({ installedCostPerWatt: 0 })

    expect(metrics).toMatchObject({ paybackYears: 0, roiPercent: null, irr: null })
  })

  test('a million households at once are computed like one', async () => {
    const data = await calculate({ annualConsumptionKWh: 1e9 })

    expect(data.system['systemSizeKW']).toBe(714285.714)
    expect(data.metrics).toMatchObject({ irr: 0.062156, paybackYears: 13.82 })
  })

  test('whatever the inputs in their ranges, every number is finite and every missing measure has a reason', async () => {
    await fc.assert(
      fc.asyncProperty(anyInputs, async (inputs) => {
        // JSON has no NaN or Infinity: they would be null, which the description allows for few fields.
        const { status, body } = await app.call('post', '/v1/calculate', { key, body: inputs })
        expect(status).toBe(200)
        const { metrics, warnings } = body.data
        expect(metrics.irr === null).toBe(metrics.irrStatus !== 'ok')
        if (Object.values(metrics).includes(null)) expect(warnings).not.toEqual([])
      }),
      { numRuns: 400 },
    )
  })
})

/** Every optional input, each with a value that is not its default. */
const everything = {
  ...{ systemSizeKW: 6.5, offsetFraction: 0.9, maxSystemSizeKW: 20, panelWatts: 430 },
  ...{ installedCostPerWatt: 2.9, fixedCost: 500, rebateAmount: 250, taxCreditRate: 0.1, taxCreditCap: 900 },
  ...{ productionIncentivePerKWh: 0.01, productionIncentiveYears: 5, degradationRate: 0.006 },
  ...{ rateEscalation: 0.03, consumptionGrowth: 0.01, selfConsumptionFraction: 0.6, exportRate: 0.05 },
  ...{ exportEscalation: 0.01, omCostPerKWYear: 18, omEscalation: 0.02, inverterCostPerKW: 180 },
  ...{ inverterReplacementYears: [12], discountRate: 0.05, analysisYears: 20 },
  ...{ emissionFactorKgPerKWh: 0.4, emissionDeclineRate: 0.02 },
  loan: { fraction: 0.8, apr: 0.05, termYears: 15, paymentsPerYear: 4, feeRate: 0.02, interestTaxRate: 0.1 },
}

const noMeasures = {
  irr: null,
  paybackYears: null,
  paybackYearsFinal: null,
  discountedPaybackYears: null,
  lcoePerKWh: null,
  roiPercent: null,
}

/** The data of a calculation with these inputs on top of the three numbers. */
async function calculate(inputs: object): Promise<Calculation> {
  const { status, body } = await app.call('post', '/v1/calculate', {
    key,
    body: { ...threeNumbers, ...inputs },
  })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data
}

function codes({ warnings }: Calculation): string[] {
  return warnings.map(({ code }) => code)
}

/** The parts of an answer that are looked into; the answer itself is checked against the description. */
type Calculation = {
  readonly system: Readonly<Record<string, number | null>>
  readonly costs: Readonly<Record<'grossCost' | 'upfrontCost', number>>
  readonly savings: Readonly<Record<'year1Savings' | 'lifetimeNetSavings', number>>
  readonly metrics: Readonly<Record<string, unknown>>
  readonly financing: Readonly<Record<string, number>>
  readonly cashFlow: readonly Readonly<Record<'year' | 'cumulativeCashFlow', number>>[]
  readonly assumptions: Readonly<Record<string, { value: unknown; source: string }>>
  readonly warnings: readonly { code: string; message: string }[]
}
