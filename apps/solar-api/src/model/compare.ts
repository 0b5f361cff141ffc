import { calculateAgreement, type Agreement, type AgreementResult } from './agreement.ts'
import type { LoanInput, SolarInput } from './input.ts'
import { roundResult, roundTo } from './rounding.ts'
import { calculateSolar, type SolarResult } from './solar.ts'

/**
 * One way to pay for the system that `input` describes, rounded as it is answered. A purchase is what
 * calculateSolar() makes of it, number for number.
 * @param input common to all scenarios; its loan is not used
 */
export function calculateScenario(input: SolarInput, financing: Financing): ScenarioResult {
  const { type } = financing
  if (type === 'lease' || type === 'ppa') return roundAgreement(calculateAgreement(input, financing))
  const loan = type === 'loan' ? financing.loan : undefined
  return roundResult(calculateSolar({ ...input, loan }))
}

/**
 * The scenarios by net present value, highest first; equal values, as they are shown, share a rank and stay in the
 * order in which they were given.
 * @param results two or more, rounded
 */
export function rank(results: readonly NamedResult[]): RankedScenario[] {
  const values = results.map(({ result }) => result.metrics.npv)
  const best = Math.max(...values)
  return results
    .map(({ name, type, result }) => ({
      rank: 1 + values.filter((value) => value > result.metrics.npv).length,
      name,
      type,
      npv: result.metrics.npv,
      behindBest: roundTo(best - result.metrics.npv, 2),
      outOfPocketCost: roundTo(-(result.cashFlow[0]?.netCashFlow ?? 0), 2),
      year1CashFlow: result.cashFlow[1]?.netCashFlow ?? 0,
      lifetimeNetSavings: result.savings.lifetimeNetSavings,
    }))
    .toSorted((a, b) => a.rank - b.rank)
}

/**
 * The ranking in words.
 * @param ranking of rank()
 */
export function verdictOn(input: SolarInput, ranking: readonly RankedScenario[]): Verdict {
  const leaders = ranking.filter(({ rank: place }) => place === 1)
  const [leader] = leaders
  if (!leader) throw new RangeError('There is nothing to compare.')
  const next = ranking.find(({ rank: place }) => place > 1)
  const names = leaders.map(({ name }) => `“${name}”`).join(' and ')
  const basis = `over ${yearsOf(input)} at a discount rate of ${roundTo(100 * input.discountRate, 2)} %`
  const lead = next ? `, ${dollars(next.behindBest)} more than “${next.name}”` : ''
  const shared = leaders.length > 1 ? ' each' : ''
  if (leader.npv > 0) {
    const verb = leaders.length > 1 ? 'are worth the most' : 'is worth the most'
    return {
      code: 'worth_it',
      message: `${names} ${verb}: a net present value of ${dollars(leader.npv)}${shared} ${basis}${lead}.`,
    }
  }
  if (leader.npv === 0) {
    return {
      code: 'breaks_even',
      message: `Nothing here is worth more than staying without solar; ${names} comes out even ${basis}.`,
    }
  }
  return {
    code: 'nothing_pays_off',
    message: `Nothing here is worth more than staying without solar ${basis}; ${names} loses the least, ${dollars(-leader.npv)}${shared} of net present value.`,
  }
}

function roundAgreement(result: AgreementResult): ScenarioResult {
  const { agreement, cashFlow } = result
  const rounded = roundResult({ ...result, financing: undefined })
  return {
    ...rounded,
    agreement: {
      ...agreement,
      year1Payment: roundTo(agreement.year1Payment, 2),
      lifetimePayments: roundTo(agreement.lifetimePayments, 2),
      buyoutCost: roundTo(agreement.buyoutCost, 2),
    },
    cashFlow: rounded.cashFlow.map((row, year) => ({
      ...row,
      agreementPayment: roundTo(cashFlow[year]?.agreementPayment ?? 0, 2),
    })),
  }
}

function yearsOf({ analysisYears }: SolarInput): string {
  return analysisYears === 1 ? '1 year' : `${analysisYears} years`
}

/** Whole dollars with thousands separators, cents where there is less than a dollar. */
function dollars(usd: number): string {
  const digits = Math.abs(usd) < 1 ? usd.toFixed(2) : Math.round(usd).toFixed(0)
  return `$${digits.replace(/\B(?=(?:\d{3})+$)/g, ',')}`
}

/** How a system is paid for. */
export type Financing = Readonly<{ type: 'cash' }> | Readonly<{ type: 'loan'; loan: LoanInput }> | Agreement

/** Rounded; `financing` is there with a loan, `agreement` and its payments with a lease or PPA. */
export type ScenarioResult = Omit<SolarResult, 'cashFlow'> &
  Readonly<{
    agreement?: AgreementResult['agreement']
    cashFlow: readonly (SolarResult['cashFlow'][number] & Readonly<{ agreementPayment?: number }>)[]
  }>

export type NamedResult = Readonly<{ name: string; type: Financing['type']; result: ScenarioResult }>

/** One line of the ranking; amounts in USD, rounded. */
export type RankedScenario = Readonly<{
  /** 1 is best */
  rank: number
  name: string
  type: Financing['type']
  npv: number
  /** net present value that it lacks to the best */
  behindBest: number
  /** paid by the customer on the day of installation */
  outOfPocketCost: number
  /** all that comes in less all that is paid in year 1, loan and tax credit included */
  year1CashFlow: number
  lifetimeNetSavings: number
}>

/** The closed list of verdicts. */
export type VerdictCode = 'worth_it' | 'breaks_even' | 'nothing_pays_off'

/** message is one or more full sentences for people; code is for programs. */
export type Verdict = Readonly<{ code: VerdictCode; message: string }>
