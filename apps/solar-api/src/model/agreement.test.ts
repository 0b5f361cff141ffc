import fc from 'fast-check'
import { calculateAgreement, type Agreement, type AgreementResult } from './agreement.ts'
import { solarDefaults, type SolarInput } from './input.ts'
import { calculateSolar } from './solar.ts'

/** 10,000 kWh a year that offset 0.20 USD/kWh, with nothing that changes over time. */
const home: SolarInput = {
  ...solarDefaults,
  ...{ annualProductionPerKW: 1250, annualConsumptionKWh: 10_000, systemSizeKW: 8, utilityRate: 0.2 },
  ...{ degradationRate: 0, rateEscalation: 0, discountRate: 0.05 },
}
const ppa: Agreement = {
  ...{ type: 'ppa', pricePerKWh: 0.15, escalator: 0, termYears: 20, buyoutPrice: undefined },
}
const lease: Agreement = {
  ...{ type: 'lease', payment: 100, paymentsPerYear: 12 },
  ...{ escalator: 0, termYears: 20, buyoutPrice: undefined },
}

describe('a power purchase agreement', () => {
  test('saves the difference of the prices while it lasts, and nothing once the system is gone', () => {
    const { savings, metrics, cashFlow, agreement } = calculateAgreement(home, ppa)

    // 10,000 kWh * (0.20 - 0.15) = 500 a year, 20 times; the annuity factor at 5 % is 12.46221034...
    expect(savings.year1NetSavings).toBeCloseTo(500, 9)
    expect(savings.lifetimeNetSavings).toBeCloseTo(10_000, 8)
    expect(metrics.npv).toBeCloseTo(500 * 12.462210342539, 7)
    expect(metrics.npvUnlevered).toBe(metrics.npv)
    // all of the price is paid for all of the energy
    expect(metrics.lcoePerKWh).toBeCloseTo(0.15, 12)
    expect(agreement).toEqual({
      ...{ year1Payment: 1500, lifetimePayments: 30_000, lastPaymentYear: 20 },
      ...{ afterTerm: 'removal', buyoutCost: 0 },
    })
    expect(cashFlow).toHaveLength(26)
    expect(cashFlow[20]).toMatchObject({ savings: 2000, agreementPayment: 1500, productionKWh: 10_000 })
    expect(cashFlow[21]).toMatchObject({ savings: 0, agreementPayment: 0, productionKWh: 0, co2AvoidedKg: 0 })
  })

  test('is paid for every kWh, also for those that are exported for less', () => {
    const { cashFlow } = calculateAgreement({ ...home, selfConsumptionFraction: 0.4, exportRate: 0.05 }, ppa)

    // 4,000 kWh at 0.20 and 6,000 kWh at 0.05 are saved; 10,000 kWh at 0.15 are paid
    expect(cashFlow[1]).toMatchObject({ savings: 1100, agreementPayment: 1500, netCashFlow: -400 })
  })

  test('with an escalator equals the closed form of two geometric series', () => {
    const input = { ...home, degradationRate: 0.005, rateEscalation: 0.025 }
    const { metrics, agreement } = calculateAgreement(input, { ...ppa, escalator: 0.029 })

    const saved = 2000 * series(0.995 * 1.025, 20, 1.05)
    const paid = 1500 * series(0.995 * 1.029, 20, 1.05)
    expect(metrics.npv).toBeCloseTo(saved - paid, 7)
    expect(agreement.lifetimePayments).toBeCloseTo(1500 * series(0.995 * 1.029, 20, 1), 7)
  })

  test('from year to year costs the price of year 1 grown once less often than years have begun', () => {
    const { cashFlow } = calculateAgreement(home, { ...ppa, escalator: 0.1 })

    expect(cashFlow.slice(0, 4).map((row) => row.agreementPayment)).toEqual([
      ...[0, 1500, expect.closeTo(1650, 9), expect.closeTo(1815, 9)],
    ])
  })
})

