import { cashFlowTable } from './cash-flow.ts'
import type { CashFlowRow } from './cash-flow.ts'
import type { SolarInput } from './input.ts'
import { internalRateOfReturn } from './irr.ts'
import type { IrrStatus } from './irr.ts'
import { planLoan } from './loan.ts'
import type { LoanPlan } from './loan.ts'
import { discounted, lastingPayback, npv, payback } from './measures.ts'
import { designSystem } from './system.ts'
import type { SolarSystem } from './system.ts'
import { warningsFor } from './warnings.ts'
import type { Warning } from './warnings.ts'

/** The name of this model, stored and answered with every result: a changed formula gets a new name. */
export const solarModel = 'solar-v1'

/**
 * Size, price, yearly flows and measures of a rooftop system; nothing is rounded.
 * Prices escalate from year 2 on: the rate of year t is utilityRate * (1 + rateEscalation)^(t - 1).
 * Every number is finite; what cannot be computed is null, and irrStatus or a warning says why.
 * @param input checked by the caller: within the ranges of SolarInput, replacement years distinct
 */
export function calculateSolar(input: SolarInput): SolarResult {
  const design = designSystem(input)
  const loan = input.loan && planLoan(input.loan, design.upfrontCost, input.analysisYears)
  const cashFlow = cashFlowTable(input, design, loan)
  const result = {
    system: describeSystem(design, cashFlow),
    costs: describeCosts(design),
    savings: describeSavings(cashFlow),
    metrics: measure(input, design, cashFlow),
    environment: describeEnvironment(cashFlow),
    financing: loan && describeFinancing(loan),
    cashFlow,
  }
  return { ...result, warnings: warningsFor(input, design, result) }
}

/** What the system is and produces, by its yearly table. */
export function describeSystem(design: SolarSystem, cashFlow: readonly CashFlowRow[]): SolarResult['system'] {
  const { productionKWh, consumptionKWh, selfConsumedKWh, exportedKWh } = firstYearOf(cashFlow)
  const offsetKWh = Math.min(productionKWh, consumptionKWh)
  return {
    systemSizeKW: design.sizeKW,
    panelCount: design.panelCount,
    year1ProductionKWh: productionKWh,
    year1OffsetPercent: consumptionKWh > 0 ? 100 * (offsetKWh / consumptionKWh) : null,
    year1SelfConsumedKWh: selfConsumedKWh,
    year1ExportedKWh: exportedKWh,
    lifetimeProductionKWh: total(cashFlow, (row) => row.productionKWh),
  }
}

function describeCosts({ grossCost, upfrontCost, taxCredit }: SolarSystem): SolarResult['costs'] {
  return { grossCost, upfrontCost, taxCredit, netCost: upfrontCost - taxCredit }
}

/** What the table comes to in its first year and in all. */
export function describeSavings(cashFlow: readonly CashFlowRow[]): SolarResult['savings'] {
  const { consumptionKWh, utilityRate, savings, incentive, om, inverter } = firstYearOf(cashFlow)
  return {
    year1BillWithoutSolar: consumptionKWh * utilityRate,
    year1Savings: savings,
    year1NetSavings: savings + incentive - om - inverter,
    monthlyAverageYear1: savings / 12,
    lifetimeBillSavings: total(cashFlow, (row) => row.savings),
    lifetimeOperatingCost: total(cashFlow, (row) => row.om + row.inverter),
    lifetimeNetSavings: total(cashFlow, (row) => row.netCashFlow),
  }
}

/** The CO2 that the table avoids, kg. */
export function describeEnvironment(cashFlow: readonly CashFlowRow[]): SolarResult['environment'] {
  return {
    co2Year1Kg: firstYearOf(cashFlow).co2AvoidedKg,
    co2LifetimeKg: total(cashFlow, (row) => row.co2AvoidedKg),
  }
}

function describeFinancing({ payment, principal, totalInterest }: LoanPlan): SolarResult['financing'] {
  return { loanPayment: payment, loanPrincipal: principal, loanTotalInterest: totalInterest }
}

