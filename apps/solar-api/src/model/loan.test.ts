import { loanDefaults } from './input.ts'
import type { LoanInput } from './input.ts'
import { planLoan } from './loan.ts'

const mortgage: LoanInput = { ...loanDefaults, apr: 0.06, termYears: 30 }

describe('planLoan', () => {
  test('finds the textbook payment of a mortgage', () => {
    // 100,000 USD at 6 % over 30 years: 599.55 a month
    const { payment, principal, proceeds } = planLoan(mortgage, 100_000, 30)
    expect(payment).toBeCloseTo(599.5505251527, 9)
    expect([principal, proceeds]).toEqual([100_000, 100_000])
  })

  test('pays level amounts whose interest falls to nothing', () => {
    const { schedule, totalInterest } = planLoan(mortgage, 100_000, 30)
    expect(schedule).toHaveLength(30)
    expect(schedule[0]?.debtService).toBeCloseTo(12 * 599.5505251527, 8)
    expect(schedule[29]?.debtService).toBeCloseTo(12 * 599.5505251527, 8)
    // first year of the amortisation table: 5,966.59 interest, 1,228.01 principal
    expect(schedule[0]?.interest).toBeCloseTo(5966.5945895563, 8)
    const interest = schedule.reduce((sum, year) => sum + year.interest, 0)
    expect(interest).toBeCloseTo(totalInterest, 6)
  })

  test('agrees with a balance carried from payment to payment', () => {
    const loan = { ...loanDefaults, apr: 0.0725, termYears: 9, paymentsPerYear: 4 }
    const { payment, schedule } = planLoan(loan, 20_000, 12)
    let balance = 20_000
    const interest = [...Array(9).keys()].map(() => {
      let year = 0
      for (let quarter = 0; quarter < 4; quarter++) {
        const due = (balance * 0.0725) / 4
        year += due
        balance += due - payment
      }
      return year
    })
    expect(balance).toBeCloseTo(0, 8)
    schedule
      .slice(0, 9)
      .forEach((year, index) => expect(year.interest).toBeCloseTo(interest[index] ?? NaN, 8))
    expect(schedule.slice(9)).toEqual(Array(3).fill({ debtService: 0, interest: 0 }))
  })

  test('divides the principal evenly at 0 %', () => {
    const plan = planLoan({ ...loanDefaults, apr: 0, termYears: 10 }, 12_000, 10)
    expect(plan.payment).toBe(100)
    expect(plan.totalInterest).toBe(0)
    expect(plan.schedule).toEqual(Array(10).fill({ debtService: 1200, interest: 0 }))
  })

  test('pays off the balance in the last year analysed', () => {
    const { schedule, totalInterest } = planLoan({ ...loanDefaults, apr: 0, termYears: 10 }, 12_000, 4)
    expect(schedule.map((year) => year.debtService)).toEqual([1200, 1200, 1200, 1200 + 7200])
    expect(schedule.map((year) => year.interest)).toEqual([0, 0, 0, 0])
    expect(totalInterest).toBe(0)
    expect(planLoan(mortgage, 100_000, 10).totalInterest).toBeLessThan(
      planLoan(mortgage, 100_000, 30).totalInterest,
    )
  })

  test('adds the dealer fee to what is owed, not to what is received', () => {
    const plan = planLoan({ ...mortgage, fraction: 0.5, feeRate: 0.2 }, 100_000, 30)
    expect(plan.proceeds).toBe(50_000)
    expect(plan.principal).toBe(62_500)
    expect(plan.totalInterest).toBeCloseTo(360 * plan.payment - 62_500, 8)
  })

  test('of nothing costs nothing', () => {
    expect(planLoan({ ...mortgage, fraction: 0 }, 100_000, 2)).toEqual({
      proceeds: 0,
      principal: 0,
      payment: 0,
      totalInterest: 0,
      schedule: Array(2).fill({ debtService: 0, interest: 0 }),
    })
  })

  test('keeps its interest exact where the old form of the balance would lose every digit', () => {
    // 100 % a year over 50 years: almost all of each payment is interest
    const { schedule, payment } = planLoan({ ...loanDefaults, apr: 1, termYears: 50 }, 1000, 50)
    const last = schedule[49]
    // the last twelve payments bear interest on less than one year's payments
    expect(last?.interest).toBeGreaterThan(0)
    expect(last?.interest).toBeLessThan(12 * payment)
    expect(
      schedule.every((year, index) => year.interest < (schedule[index - 1]?.interest ?? Infinity) + 1e-9),
    ).toBe(true)
  })
})
