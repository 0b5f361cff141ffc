import fc from 'fast-check'
import type { CashFlowRow } from './cash-flow.ts'
import { streamsOf, unleveredNpv, valuePerDollarBorrowed } from './closed-form.ts'
import type { SolarInput } from './input.ts'
import { lastingPayback, npv } from './measures.ts'
import { roundResult } from './rounding.ts'
import { calculateSolar, summariseSolar } from './solar.ts'
import { designSystem } from './system.ts'

describe('for every valid input', () => {
  test('the year loop equals the closed forms', () => {
    fc.assert(
      fc.property(validInput(), (input) => {
        const { metrics, cashFlow } = calculateSolar(input)
        const streams = streamsOf(input, designSystem(input))
        const unlevered = unleveredNpv(streams, input.discountRate)
        const borrowed = input.loan ? streams.upfrontCost * input.loan.fraction : 0
        const value = input.loan
          ? valuePerDollarBorrowed(input.loan, input.analysisYears, input.discountRate)
          : 0
        const tolerance = slack(1e-9, cashFlow, input.discountRate)
        expect(Math.abs(metrics.npvUnlevered - unlevered)).toBeLessThanOrEqual(tolerance)
        expect(Math.abs(metrics.npv - unlevered - borrowed * value)).toBeLessThanOrEqual(tolerance)
      }),
      { numRuns: 500 },
    )
  })

  test('the summary is the result without its table, and its sums are those of the table', () => {
    fc.assert(
      fc.property(validInput(), (input) => {
        const { cashFlow, ...rest } = calculateSolar(input)
        expect(summariseSolar(input)).toEqual(rest)
        const sum = (of: (row: CashFlowRow) => number) => cashFlow.reduce((all, row) => all + of(row), 0)
        expect(rest.system.lifetimeProductionKWh).toBe(sum((row) => row.productionKWh))
        expect(rest.savings.lifetimeBillSavings).toBe(sum((row) => row.savings))
        expect(rest.savings.lifetimeOperatingCost).toBe(sum((row) => row.om + row.inverter))
        expect(rest.savings.lifetimeNetSavings).toBe(sum((row) => row.netCashFlow))
        expect(rest.environment.co2LifetimeKg).toBe(sum((row) => row.co2AvoidedKg))
      }),
      { numRuns: 500 },
    )
  })

  test('every number is finite, and never -0 once rounded', () => {
    fc.assert(
      fc.property(validInput(), (input) => {
        const result = calculateSolar(input)
        expect(numbersIn(result).filter((x) => !Number.isFinite(x))).toEqual([])
        const rounded = numbersIn(roundResult(result))
        expect(rounded.filter((x) => !Number.isFinite(x) || Object.is(x, -0))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('an internal rate of return makes the cash flow worth nothing', () => {
    fc.assert(
      fc.property(validInput(), (input) => {
        const { metrics, cashFlow } = calculateSolar(input)
        expect(metrics.irr === null).toBe(metrics.irrStatus !== 'ok')
        if (metrics.irr === null) return
        const flows = cashFlow.map((row) => row.netCashFlow)
        const turnover = npv(flows.map(Math.abs), metrics.irr)
        expect(Math.abs(npv(flows, metrics.irr))).toBeLessThanOrEqual(1e-9 * turnover + 1e-9)
      }),
      { numRuns: 500 },
    )
  })

  test('payback comes in order, and lasts in money of today where there is a present value', () => {
    fc.assert(
      fc.property(validInput(), (input) => {
        const { metrics, cashFlow, system } = calculateSolar(input)
        fc.pre(system.systemSizeKW > 0)
        const { paybackYears, paybackYearsFinal, discountedPaybackYears } = metrics
        if (paybackYearsFinal !== null) expect(paybackYears).toBeLessThanOrEqual(paybackYearsFinal)
        if (input.discountRate >= 0 && discountedPaybackYears !== null) {
          expect(paybackYears).toBeLessThanOrEqual(discountedPaybackYears + 1e-9)
        }
        const present = discounted(
          cashFlow.map((row) => row.unleveredCashFlow),
          input.discountRate,
        )
        expect(lastingPayback(present) !== null).toBe(metrics.npvUnlevered >= 0)
      }),
      { numRuns: 500 },
    )
  })

  test('the present value grows in proportion to the consumption where nothing else limits the size', () => {
    fc.assert(
      fc.property(validInput(), fc.integer({ min: 5, max: 20 }), (input, tenths) => {
        const factor = tenths / 10
        const free = {
          ...input,
          ...{ systemSizeKW: undefined, maxSystemSizeKW: undefined, panelWatts: undefined },
          ...{ fixedCost: 0, rebateAmount: 0, taxCreditCap: undefined },
        }
        const one = calculateSolar(free)
        const many = calculateSolar({ ...free, annualConsumptionKWh: factor * free.annualConsumptionKWh })
        expect(Math.abs(many.metrics.npv - factor * one.metrics.npv)).toBeLessThanOrEqual(
          slack(1e-9, many.cashFlow, free.discountRate),
        )
      }),
    )
  })

  test('a dearer system is never worth more, nor paid back sooner', () => {
    fc.assert(
      fc.property(validInput(), fc.integer({ min: 0, max: 500 }), (input, cents) => {
        // A credit counts at the end of year 1: with a negative discount rate it could exceed the cost.
        fc.pre(input.discountRate >= 0)
        const cheap = calculateSolar(input)
        const dear = calculateSolar({
          ...input,
          installedCostPerWatt: input.installedCostPerWatt + cents / 100,
        })
        expect(dear.metrics.npvUnlevered).toBeLessThanOrEqual(
          cheap.metrics.npvUnlevered + slack(1e-12, dear.cashFlow, input.discountRate),
        )
        if (dear.metrics.paybackYears !== null) {
          expect(cheap.metrics.paybackYears).toBeLessThanOrEqual(dear.metrics.paybackYears + 1e-9)
        }
      }),
    )
  })

  test('the last row of the table holds the totals', () => {
    fc.assert(
      fc.property(validInput(), (input) => {
        const { cashFlow, metrics, savings } = calculateSolar(input)
        expect(cashFlow.at(-1)).toMatchObject({
          year: input.analysisYears,
          cumulativeCashFlow: savings.lifetimeNetSavings,
        })
        const last = cashFlow.at(-1)?.cumulativeDiscountedCashFlow ?? NaN
        expect(Math.abs(last - metrics.npv)).toBeLessThanOrEqual(slack(1e-12, cashFlow, input.discountRate))
      }),
    )
  })
})

/** The flows in money of year 0. */
function discounted(flows: readonly number[], rate: number): number[] {
  const discount = 1 / (1 + rate)
  let factor = 1
  return flows.map((flow) => {
    const value = flow * factor
    factor *= discount
    return value
  })
}

/** A sum is as exact as what went into it is large, energy that is only subtracted again included. */
function slack(relative: number, cashFlow: readonly CashFlowRow[], discountRate: number): number {
  const turnover = cashFlow.map((row) => {
    const energy = row.productionKWh * (row.utilityRate + row.exportRate)
    const operation = energy + row.incentive + row.taxCredit + row.om + row.inverter + row.investment
    return operation + row.loanProceeds + row.debtService + Math.abs(row.interestTaxBenefit)
  })
  return relative * npv(turnover, discountRate) + 1e-9
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}

/** Anything within the ranges of SolarInput, with the ordinary as likely as the extreme. */
function validInput(): fc.Arbitrary<SolarInput> {
  // fc.double spreads over the exponents, so that almost every number it draws is next to nothing.
  const between = (min: number, max: number) =>
    fc.integer({ min: 0, max: 1_000_000_000 }).map((step) => min + ((max - min) * step) / 1_000_000_000)
  const rate = fc.oneof(between(-0.05, 0.1), between(-0.5, 1), fc.constantFrom(0, 0.06, -0.5, 1))
  const orNone = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const loan = fc.record({
    fraction: fc.oneof(between(0, 1), fc.constantFrom(0, 1)),
    apr: fc.oneof(between(0, 0.15), between(0, 1), fc.constant(0)),
    termYears: fc.integer({ min: 1, max: 50 }),
    paymentsPerYear: fc.constantFrom(1, 2, 4, 12, 26, 52),
    feeRate: between(0, 0.9),
    interestTaxRate: fc.oneof(between(0, 1), fc.constant(0)),
  })
  return fc.record({
    annualProductionPerKW: between(1, 3000),
    annualConsumptionKWh: fc.oneof(between(1, 30_000), between(0, 1e9), fc.constantFrom(0, 1e-310, 1e9)),
    utilityRate: fc.oneof(between(0, 0.6), between(0, 10), fc.constant(0)),
    systemSizeKW: orNone(fc.oneof(between(0.1, 20), between(0.001, 1e6))),
    offsetFraction: between(0.01, 10),
    maxSystemSizeKW: orNone(between(0.001, 1e6)),
    panelWatts: orNone(between(1, 2000)),
    installedCostPerWatt: fc.oneof(between(0, 6), between(0, 100)),
    fixedCost: fc.oneof(fc.constant(0), between(0, 1e9)),
    rebateAmount: fc.oneof(fc.constant(0), between(0, 1e12)),
    taxCreditRate: fc.oneof(fc.constant(0), between(0, 1)),
    taxCreditCap: orNone(between(0, 1e9)),
    productionIncentivePerKWh: fc.oneof(fc.constant(0), between(0, 10)),
    productionIncentiveYears: fc.integer({ min: 0, max: 50 }),
    degradationRate: rate,
    rateEscalation: rate,
    consumptionGrowth: rate,
    selfConsumptionFraction: fc.oneof(fc.constantFrom(0, 1), between(0, 1)),
    exportRate: fc.oneof(between(0, 0.3), between(0, 10)),
    exportEscalation: rate,
    omCostPerKWYear: between(0, 1000),
    omEscalation: rate,
    inverterCostPerKW: between(0, 10_000),
    inverterReplacementYears: fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 10 }),
    discountRate: fc.oneof(rate, between(-0.98, 1)),
    analysisYears: fc.integer({ min: 1, max: 50 }),
    loan: orNone(loan),
    emissionFactorKgPerKWh: between(0, 10),
    emissionDeclineRate: rate,
  })
}