describe('a lease', () => {
  test('costs the same whatever is produced', () => {
    const { savings, metrics, agreement } = calculateAgreement({ ...home, degradationRate: 0.01 }, lease)

    expect(agreement).toMatchObject({ year1Payment: 1200, lifetimePayments: 24_000 })
    expect(savings.year1NetSavings).toBe(800)
    expect(metrics.npv).toBeCloseTo(2000 * series(0.99, 20, 1.05) - 1200 * series(1, 20, 1.05), 7)
  })

  test('can be paid once a year', () => {
    const yearly: Agreement = { ...lease, payment: 1200, paymentsPerYear: 1 }
    expect(calculateAgreement(home, yearly)).toEqual(calculateAgreement(home, lease))
  })

  test('gives what SAM publishes for its own example', () => {
    // ssc test/input_json/FinancialModels/thirdpartyownership, Generic System: 25 USD a month growing 1 % a year,
    // 6.4 % real discount rate and 2.5 % inflation, 30,274.56 kWh of which the first year is worth 1,393.78 USD.
    const kWh = 30274.559999993733
    const input: SolarInput = {
      ...home,
      ...{ annualProductionPerKW: kWh, systemSizeKW: 1, annualConsumptionKWh: kWh },
      ...{ utilityRate: 1393.7775468 / kWh, rateEscalation: 0.025, discountRate: 1.064 * 1.025 - 1 },
    }
    const terms: Agreement = { ...lease, payment: 25, escalator: 0.01, termYears: 25 }
    const { metrics, cashFlow } = calculateAgreement(input, terms)

    expect(Math.abs(metrics.npv / 13564.951200230686 - 1)).toBeLessThan(1e-12)
    expect(cashFlow[25]?.agreementPayment).toBeCloseTo(380.92039455957445, 9)
    expect(cashFlow[25]?.netCashFlow).toBeCloseTo(2140.0412222831442, 8)
    expect(cashFlow[25]?.cumulativeCashFlow).toBeCloseTo(39135.364568034624, 7)
  })
})

describe('what is the owner’s', () => {
  const costly = { ...home, rebateAmount: 900, taxCreditRate: 0.3, productionIncentivePerKWh: 0.03 }
  const input = { ...costly, productionIncentiveYears: 25, inverterReplacementYears: [10, 22] }

  test('is neither paid nor received by the customer while the term lasts', () => {
    const { costs, savings, cashFlow } = calculateAgreement(input, ppa)

    expect(costs).toEqual({ grossCost: 0, upfrontCost: 0, taxCredit: 0, netCost: 0 })
    expect(savings.lifetimeOperatingCost).toBe(0)
    for (const { incentive, taxCredit, om, inverter, investment } of cashFlow) {
      expect([incentive, taxCredit, om, inverter, investment]).toEqual([0, 0, 0, 0, 0])
    }
  })

  test('comes to the customer with a buy-out, which is paid in the last year of the term', () => {
    const { agreement, cashFlow } = calculateAgreement(input, { ...ppa, buyoutPrice: 4000 })
    const owner = calculateSolar(input).cashFlow

    expect(agreement).toMatchObject({ afterTerm: 'buyout', buyoutCost: 4000, lifetimePayments: 30_000 })
    expect(cashFlow[20]).toMatchObject({ investment: 4000, agreementPayment: 1500, om: 0 })
    for (const year of [21, 22, 23, 24, 25]) {
      const { savings, om, inverter, incentive, unleveredCashFlow } = owner[year] ?? never()
      expect(cashFlow[year]).toMatchObject({
        savings,
        om,
        inverter,
        incentive,
        netCashFlow: unleveredCashFlow,
      })
    }
    expect(cashFlow[22]?.inverter).toBeGreaterThan(0)
  })
})