function measure(
  input: SolarInput,
  design: SolarSystem,
  cashFlow: readonly CashFlowRow[],
): SolarResult['metrics'] {
  const net = cashFlow.map((row) => row.netCashFlow)
  const unlevered = cashFlow.map((row) => row.unleveredCashFlow)
  const hasSystem = design.sizeKW > 0
  const netCost = design.upfrontCost - design.taxCredit
  return {
    npv: npv(net, input.discountRate),
    npvUnlevered: npv(unlevered, input.discountRate),
    ...internalRateOfReturn(net, input.discountRate),
    paybackYears: hasSystem ? payback(unlevered) : null,
    paybackYearsFinal: hasSystem ? lastingPayback(unlevered) : null,
    discountedPaybackYears: hasSystem ? payback(discounted(unlevered, input.discountRate)) : null,
    lcoePerKWh: levelizedCost(cashFlow, input.discountRate),
    roiPercent:
      netCost > 0 ? finiteOrNull(100 * (total(cashFlow, (row) => row.unleveredCashFlow) / netCost)) : null,
  }
}

/** USD per kWh, nominal, before financing: the present cost of the system over its present production. */
function levelizedCost(cashFlow: readonly CashFlowRow[], discountRate: number): number | null {
  const costs = cashFlow.map((row) => row.investment - row.taxCredit + row.om + row.inverter - row.incentive)
  const production = cashFlow.map((row) => row.productionKWh)
  return finiteOrNull(npv(costs, discountRate) / npv(production, discountRate))
}

/** A quotient by nothing, or by next to nothing, is not a number to answer with. */
export function finiteOrNull(quotient: number): number | null {
  return Number.isFinite(quotient) ? quotient : null
}

/** The sum of an amount over all rows. */
export function total<Row>(cashFlow: readonly Row[], amount: (row: Row) => number): number {
  return cashFlow.reduce((sum, row) => sum + amount(row), 0)
}

function firstYearOf(cashFlow: readonly CashFlowRow[]): CashFlowRow {
  const row = cashFlow[1]
  if (!row) throw new RangeError('There is no first year: analysisYears must be at least 1.')
  return row
}

/** Money in USD, energy in kWh AC, years from the day of installation. */
export type SolarResult = Readonly<{
  system: Readonly<{
    /** kW DC */
    systemSizeKW: number
    /** null where no panel is named */
    panelCount: number | null
    year1ProductionKWh: number
    /** production as a share of the consumption, at most 100; null without consumption */
    year1OffsetPercent: number | null
    year1SelfConsumedKWh: number
    year1ExportedKWh: number
    lifetimeProductionKWh: number
  }>
  costs: Readonly<{
    grossCost: number
    /** after the rebate */
    upfrontCost: number
    /** received at the end of year 1 */
    taxCredit: number
    /** after rebate and credit */
    netCost: number
  }>
  savings: Readonly<{
    year1BillWithoutSolar: number
    /** off the utility bill */
    year1Savings: number
    /** with the production incentive, less maintenance and inverter; without the tax credit */
    year1NetSavings: number
    /** year1Savings / 12 */
    monthlyAverageYear1: number
    lifetimeBillSavings: number
    /** maintenance and inverters */
    lifetimeOperatingCost: number
    /** all flows of the owner, from the installation on, loan included */
    lifetimeNetSavings: number
  }>
  metrics: Readonly<{
    /** with the loan */
    npv: number
    /** as if paid in cash */
    npvUnlevered: number
    /** fraction a year, with the loan; null unless irrStatus is `ok` */
    irr: number | null
    irrStatus: IrrStatus
    /** first time the money is back, whoever lent it; null: not within the years analysed */
    paybackYears: number | null
    /** last time it comes back, never to be undone by a replacement; null: it ends short */
    paybackYearsFinal: number | null
    /** as paybackYears, in money of year 0 */
    discountedPaybackYears: number | null
    /** nominal, before financing; null without production */
    lcoePerKWh: number | null
    /** lifetime gain of a cash buyer over the net cost; null where there is no net cost */
    roiPercent: number | null
  }>
  environment: Readonly<{ co2Year1Kg: number; co2LifetimeKg: number }>
  /** undefined without a loan */
  financing:
    | Readonly<{
        /** per payment */
        loanPayment: number
        /** amount borrowed and dealer fee */
        loanPrincipal: number
        /** paid beyond the principal, within the years analysed */
        loanTotalInterest: number
      }>
    | undefined
  /** rows 0..analysisYears */
  cashFlow: readonly CashFlowRow[]
  warnings: readonly Warning[]
}>
