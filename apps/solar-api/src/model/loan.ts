import { geometricSum } from './geometric.ts'
import type { LoanInput } from './input.ts'

/**
 * Payments and interest of a loan over the years analysed. A balance left at their end is paid off in the
 * last of them.
 *
 * With w = 1 / (1 + rate per payment), the balance with j payments to go is payment * (w + w^2 + ... + w^j).
 * That form needs no special case at 0 % and, unlike principal * (1+i)^k - ..., cancels nothing.
 * @param upfrontCost USD, of which `loan.fraction` is borrowed
 * @param years whole, >= 1
 */
export function planLoan(loan: LoanInput, upfrontCost: number, years: number): LoanPlan {
  const proceeds = upfrontCost * loan.fraction
  const principal = proceeds / (1 - loan.feeRate)
  const payments = loan.paymentsPerYear * loan.termYears
  const w = 1 / (1 + loan.apr / loan.paymentsPerYear)
  const payment = principal / (w * geometricSum(w, payments))
  const balanceAfter = (year: number): number =>
    year < loan.termYears ? payment * w * geometricSum(w, payments - loan.paymentsPerYear * year) : 0

  const schedule: LoanYear[] = []
  let balance = principal
  let totalPaid = 0
  for (let year = 1; year <= years; year++) {
    const paid = year <= loan.termYears ? payment * loan.paymentsPerYear : 0
    const remaining = balanceAfter(year)
    const debtService = year === years ? paid + remaining : paid
    schedule.push({ debtService, interest: paid - (balance - remaining) })
    totalPaid += debtService
    balance = remaining
  }
  return { proceeds, principal, payment, schedule, totalInterest: totalPaid - principal }
}

export type LoanPlan = Readonly<{
  /** USD that reach the buyer in year 0 */
  proceeds: number
  /** USD owed in year 0: the proceeds and the dealer fee */
  principal: number
  /** USD per payment */
  payment: number
  /** years 1.. in order */
  schedule: readonly LoanYear[]
  /** USD paid beyond the principal over the years analysed */
  totalInterest: number
}>

export type LoanYear = Readonly<{
  /** USD of payments, and in the last year analysed of the balance paid off */
  debtService: number
  /** USD of interest within debtService */
  interest: number
}>
