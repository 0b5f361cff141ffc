import { existsSync, readFileSync } from 'node:fs'
import { loanDefaults, solarDefaults } from '../src/model/input.ts'
import type { LoanInput, SolarDefaults, SolarInput } from '../src/model/input.ts'
import { planLoan } from '../src/model/loan.ts'
import { npv, payback } from '../src/model/measures.ts'
import { roundResult } from '../src/model/rounding.ts'
import { calculateSolar, solarModel } from '../src/model/solar.ts'
import type { SolarResult } from '../src/model/solar.ts'

// Reference results that are kept beside the repository, not in it. The golden cases among the unit tests of
// the model stand in for them where they are absent.
const directory = new URL('../../../../shared/data/solar/', import.meta.url)
const available = existsSync(directory)
const suite = available ? describe : describe.skip
if (!available) console.log('skipped: reference results not found beside the repository')

suite('the 46 cases of solar-v1, worked out with 60 digits', () => {
  const file = read<CaseFile>('cases.json', { model: '', defaults: {}, loanDefaults: {}, cases: [] })

  test('belong to this model and its defaults', () => {
    expect(file.model).toBe(solarModel)
    expect(file.cases).toHaveLength(46)
    expect(numeric({ ...solarDefaults, inverterReplacementYears: undefined })).toEqual(
      numeric({ ...file.defaults, inverterReplacementYears: undefined }),
    )
    expect(file.defaults['inverterReplacementYears']).toEqual(solarDefaults.inverterReplacementYears)
    expect(numeric(loanDefaults)).toEqual(numeric(file.loanDefaults))
  })

  test.each(file.cases)('$name: unrounded values agree to 1e-9', ({ input, output }) => {
    const fields = flatten(calculateSolar(complete(input)))
    expect(Object.keys(output).filter((name) => !(name in fields))).toEqual([])
    for (const [name, value] of Object.entries(output)) {
      expect([name, fields[name]]).toEqual([name, near(value)])
    }
  })

  test.each(file.cases)('$name: rounded values agree exactly', ({ input, rounded }) => {
    const fields = flatten(roundResult(calculateSolar(complete(input))))
    for (const [name, value] of Object.entries(rounded)) {
      const expected = value === null || name === 'irrStatus' ? value : Number(value)
      expect([name, fields[name]]).toEqual([name, expected])
    }
  })

  test.each(file.cases.filter(({ cashFlow }) => cashFlow))(
    '$name: the cash-flow table agrees in every cell',
    ({ input, cashFlow }) => {
      const rows = calculateSolar(complete(input)).cashFlow
      expect(rows).toHaveLength(cashFlow?.length ?? NaN)
      for (const [index, row] of (cashFlow ?? []).entries()) {
        const expected = Object.entries(row).map(([name, value]) => [name, near(value)])
        expect(rows[index]).toMatchObject(Object.fromEntries(expected))
      }
    },
  )
})

// The whole cases come from programs with hourly tariffs and depreciation schedules, which this model has
// not; their yearly flows are what its measures can be held against.
suite('published after-tax cash flows of SAM (measures only)', () => {
  const vectors = read<KernelVector[]>('ssc_kernel_vectors.json', [])

  test('are 15', () => {
    expect(vectors).toHaveLength(15)
  })

  test.each(vectors)('$name: net present value', ({ cashFlow, nominalDiscountRate, publishedNpv }) => {
    expect(npv(cashFlow, nominalDiscountRate)).toEqual(near(publishedNpv))
  })

  test.each(vectors)('$name: payback', ({ paybackFlow, publishedPayback }) => {
    expect(payback(paybackFlow)).toEqual(near(publishedPayback))
  })
})

