import { cashFlowTable, type CashFlowRow } from './cash-flow.ts'
import type { SolarInput } from './input.ts'
import { internalRateOfReturn } from './irr.ts'
import { lifetimeOfTable, total } from './lifetime.ts'
import { npv } from './measures.ts'
import {
  describeEnvironment,
  describeSavings,
  describeSystem,
  finiteOrNull,
  type SolarResult,
} from './solar.ts'
import { designSystem, type SolarSystem } from './system.ts'
import { systemWarnings, undefinedRates, when, type Warning } from './warnings.ts'

/**
 * A system that somebody else owns, seen by the home it stands on. The payment of year t is that of year 1 grown
 * t - 1 times; a power purchase agreement is paid for every kWh produced, used at home or exported. As in the host's
 * view of SAM (cmod_thirdpartyownership), the customer has no other cost: the provider pays for the system, maintains
 * it, replaces the inverter, and keeps rebate, tax credit and production incentive. SAM's agreements last as long as
 * its analysis. Here, after the term, the system is removed at the provider's cost and nothing is saved any more, or
 * the customer buys it at the end of the last year of the term and from then on has the costs and incentives of an
 * owner. Years of the term beyond the analysis count neither as payments nor as savings.
 * @param input as for calculateSolar(); its price, rebate, tax credit and loan are not the customer's
 */
export function calculateAgreement(input: SolarInput, agreement: Agreement): AgreementResult {
  const design = designSystem(input)
  const cashFlow = agreementTable(input, design, agreement)
  const lifetime = lifetimeOfTable(cashFlow)
  const savings = describeSavings(lifetime)
  const year1Payment = cashFlow[1]?.agreementPayment ?? 0
  const system = describeSystem(design, lifetime)
  const metrics = measure(input, cashFlow)
  return {
    system,
    costs: { grossCost: 0, upfrontCost: 0, taxCredit: 0, netCost: 0 },
    savings: { ...savings, year1NetSavings: savings.year1NetSavings - year1Payment },
    metrics,
    environment: describeEnvironment(lifetime),
    agreement: {
      year1Payment,
      lifetimePayments: total(cashFlow, (row) => row.agreementPayment),
      lastPaymentYear: Math.min(agreement.termYears, input.analysisYears),
      afterTerm: afterTerm(input, agreement),
      buyoutCost: total(cashFlow, (row) => row.investment),
    },
    cashFlow,
    warnings: [
      ...systemWarnings(input, design, system),
      ...agreementWarnings(input, agreement, cashFlow),
      ...(design.sizeKW > 0 ? undefinedRates(metrics.irrStatus, metrics.lcoePerKWh) : []),
    ],
  }
}

/** The life of the system year by year, row 0 being the installation; see cashFlowTable(). */
export function agreementTable(input: SolarInput, design: SolarSystem, agreement: Agreement): AgreementRow[] {
  const owned = cashFlowTable({ input, system: design, loan: undefined })
  const rows: AgreementRow[] = []
  let growth = 1
  let discountFactor = 1
  for (const row of owned) {
    const flows = row.year === 0 ? noFlows(row) : flowsOf(input, design, agreement, row, growth)
    rows.push(accumulate(flows, discountFactor, rows.at(-1)))
    if (row.year > 0) growth *= 1 + agreement.escalator
    discountFactor /= 1 + input.discountRate
  }
  return rows
}

/** What becomes of the system after the last year of the term. */
export function afterTerm({ analysisYears }: SolarInput, { termYears, buyoutPrice }: Agreement): AfterTerm {
  if (termYears >= analysisYears) return 'outside_analysis'
  return buyoutPrice === undefined ? 'removal' : 'buyout'
}

/** One year of operation. `row` is that of an owner without a loan. */
function flowsOf(
  input: SolarInput,
  design: SolarSystem,
  agreement: Agreement,
  row: CashFlowRow,
  growth: number,
): Flows {
  const next = afterTerm(input, agreement)
  if (row.year <= agreement.termYears) {
    const isLast = row.year === agreement.termYears && next === 'buyout' && design.sizeKW > 0
    return {
      ...row,
      ...{ incentive: 0, taxCredit: 0, om: 0, inverter: 0 },
      agreementPayment: paymentOf(agreement, design, row) * growth,
      investment: isLast ? (agreement.buyoutPrice ?? 0) : 0,
    }
  }
  return next === 'buyout' ? { ...row, agreementPayment: 0 } : noFlows(row)
}

/** USD of a year at the prices of year 1. There is no lease of nothing. */
function paymentOf(agreement: Agreement, design: SolarSystem, { productionKWh }: CashFlowRow): number {
  if (agreement.type === 'ppa') return agreement.pricePerKWh * productionKWh
  return design.sizeKW > 0 ? agreement.payment * agreement.paymentsPerYear : 0
}

/** A year in which there is no system, or none yet to pay for. */
function noFlows(row: CashFlowRow): Flows {
  return {
    ...row,
    ...{ productionKWh: 0, selfConsumedKWh: 0, exportedKWh: 0, co2AvoidedKg: 0 },
    ...{ investment: 0, savings: 0, incentive: 0, taxCredit: 0, om: 0, inverter: 0, agreementPayment: 0 },
  }
}