describe('measures and warnings', () => {
  test('nothing is paid back, because nothing is laid out, and it is said', () => {
    const { metrics, warnings } = calculateAgreement(home, ppa)

    expect(metrics).toMatchObject({
      ...{ paybackYears: null, paybackYearsFinal: null, discountedPaybackYears: null, roiPercent: null },
      ...{ irr: null, irrStatus: 'no_sign_change' },
    })
    expect(warnings.map(({ code }) => code)).toEqual(['NO_UPFRONT_COST', 'SYSTEM_REMOVED', 'IRR_UNDEFINED'])
  })

  test('an agreement that first costs and later saves has a rate of return', () => {
    const input = { ...home, rateEscalation: 0.05 }
    const { metrics } = calculateAgreement(input, { ...ppa, pricePerKWh: 0.23 })

    // 2000 * 1.05^(t-1) - 2300 is negative in years 1 to 3
    expect(metrics.irrStatus).toBe('ok')
    const worthless = calculateAgreement(
      { ...input, discountRate: metrics.irr ?? NaN },
      { ...ppa, pricePerKWh: 0.23 },
    )
    expect(worthless.metrics.npv).toBeCloseTo(0, 7)
  })

  test.each<[string, Partial<Agreement>, string]>([
    [
      'PAYMENTS_EXCEED_SAVINGS',
      { escalator: 0.03 },
      'In 10 of the 20 years paid for, the first being year 11,',
    ],
    ['AGREEMENT_OUTLIVES_HORIZON', { termYears: 30 }, 'longer than the 25 years'],
    ['BUYOUT_BEYOND_HORIZON', { termYears: 25, buyoutPrice: 1 }, 'at the end of year 25'],
    ['SYSTEM_REMOVED', {}, 'after year 20 at the cost of its owner; years 21 to 25'],
  ])('%s is raised for %j', (code, change, words) => {
    const { warnings } = calculateAgreement(home, { ...ppa, ...change } as Agreement)
    const raised = warnings.filter((warning) => warning.code === code)
    expect(raised).toEqual([{ code, message: expect.stringContaining(words) }])
    expect(raised[0]?.message).toMatch(/^[A-Z].*\.$/)
  })

  test.each<[string, Partial<Agreement>]>([
    ['AGREEMENT_OUTLIVES_HORIZON', { termYears: 25 }],
    ['SYSTEM_REMOVED', { termYears: 25 }],
    ['SYSTEM_REMOVED', { buyoutPrice: 0 }],
    ['BUYOUT_BEYOND_HORIZON', { termYears: 24, buyoutPrice: 1 }],
    ['PAYMENTS_EXCEED_SAVINGS', {}],
  ])('%s is not raised for %j', (code, change) => {
    const { warnings } = calculateAgreement(home, { ...ppa, ...change } as Agreement)
    expect(warnings.map((warning) => warning.code)).not.toContain(code)
  })

  test('there is no lease of nothing', () => {
    const empty = { ...home, systemSizeKW: undefined, annualConsumptionKWh: 0 }
    for (const agreement of [ppa, { ...lease, buyoutPrice: 5000 }]) {
      const result = calculateAgreement(empty, agreement)
      expect(result).toMatchObject({
        metrics: { npv: 0, lcoePerKWh: null },
        agreement: { lifetimePayments: 0, buyoutCost: 0 },
      })
      expect(result.warnings.map(({ code }) => code)).toContain('NO_CONSUMPTION')
    }
  })
})

