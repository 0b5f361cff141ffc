/**
 * Every input of one calculation, with nothing left to assume.
 * Rates and shares are fractions (0.05 is 5 % a year), money is nominal USD, energy is kWh AC, power is kW DC.
 * All years are whole; amounts of year t fall due at its end.
 */
export type SolarInput = Readonly<{
  /** kWh that one kW yields in its first year, 1..3000 */
  annualProductionPerKW: number
  /** kWh used in the first year, 0..1e9 */
  annualConsumptionKWh: number
  /** USD per kWh bought in the first year, 0..10 */
  utilityRate: number
  /** kW; undefined: sized by offsetFraction */
  systemSizeKW: number | undefined
  /** share of the first year's consumption that the system is sized to produce */
  offsetFraction: number
  /** kW that fit on the roof or that the grid admits; undefined: no limit */
  maxSystemSizeKW: number | undefined
  /** W of one panel; undefined: the size is not rounded to whole panels */
  panelWatts: number | undefined
  /** USD per W, before rebates and credits */
  installedCostPerWatt: number
  /** USD for what does not grow with the size: permit, panel upgrade, tree work */
  fixedCost: number
  /** USD taken off the price; never more than the price */
  rebateAmount: number
  /** share of the price after the rebate, received at the end of year 1 */
  taxCreditRate: number
  /** USD; undefined: no limit */
  taxCreditCap: number | undefined
  /** USD per kWh produced, for the first productionIncentiveYears years */
  productionIncentivePerKWh: number
  productionIncentiveYears: number
  /** share of the production lost each year, compounding */
  degradationRate: number
  /** growth of utilityRate a year */
  rateEscalation: number
  /** growth of the consumption a year */
  consumptionGrowth: number
  /** share of the production that offsets the utility rate; 1 is net metering */
  selfConsumptionFraction: number
  /** USD per kWh exported in the first year */
  exportRate: number
  /** growth of exportRate a year */
  exportEscalation: number
  /** USD per kW and year, first year */
  omCostPerKWYear: number
  /** growth of maintenance and inverter costs a year */
  omEscalation: number
  /** USD per kW, in money of the first year */
  inverterCostPerKW: number
  /** years in which the inverter is replaced; years beyond analysisYears are ignored */
  inverterReplacementYears: readonly number[]
  /** nominal, > -0.99 */
  discountRate: number
  /** 1..50 */
  analysisYears: number
  loan: LoanInput | undefined
  /** kg of CO2 that one kWh avoids in the first year */
  emissionFactorKgPerKWh: number
  /** share by which emissionFactorKgPerKWh falls each year */
  emissionDeclineRate: number
}>

/** A loan with level payments, interest compounding once per payment. */
export type LoanInput = Readonly<{
  /** share of the upfront cost that is borrowed, 0..1 */
  fraction: number
  /** nominal rate a year */
  apr: number
  termYears: number
  paymentsPerYear: number
  /** dealer fee as a share of the principal: the principal is the amount borrowed / (1 - feeRate) */
  feeRate: number
  /** share of the interest that comes back as a tax deduction in the same year */
  interestTaxRate: number
}>

/**
 * What is assumed where a request says nothing: a US home, prices of 2026, no incentive.
 * Sources: installed cost NLR ATB 2025 and SAM; degradation Jordan & Kurtz; O&M and inverter NLR split in two;
 * emission factor eGRID2023, US average.
 */
export const solarDefaults: SolarDefaults = Object.freeze({
  systemSizeKW: undefined,
  offsetFraction: 1,
  maxSystemSizeKW: undefined,
  panelWatts: undefined,
  installedCostPerWatt: 3.15,
  fixedCost: 0,
  rebateAmount: 0,
  taxCreditRate: 0,
  taxCreditCap: undefined,
  productionIncentivePerKWh: 0,
  productionIncentiveYears: 0,
  degradationRate: 0.005,
  rateEscalation: 0.025,
  consumptionGrowth: 0,
  selfConsumptionFraction: 1,
  exportRate: 0.04,
  exportEscalation: 0,
  omCostPerKWYear: 20,
  omEscalation: 0.025,
  inverterCostPerKW: 200,
  inverterReplacementYears: Object.freeze([13]),
  discountRate: 0.06,
  analysisYears: 25,
  loan: undefined,
  emissionFactorKgPerKWh: 0.348,
  emissionDeclineRate: 0,
})

/** What is assumed about a loan where a request says nothing. */
export const loanDefaults: LoanInput = Object.freeze({
  fraction: 1,
  apr: 0.07,
  termYears: 20,
  paymentsPerYear: 12,
  feeRate: 0,
  interestTaxRate: 0,
})

/** The inputs that a request may leave out. */
export type SolarDefaults = Omit<SolarInput, 'annualProductionPerKW' | 'annualConsumptionKWh' | 'utilityRate'>