// The yearly energy value of these comes from an hourly tariff engine, and two have insurance and property
// tax, so that loan, measures and discounting are tested on their rows rather than through calculateSolar.
suite('published residential loans of SAM (given the yearly energy value)', () => {
  const vectors = read<LoanVector[]>('ssc_vectors.json', []).filter((vector) => vector.energyValue)

  test('are five', () => {
    expect(vectors).toHaveLength(5)
  })

  test.each(vectors)('$name: net present value and payback', (vector) => {
    const { cashFlow, paybackFlow } = samFlows(vector)
    expect(npv(cashFlow, vector.nominalDiscountRate)).toEqual(near(vector.published.npv))
    expect(payback(paybackFlow)).toEqual(near(vector.published.payback))
  })
})

suite('published examples of SAM that fit the inputs of this model', () => {
  const vectors = read<LoanVector[]>('ssc_vectors.json', [])

  test('Wind_Power_Residential: the whole model, its energy value growing 2.5 % a year', () => {
    const vector = named(vectors, 'Wind_Power_Residential')
    const [energyKWh = NaN] = vector.energyKWh ?? []
    const [energyValue = NaN] = vector.energyValue ?? []
    const { metrics } = calculateSolar({
      ...oneKilowatt(vector),
      annualProductionPerKW: energyKWh,
      annualConsumptionKWh: energyKWh,
      utilityRate: energyValue / energyKWh,
      taxCreditRate: vector.taxCreditYear1 / vector.installedCost,
      degradationRate: 0,
      rateEscalation: 0.025,
      loan: samLoan(vector),
    })
    expect(metrics.npv).toEqual(near(vector.published.npv))
    expect(metrics.paybackYears).toEqual(near(vector.published.payback))
  })

  // Published to two digits, with a tolerance of 1 %; the first year's savings follow from the published NPV.
  test('cashloan_discounted_payback: the whole model, to the published tolerance', () => {
    const vector = named(vectors, 'cashloan_discounted_payback')
    const { metrics } = calculateSolar({
      ...oneKilowatt(vector),
      annualProductionPerKW: 1000,
      annualConsumptionKWh: 1000,
      utilityRate: (vector.solvedYear1Savings ?? NaN) / 1000,
      degradationRate: vector.degradation ?? NaN,
      rateEscalation: vector.rateEscalation ?? NaN,
      analysisYears: 30,
    })
    const { npv: value, payback: years, discounted_payback: discountedYears } = vector.published
    expect(metrics.npv).toEqual(near(value))
    expect(Math.abs((metrics.paybackYears ?? NaN) / (years ?? NaN) - 1)).toBeLessThan(0.01)
    expect(Math.abs((metrics.discountedPaybackYears ?? NaN) / (discountedYears ?? NaN) - 1)).toBeLessThan(
      0.01,
    )
    expect(metrics.paybackYears).toEqual(near(vector.reproduced.payback))
    expect(metrics.discountedPaybackYears).toEqual(near(vector.reproduced.discounted_payback ?? null))
  })
})

function oneKilowatt(vector: LoanVector): SolarDefaults {
  return {
    ...solarDefaults,
    systemSizeKW: 1,
    installedCostPerWatt: vector.installedCost / 1000,
    omCostPerKWYear: vector.omYear1,
    omEscalation: vector.omEscalation,
    inverterReplacementYears: [],
    discountRate: vector.nominalDiscountRate,
    analysisYears: vector.years,
  }
}

function samLoan(vector: LoanVector): LoanInput {
  return {
    fraction: vector.debtFraction ?? 0,
    apr: vector.loanRate ?? NaN,
    termYears: vector.loanTermYears ?? NaN,
    paymentsPerYear: 1,
    feeRate: 0,
    interestTaxRate: vector.interestTaxRate ?? NaN,
  }
}

