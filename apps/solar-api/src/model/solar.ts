import { cashFlowColumns, cashFlowTable } from './cash-flow.ts'
import type { CashFlowColumns, CashFlowRow, OwnedSystem } from './cash-flow.ts'
import type { SolarInput } from './input.ts'
import { internalRateOfReturn } from './irr.ts'
import type { IrrStatus } from './irr.ts'
import { lifetimeOf, sum } from './lifetime.ts'
import type { Lifetime } from './lifetime.ts'
import { planLoan } from './loan.ts'
import type { LoanPlan } from './loan.ts'
import { lastingPayback, npv, payback } from './measures.ts'
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
  const owned = buy(input)
  const { warnings, ...summary } = summarise(owned)
  return { ...summary, cashFlow: cashFlowTable(owned), warnings }
}

/** The same without the yearly table. */
export function summariseSolar(input: SolarInput): SolarSummary {
  return summarise(buy(input))
}

function buy(input: SolarInput): OwnedSystem {
  const system = designSystem(input)
  return { input, system, loan: input.loan && planLoan(input.loan, system.upfrontCost, input.analysisYears) }
}

function summarise(owned: OwnedSystem): SolarSummary {
  const { input, system: design, loan } = owned
  const columns = cashFlowColumns(owned)
  const lifetime = lifetimeOf(columns)
  const system = describeSystem(design, lifetime)
  const metrics = measure(owned, columns)
  return {
    system,
    costs: describeCosts(design),
    savings: describeSavings(lifetime),
    metrics,
    environment: describeEnvironment(lifetime),
    financing: loan && describeFinancing(loan),
    warnings: warningsFor(input, design, { system, metrics }),
  }
}

/** What the system is and produces. */
export function describeSystem(design: SolarSystem, lifetime: Lifetime): SolarResult['system'] {
  const { productionKWh, consumptionKWh, selfConsumedKWh, exportedKWh } = lifetime.firstYear
  const offsetKWh = Math.min(productionKWh, consumptionKWh)
  return {
    systemSizeKW: design.sizeKW,
    panelCount: design.panelCount,
    year1ProductionKWh: productionKWh,
    year1OffsetPercent: consumptionKWh > 0 ? 100 * (offsetKWh / consumptionKWh) : null,
    year1SelfConsumedKWh: selfConsumedKWh,
    year1ExportedKWh: exportedKWh,
    lifetimeProductionKWh: lifetime.productionKWh,
  }
}

function describeCosts({ grossCost, upfrontCost, taxCredit }: SolarSystem): SolarResult['costs'] {
  return { grossCost, upfrontCost, taxCredit, netCost: upfrontCost - taxCredit }
}

/** What the system saves in its first year and in all. */
export function describeSavings(lifetime: Lifetime): SolarResult['savings'] {
  const { consumptionKWh, utilityRate, savings, incentive, om, inverter } = lifetime.firstYear
  return {
    year1BillWithoutSolar: consumptionKWh * utilityRate,
    year1Savings: savings,
    year1NetSavings: savings + incentive - om - inverter,
    monthlyAverageYear1: savings / 12,
    lifetimeBillSavings: lifetime.savings,
    lifetimeOperatingCost: lifetime.operatingCost,
    lifetimeNetSavings: lifetime.netCashFlow,
  }
}

/** The CO2 that the system avoids, kg. */
export function describeEnvironment(lifetime: Lifetime): SolarResult['environment'] {
  return { co2Year1Kg: lifetime.firstYear.co2AvoidedKg, co2LifetimeKg: lifetime.co2AvoidedKg }
}

function describeFinancing({ payment, principal, totalInterest }: LoanPlan): SolarResult['financing'] {
  return { loanPayment: payment, loanPrincipal: principal, loanTotalInterest: totalInterest }
}

function measure(
  { input: { discountRate }, system }: OwnedSystem,
  columns: CashFlowColumns,
): SolarResult['metrics'] {
  const { unleveredCashFlow: unlevered, netCashFlow: net } = columns
  const hasSystem = system.sizeKW > 0
  const netCost = system.upfrontCost - system.taxCredit
  const { irr, irrStatus } = internalRateOfReturn(net, discountRate)
  return {
    npv: npv(net, discountRate),
    npvUnlevered: npv(unlevered, discountRate),
    irr,
    irrStatus,
    paybackYears: hasSystem ? payback(unlevered) : null,
    paybackYearsFinal: hasSystem ? lastingPayback(unlevered) : null,
    discountedPaybackYears: hasSystem ? payback(unlevered, discountRate) : null,
    lcoePerKWh: levelizedCost(columns, discountRate),
    roiPercent: netCost > 0 ? finiteOrNull(100 * (sum(unlevered) / netCost)) : null,
  }
}

/** USD per kWh, nominal, before financing: the present cost of the system over its present production. */
function levelizedCost(columns: CashFlowColumns, discountRate: number): number | null {
  const { investment, taxCredit, om, inverter, incentive, productionKWh } = columns
  const discount = 1 / (1 + discountRate)
  let cost = 0
  let factor = 1
  for (let year = 0; year < productionKWh.length; year++) {
    const spent = (investment[year] ?? 0) - (taxCredit[year] ?? 0) + (om[year] ?? 0) + (inverter[year] ?? 0)
    cost += (spent - (incentive[year] ?? 0)) * factor
    factor *= discount
  }
  return finiteOrNull(cost / npv(productionKWh, discountRate))
}

/** A quotient by nothing, or by next to nothing, is not a number to answer with. */
export function finiteOrNull(quotient: number): number | null {
  return Number.isFinite(quotient) ? quotient : null
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

/** All but the table. */
export type SolarSummary = Omit<SolarResult, 'cashFlow'>
