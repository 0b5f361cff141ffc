import type { CashFlowRow } from './cash-flow.ts'
import type { SolarResult, SolarSummary } from './solar.ts'

/**
 * Nearest decimal with `places` digits after the point, judged on the exact binary value, ties away from
 * zero; never -0. NaN and infinities come back as they are.
 * @param places whole, 0..9
 */
export function roundTo(x: number, places: number): number {
  const scale = powersOfTen[places] ?? NaN
  const scaled = x * scale
  const whole = Math.round(scaled)
  // The product is off by at most 6e-8 here. Unless x is that close to a tie, `whole` is right, and a division
  // by an exact power of ten gives the same double as reading the decimal would.
  const isClear = Math.abs(scaled) < 1e9 && 0.5 - Math.abs(scaled - whole) > 1e-6
  // toFixed is exact by definition but slow. Adding 0 turns -0 into 0.
  return (isClear ? whole / scale : Number(x.toFixed(places))) + 0
}

const powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

/**
 * The result as it is answered. Each number is rounded from its exact value, so that the rounded rows of a
 * column may add up to up to a cent per row more or less than its rounded total.
 */
export function roundResult(result: SolarResult): SolarResult {
  const { warnings, ...summary } = roundSummary(result)
  return { ...summary, cashFlow: result.cashFlow.map(roundRow), warnings }
}

/** The same without the yearly table. */
export function roundSummary(result: SolarSummary): SolarSummary {
  return {
    system: roundSystem(result.system),
    costs: roundCosts(result.costs),
    savings: roundSavings(result.savings),
    metrics: roundMetrics(result.metrics),
    environment: {
      co2Year1Kg: kilograms(result.environment.co2Year1Kg),
      co2LifetimeKg: kilograms(result.environment.co2LifetimeKg),
    },
    financing: result.financing && roundFinancing(result.financing),
    warnings: result.warnings,
  }
}

function roundSystem(system: SolarResult['system']): SolarResult['system'] {
  return {
    systemSizeKW: roundTo(system.systemSizeKW, 3),
    panelCount: system.panelCount,
    year1ProductionKWh: energy(system.year1ProductionKWh),
    year1OffsetPercent: orNull(percent, system.year1OffsetPercent),
    year1SelfConsumedKWh: energy(system.year1SelfConsumedKWh),
    year1ExportedKWh: energy(system.year1ExportedKWh),
    lifetimeProductionKWh: energy(system.lifetimeProductionKWh),
  }
}

function roundCosts(costs: SolarResult['costs']): SolarResult['costs'] {
  return {
    grossCost: money(costs.grossCost),
    upfrontCost: money(costs.upfrontCost),
    taxCredit: money(costs.taxCredit),
    netCost: money(costs.netCost),
  }
}

function roundSavings(savings: SolarResult['savings']): SolarResult['savings'] {
  return {
    year1BillWithoutSolar: money(savings.year1BillWithoutSolar),
    year1Savings: money(savings.year1Savings),
    year1NetSavings: money(savings.year1NetSavings),
    monthlyAverageYear1: money(savings.monthlyAverageYear1),
    lifetimeBillSavings: money(savings.lifetimeBillSavings),
    lifetimeOperatingCost: money(savings.lifetimeOperatingCost),
    lifetimeNetSavings: money(savings.lifetimeNetSavings),
  }
}

function roundMetrics(metrics: SolarResult['metrics']): SolarResult['metrics'] {
  return {
    npv: money(metrics.npv),
    npvUnlevered: money(metrics.npvUnlevered),
    irr: orNull((irr) => roundTo(irr, 6), metrics.irr),
    irrStatus: metrics.irrStatus,
    paybackYears: orNull(years, metrics.paybackYears),
    paybackYearsFinal: orNull(years, metrics.paybackYearsFinal),
    discountedPaybackYears: orNull(years, metrics.discountedPaybackYears),
    lcoePerKWh: orNull(rate, metrics.lcoePerKWh),
    roiPercent: orNull(percent, metrics.roiPercent),
  }
}

function roundFinancing(financing: NonNullable<SolarResult['financing']>): SolarResult['financing'] {
  return {
    loanPayment: money(financing.loanPayment),
    loanPrincipal: money(financing.loanPrincipal),
    loanTotalInterest: money(financing.loanTotalInterest),
  }
}

function roundRow(row: CashFlowRow): CashFlowRow {
  return {
    year: row.year,
    productionKWh: energy(row.productionKWh),
    consumptionKWh: energy(row.consumptionKWh),
    selfConsumedKWh: energy(row.selfConsumedKWh),
    exportedKWh: energy(row.exportedKWh),
    utilityRate: rate(row.utilityRate),
    exportRate: rate(row.exportRate),
    co2AvoidedKg: kilograms(row.co2AvoidedKg),
    investment: money(row.investment),
    savings: money(row.savings),
    incentive: money(row.incentive),
    taxCredit: money(row.taxCredit),
    om: money(row.om),
    inverter: money(row.inverter),
    unleveredCashFlow: money(row.unleveredCashFlow),
    loanProceeds: money(row.loanProceeds),
    debtService: money(row.debtService),
    interestTaxBenefit: money(row.interestTaxBenefit),
    netCashFlow: money(row.netCashFlow),
    cumulativeCashFlow: money(row.cumulativeCashFlow),
    cumulativeUnleveredCashFlow: money(row.cumulativeUnleveredCashFlow),
    discountedCashFlow: money(row.discountedCashFlow),
    cumulativeDiscountedCashFlow: money(row.cumulativeDiscountedCashFlow),
  }
}

const money = (usd: number): number => roundTo(usd, 2)
const rate = (usdPerKWh: number): number => roundTo(usdPerKWh, 5)
const energy = (kWh: number): number => roundTo(kWh, 1)
const kilograms = (kg: number): number => roundTo(kg, 1)
const percent = (x: number): number => roundTo(x, 2)
const years = (x: number): number => roundTo(x, 2)

function orNull(round: (x: number) => number, x: number | null): number | null {
  return x === null ? null : round(x)
}