describe('for every agreement', () => {
  test('what is paid and what is saved make up the net present value', () => {
    fc.assert(
      fc.property(inputs, agreements, (input, agreement) => {
        const result = calculateAgreement(input, agreement)
        const { metrics, cashFlow, savings, agreement: terms } = result
        expect(numbersIn(result).filter((x) => !Number.isFinite(x))).toEqual([])
        const paid = terms.lifetimePayments + terms.buyoutCost + savings.lifetimeOperatingCost
        const received = savings.lifetimeBillSavings + sum(result, 'incentive')
        const scale = 1 + Math.abs(paid) + received
        expect(Math.abs(savings.lifetimeNetSavings - (received - paid)) / scale).toBeLessThan(1e-12)
        const last = cashFlow.at(-1) ?? never()
        expect(Math.abs(last.cumulativeDiscountedCashFlow - metrics.npv) / scale).toBeLessThan(1e-9)
      }),
    )
  })

  test('one that is dearer is worth less', () => {
    fc.assert(
      fc.property(
        inputs,
        agreements,
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (input, agreement, more) => {
          const dearer: Agreement =
            agreement.type === 'ppa'
              ? { ...agreement, pricePerKWh: agreement.pricePerKWh + more }
              : { ...agreement, payment: agreement.payment + more }
          expect(calculateAgreement(input, dearer).metrics.npv).toBeLessThan(
            calculateAgreement(input, agreement).metrics.npv,
          )
        },
      ),
    )
  })

  test('one that ends in year 0 of nothing but a buy-out of the price is a purchase a year late', () => {
    // A term of one free year, then bought at the price: an owner's flows but for the first year.
    fc.assert(
      fc.property(inputs, (input) => {
        fc.pre(input.analysisYears > 1)
        const price = calculateSolar(input).costs.upfrontCost
        const free: Agreement = { ...ppa, pricePerKWh: 0, termYears: 1, buyoutPrice: price }
        const { cashFlow } = calculateAgreement(input, free)
        const owner = calculateSolar({ ...input, loan: undefined }).cashFlow
        for (const row of owner.slice(2)) {
          expect(cashFlow[row.year]?.netCashFlow).toBe(row.unleveredCashFlow)
        }
        expect(cashFlow[1]?.netCashFlow).toBe((owner[1]?.savings ?? NaN) - price)
      }),
    )
  })
})

const inputs: fc.Arbitrary<SolarInput> = fc
  .record({
    annualConsumptionKWh: fc.integer({ min: 500, max: 50_000 }),
    utilityRate: fc.integer({ min: 5, max: 60 }).map((cents) => cents / 100),
    selfConsumptionFraction: fc.constantFrom(0.3, 0.7, 1),
    rateEscalation: fc.constantFrom(-0.02, 0, 0.025, 0.06),
    degradationRate: fc.constantFrom(0, 0.005, 0.02),
    discountRate: fc.constantFrom(-0.02, 0, 0.06, 0.12),
    analysisYears: fc.integer({ min: 1, max: 50 }),
    productionIncentivePerKWh: fc.constantFrom(0, 0.05),
    productionIncentiveYears: fc.integer({ min: 0, max: 50 }),
  })
  .map((drawn) => ({ ...solarDefaults, annualProductionPerKW: 1400, ...drawn }))

const agreements: fc.Arbitrary<Agreement> = fc
  .record({
    escalator: fc.constantFrom(-0.05, 0, 0.01, 0.029, 0.1),
    termYears: fc.integer({ min: 1, max: 50 }),
    buyoutPrice: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
    price: fc.integer({ min: 0, max: 400 }),
    type: fc.constantFrom('lease' as const, 'ppa' as const),
  })
  .map(({ price, type, ...terms }) =>
    type === 'ppa'
      ? { ...terms, type, pricePerKWh: price / 1000 }
      : { ...terms, type, payment: price, paymentsPerYear: 12 },
  )

/** 1 + q + ... of the end of each year in money of today, by the quotient formula. */
function series(growth: number, years: number, discount: number): number {
  const q = growth / discount
  return (q === 1 ? years : (q ** years - 1) / (q - 1)) / discount
}

function sum({ cashFlow }: AgreementResult, column: 'incentive'): number {
  return cashFlow.reduce((all, row) => all + row[column], 0)
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}

function never(): never {
  throw new Error('There is no such row.')
}
