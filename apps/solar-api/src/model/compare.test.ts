import { calculateAgreement, type Agreement } from './agreement.ts'
import { calculateScenario, rank, verdictOn, type Financing, type NamedResult } from './compare.ts'
import { loanDefaults, solarDefaults, type SolarInput } from './input.ts'
import { roundResult } from './rounding.ts'
import { calculateSolar } from './solar.ts'

const home: SolarInput = {
  ...solarDefaults,
  ...{ annualProductionPerKW: 1400, annualConsumptionKWh: 10_800, utilityRate: 0.17 },
}
const ppa: Agreement = {
  ...{ type: 'ppa', pricePerKWh: 0.14, escalator: 0.02, termYears: 20, buyoutPrice: undefined },
}

describe('calculateScenario', () => {
  test('makes of a purchase what a calculation makes of it', () => {
    expect(calculateScenario(home, { type: 'cash' })).toEqual(roundResult(calculateSolar(home)))
    expect(calculateScenario(home, { type: 'loan', loan: loanDefaults })).toEqual(
      roundResult(calculateSolar({ ...home, loan: loanDefaults })),
    )
  })

  test('does not take the loan of the input for that of a scenario', () => {
    const input = { ...home, loan: loanDefaults }
    for (const financing of [{ type: 'cash' }, ppa] satisfies Financing[]) {
      expect(calculateScenario(input, financing)).toEqual(calculateScenario(home, financing))
    }
  })

  test('rounds what is paid under an agreement like all money', () => {
    const { agreement, cashFlow } = calculateScenario(home, ppa)
    const exact = calculateAgreement(home, ppa)

    expect(agreement?.lifetimePayments).toBe(Number(exact.agreement.lifetimePayments.toFixed(2)))
    expect(cashFlow.map((row) => row.agreementPayment)).toEqual(
      exact.cashFlow.map((row) => Number(row.agreementPayment.toFixed(2))),
    )
  })
})

describe('rank', () => {
  test('puts the highest net present value first and says what the others lack', () => {
    const ranking = rank([named('cash', home), named('cheap', { ...home, installedCostPerWatt: 2 })])

    expect(ranking).toMatchObject([
      { rank: 1, name: 'cheap', behindBest: 0 },
      // 7.714 kW are 1.15 USD/W dearer, all of it on the first day
      { rank: 2, name: 'cash', npv: 542.68, behindBest: 8871.43, outOfPocketCost: 24_300 },
    ])
  })

  test('gives equal values one rank, in the order of the request', () => {
    const ranking = rank([named('dear', { ...home, fixedCost: 1 }), named('b', home), named('a', home)])

    expect(ranking.map(({ rank: place, name }) => [place, name])).toEqual([
      [1, 'b'],
      [1, 'a'],
      [3, 'dear'],
    ])
  })

  test('shows what is to be paid on the first day, and the first year with all payments', () => {
    const loan = { ...loanDefaults, fraction: 0.75 }
    const input = { ...home, taxCreditRate: 0.1 }
    const result = calculateScenario(input, { type: 'loan', loan })
    const [row] = rank([{ name: 'Loan', type: 'loan', result }])

    expect(row?.outOfPocketCost).toBe(6075)
    // 1,836 off the bill and 2,430 of credit, less 154.29 of maintenance and twelve payments on 18,225
    expect(row?.year1CashFlow).toBeCloseTo(1836 + 2430 - 154.29 - 12 * 141.3, 1)
  })
})

describe('verdictOn', () => {
  test('names the best and how far ahead it is', () => {
    const ranking = rank([named('cash', home), named('cheap', { ...home, installedCostPerWatt: 2 })])

    expect(verdictOn(home, ranking)).toEqual({
      code: 'worth_it',
      message:
        '“cheap” is worth the most: a net present value of $9,414 over 25 years at a discount rate of 6 %, $8,871 more than “cash”.',
    })
  })

  test('names all that are equally good', () => {
    const ranking = rank([named('a', home), named('b', home)])

    expect(verdictOn(home, ranking).message).toBe(
      '“a” and “b” are worth the most: a net present value of $543 each over 25 years at a discount rate of 6 %.',
    )
  })

  test('says when nothing is worth more than no system', () => {
    const poor = { ...home, utilityRate: 0.1, analysisYears: 1 }
    const ranking = rank([named('cash', poor), named('dear', { ...poor, fixedCost: 1000 })])

    expect(verdictOn(poor, ranking)).toEqual({
      code: 'nothing_pays_off',
      message: expect.stringMatching(
        /^Nothing here is worth more than staying without solar over 1 year at .* 6 %; “cash” loses the least, \$23,\d{3} of net present value\.$/,
      ),
    })
  })

  test('says when it makes no difference', () => {
    const nothing = { ...home, annualConsumptionKWh: 0 }
    const ranking = rank([named('cash', nothing), { ...named('x', nothing), type: 'loan' }])

    expect(verdictOn(nothing, ranking).code).toBe('breaks_even')
  })
})

function named(name: string, input: SolarInput): NamedResult {
  return { name, type: 'cash', result: calculateScenario(input, { type: 'cash' }) }
}