function accumulate(flows: Flows, discountFactor: number, before: AgreementRow | undefined): AgreementRow {
  const { savings, incentive, taxCredit, om, inverter, investment, agreementPayment } = flows
  const flow = savings + incentive + taxCredit - om - inverter - investment - agreementPayment
  const discountedCashFlow = flow * discountFactor
  return {
    ...flows,
    unleveredCashFlow: flow,
    netCashFlow: flow,
    cumulativeCashFlow: (before?.cumulativeCashFlow ?? 0) + flow,
    cumulativeUnleveredCashFlow: (before?.cumulativeUnleveredCashFlow ?? 0) + flow,
    discountedCashFlow,
    cumulativeDiscountedCashFlow: (before?.cumulativeDiscountedCashFlow ?? 0) + discountedCashFlow,
  }
}

/** There is nothing to pay back, and nothing to earn a return on. */
function measure({ discountRate }: SolarInput, cashFlow: readonly AgreementRow[]): SolarResult['metrics'] {
  const flows = cashFlow.map((row) => row.netCashFlow)
  const value = npv(flows, discountRate)
  return {
    npv: value,
    npvUnlevered: value,
    ...internalRateOfReturn(flows, discountRate),
    paybackYears: null,
    paybackYearsFinal: null,
    discountedPaybackYears: null,
    lcoePerKWh: costPerKWh(cashFlow, discountRate),
    roiPercent: null,
  }
}

/** USD per kWh, nominal: the present value of all that the customer pays over that of the production. */
function costPerKWh(cashFlow: readonly AgreementRow[], discountRate: number): number | null {
  const costs = cashFlow.map(
    ({ agreementPayment, investment, om, inverter, incentive }) =>
      agreementPayment + investment + om + inverter - incentive,
  )
  const production = cashFlow.map((row) => row.productionKWh)
  return finiteOrNull(npv(costs, discountRate) / npv(production, discountRate))
}

function agreementWarnings(
  input: SolarInput,
  agreement: Agreement,
  cashFlow: readonly AgreementRow[],
): Warning[] {
  const { analysisYears } = input
  const { termYears, buyoutPrice } = agreement
  const dear = cashFlow.filter(({ agreementPayment, savings }) => agreementPayment > savings)
  const [firstDear] = dear
  return [
    ...when(true, 'NO_UPFRONT_COST', () => [
      'Nothing is paid at the beginning, so there is no payback and no return on investment to compute.',
    ]),
    ...when(firstDear !== undefined, 'PAYMENTS_EXCEED_SAVINGS', () => [
      `In ${dear.length} of the ${Math.min(termYears, analysisYears)} years paid for, the first being year`,
      `${firstDear?.year ?? 0}, the payments are more than the system takes off the bill.`,
    ]),
    ...when(afterTerm(input, agreement) === 'removal', 'SYSTEM_REMOVED', () => [
      `The system is removed after year ${termYears} at the cost of its owner;`,
      `years ${termYears + 1} to ${analysisYears} count as without solar.`,
    ]),
    ...when(termYears > analysisYears, 'AGREEMENT_OUTLIVES_HORIZON', () => [
      `The agreement runs longer than the ${analysisYears} years analysed.`,
      'What is paid and saved after them is not counted.',
    ]),
    ...when(buyoutPrice !== undefined && termYears >= analysisYears, 'BUYOUT_BEYOND_HORIZON', () => [
      `The system would be bought at the end of year ${termYears}, when the analysis is over, so`,
      'buyoutPrice is not counted.',
    ]),
  ]
}

/** What a customer signs: a lease at a price per payment, or a power purchase agreement at a price per kWh. */
export type Agreement = Readonly<
  {
    /** growth of the payment or price a year, as a fraction */
    escalator: number
    /** whole years, >= 1 */
    termYears: number
    /** USD paid at the end of the term to own the system; undefined: the provider removes it */
    buyoutPrice: number | undefined
  } & (
    | {
        type: 'lease'
        /** USD per payment in year 1 */
        payment: number
        paymentsPerYear: number
      }
    | {
        type: 'ppa'
        /** USD per kWh produced in year 1 */
        pricePerKWh: number
      }
  )
>

/** `outside_analysis`: the term does not end before the last year analysed. */
export type AfterTerm = 'removal' | 'buyout' | 'outside_analysis'

/** A row of the table with what is paid under the agreement, USD; nothing is ever borrowed. */
export type AgreementRow = CashFlowRow & Readonly<{ agreementPayment: number }>

/** As SolarResult, from the customer's side; unlevered values equal the others. */
export type AgreementResult = Omit<SolarResult, 'financing' | 'cashFlow'> &
  Readonly<{
    agreement: Readonly<{
      /** USD */
      year1Payment: number
      /** USD within the years analysed, without a buy-out */
      lifetimePayments: number
      /** last year paid for within the years analysed */
      lastPaymentYear: number
      afterTerm: AfterTerm
      /** USD paid for a buy-out within the years analysed */
      buyoutCost: number
    }>
    cashFlow: readonly AgreementRow[]
  }>

/** A row before its sums are known; those of an owner are still in it. */
type Flows = CashFlowRow & { readonly agreementPayment: number }