/** The rows of SAM's cash-loan model: operation grows with inflation, property tax is level and deductible. */
function samFlows(vector: LoanVector): { cashFlow: number[]; paybackFlow: number[] } {
  const loan = planLoan(samLoan(vector), vector.installedCost, vector.years)
  const paybackFlow = [-vector.installedCost]
  const cashFlow = [loan.proceeds - vector.installedCost]
  let inflation = 1
  for (const [index, energyValue] of (vector.energyValue ?? []).entries()) {
    const operation = (vector.omYear1 + (vector.insuranceYear1 ?? 0)) * inflation
    const propertyTax = (vector.propertyTax ?? 0) * (1 - (vector.propertyTaxDeductionRate ?? 0))
    const other = (vector.fuelExpense?.[index] ?? 0) + (vector.batteryReplacement?.[index] ?? 0)
    const credit = index === 0 ? vector.taxCreditYear1 : 0
    const earned = energyValue + credit - operation - propertyTax - other
    const { debtService, interest } = loan.schedule[index] ?? { debtService: NaN, interest: NaN }
    paybackFlow.push(earned)
    cashFlow.push(earned - debtService + (vector.interestTaxRate ?? 0) * interest)
    inflation *= 1 + vector.omEscalation
  }
  return { cashFlow, paybackFlow }
}

function complete(input: CaseInput): SolarInput {
  return { ...solarDefaults, ...input, loan: input.loan && { ...loanDefaults, ...input.loan } }
}

function flatten(result: SolarResult): Record<string, unknown> {
  const noLoan = { loanPrincipal: null, loanPayment: null, loanTotalInterest: null }
  const { system, costs, savings, metrics, environment, financing } = result
  return { ...noLoan, ...system, ...costs, ...savings, ...metrics, ...environment, ...financing }
}

/** Within 1e-9 of the value, or within 1e-7 below 1; anything but a number as it is. */
function near(value: unknown): unknown {
  if (typeof value !== 'number') return value
  const tolerance = Math.abs(value) < 1 ? 1e-7 : 1e-9 * Math.abs(value)
  return {
    asymmetricMatch: (actual: unknown) => typeof actual === 'number' && Math.abs(actual - value) <= tolerance,
    toString: () => `near ${value}`,
    toAsymmetricMatcher: () => `near ${value}`,
  }
}

/** Numbers written as strings become numbers, and what is absent becomes null. */
function numeric(values: object): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name,
      value == null ? null : Number(value),
    ]),
  )
}

function named(vectors: readonly LoanVector[], name: string): LoanVector {
  const vector = vectors.find((candidate) => candidate.name === name)
  if (!vector) throw new Error(`There is no vector named ${name}.`)
  return vector
}

function read<Content>(name: string, whenAbsent: Content): Content {
  if (!available) return whenAbsent
  const content: Content = JSON.parse(readFileSync(new URL(name, directory), 'utf8'))
  return content
}

type CaseInput = Pick<SolarInput, 'annualProductionPerKW' | 'annualConsumptionKWh' | 'utilityRate'> &
  Partial<Omit<SolarInput, 'loan'>> & { loan?: Partial<LoanInput> }

type CaseFile = {
  model: string
  defaults: Record<string, unknown>
  loanDefaults: Record<string, unknown>
  cases: {
    name: string
    input: CaseInput
    output: Record<string, number | string | null>
    rounded: Record<string, string | null>
    cashFlow?: Record<string, number>[] | null
  }[]
}

type KernelVector = {
  name: string
  nominalDiscountRate: number
  cashFlow: number[]
  paybackFlow: number[]
  publishedNpv: number
  publishedPayback: number | null
}

type LoanVector = {
  name: string
  years: number
  nominalDiscountRate: number
  installedCost: number
  omYear1: number
  omEscalation: number
  taxCreditYear1: number
  debtFraction?: number
  loanRate?: number
  loanTermYears?: number
  interestTaxRate?: number
  insuranceYear1?: number
  propertyTax?: number
  propertyTaxDeductionRate?: number
  energyValue?: number[]
  energyKWh?: number[]
  batteryReplacement?: number[] | null
  fuelExpense?: number[] | null
  degradation?: number
  rateEscalation?: number
  solvedYear1Savings?: number
  published: { npv: number; payback: number | null; discounted_payback: number | null }
  reproduced: { npv: number; payback: number | null; discounted_payback?: number }
}
