import type { SolarInput } from './input.ts'
import type { IrrStatus } from './irr.ts'
import { roundTo } from './rounding.ts'
import type { SolarResult } from './solar.ts'
import type { SolarSystem } from './system.ts'

/**
 * What a reader of the numbers should know, in the order of the calculation: inputs that look like a slip,
 * inputs that had no effect, and the reason of every null.
 */
export function warningsFor(
  input: SolarInput,
  design: SolarSystem,
  result: Pick<SolarResult, 'system' | 'metrics'>,
): Warning[] {
  return [
    ...systemWarnings(input, design, result.system),
    ...costWarnings(input, design),
    ...horizonWarnings(input),
    ...(design.sizeKW > 0 ? metricWarnings(input, result.metrics) : []),
  ]
}

/** What to know of the inputs and the size, whoever owns the system. */
export function systemWarnings(
  input: SolarInput,
  design: SolarSystem,
  system: SolarResult['system'],
): Warning[] {
  return [...inputWarnings(input), ...sizeWarnings(input, design, system)]
}

function inputWarnings(input: SolarInput): Warning[] {
  const { annualProductionPerKW: yieldKWh, utilityRate } = input
  return [
    ...when(yieldKWh < 500 || yieldKWh > 2500, 'UNUSUAL_YIELD', () => [
      `A yield of ${yieldKWh} kWh per kW and year is outside the 500 to 2,500 that rooftop systems reach.`,
      'Check that annualProductionPerKW is the production of one kW in one year.',
    ]),
    ...when(utilityRate > 1, 'UNUSUAL_RATE', () => [
      `A utility rate of ${utilityRate} USD per kWh is far above what households pay.`,
      'Check that utilityRate is in dollars, not in cents.',
    ]),
  ]
}

function sizeWarnings(input: SolarInput, design: SolarSystem, system: SolarResult['system']): Warning[] {
  const { annualConsumptionKWh } = input
  const { sizeKW } = design
  const surplusPercent = 100 * (system.year1ProductionKWh / annualConsumptionKWh - 1)
  return [
    ...when(annualConsumptionKWh === 0 && input.systemSizeKW === undefined, 'NO_CONSUMPTION', () => [
      'There is no consumption to size a system for, so the system size and all amounts are 0.',
      'Give annualConsumptionKWh, or systemSizeKW for a system that only exports.',
    ]),
    ...when(annualConsumptionKWh === 0 && sizeKW > 0, 'ALL_EXPORTED', () => [
      'There is no consumption, so all energy is exported and there is no share of it to offset.',
    ]),
    ...when(design.isCapped, 'SIZE_CAPPED', () => [
      `The system is limited to ${roundTo(sizeKW, 3)} kW by maxSystemSizeKW and is smaller than asked for.`,
    ]),
    ...when(
      sizeKW === 0 && (annualConsumptionKWh > 0 || input.systemSizeKW !== undefined),
      'NO_SYSTEM',
      () => [
        'The size comes to 0 kW, so there is nothing to build and no measure to compute.',
        'Check systemSizeKW, offsetFraction, and that maxSystemSizeKW has room for one panel.',
      ],
    ),
    ...when(annualConsumptionKWh > 0 && surplusPercent > oversizePercent, 'OVERSIZED', () => [
      `The system produces ${roundTo(surplusPercent, 0)} % more in its first year than is consumed.`,
      'The surplus earns only exportRate.',
    ]),
  ]
}

function costWarnings(input: SolarInput, design: SolarSystem): Warning[] {
  if (design.sizeKW === 0) return []
  return [
    ...when(input.rebateAmount > design.grossCost, 'REBATE_LIMITED', () => [
      'The rebate is larger than the price and counts only up to the price.',
    ]),
    ...when(design.upfrontCost <= design.taxCredit, 'NO_NET_COST', () => [
      `${whatCovers(input, design)}, so there is no return on investment to compute.`,
    ]),
  ]
}

/** Why nothing is to be paid: a system that costs nothing needs neither rebate nor tax credit. */
function whatCovers({ rebateAmount }: SolarInput, { grossCost, taxCredit }: SolarSystem): string {
  if (grossCost === 0) return 'The system costs nothing'
  if (taxCredit === 0) return 'The rebate covers the whole cost'
  return rebateAmount > 0
    ? 'Rebate and tax credit cover the whole cost'
    : 'The tax credit covers the whole cost'
}

function horizonWarnings({ analysisYears, loan, inverterReplacementYears }: SolarInput): Warning[] {
  const ignored = inverterReplacementYears.filter((year) => year > analysisYears)
  return [
    ...when(ignored.length > 0, 'REPLACEMENT_BEYOND_HORIZON', () => [
      `Inverter replacements after year ${analysisYears} are outside the analysis and ignored:`,
      `${ignored.join(', ')}.`,
    ]),
    ...when(loan !== undefined && loan.termYears > analysisYears, 'LOAN_OUTLIVES_HORIZON', () => [
      `The loan runs longer than the ${analysisYears} years analysed.`,
      'Its balance is counted as paid off in the last of them.',
    ]),
  ]
}

function metricWarnings({ analysisYears }: SolarInput, metrics: SolarResult['metrics']): Warning[] {
  const { irrStatus, paybackYears, paybackYearsFinal, discountedPaybackYears, lcoePerKWh } = metrics
  return [
    ...when(paybackYears === null, 'NEVER_PAYS_BACK', () => [
      `The savings do not repay the cost within the ${analysisYears} years analysed.`,
    ]),
    ...when(paybackYears !== null && discountedPaybackYears === null, 'NEVER_PAYS_BACK_DISCOUNTED', () => [
      `At the discount rate, the savings do not repay the cost within the ${analysisYears} years analysed.`,
    ]),
    ...when(paybackYears !== paybackYearsFinal, 'PAYBACK_UNDONE_BY_REPLACEMENT', () => [
      `The cost is first repaid after ${roundTo(paybackYears ?? 0, 2)} years, but later costs undo that;`,
      paybackYearsFinal === null
        ? 'it is not repaid at the end of the analysis.'
        : `it is repaid for good after ${roundTo(paybackYearsFinal, 2)} years.`,
    ]),
    ...undefinedRates(irrStatus, lcoePerKWh),
  ]
}

/** The reasons why there is no rate of return or no cost per kWh. */
export function undefinedRates(irrStatus: IrrStatus, lcoePerKWh: number | null): Warning[] {
  return [
    ...(irrStatus === 'ok' ? [] : [{ code: 'IRR_UNDEFINED' as const, message: irrReasons[irrStatus] }]),
    ...when(lcoePerKWh === null, 'LCOE_UNDEFINED', () => [
      'The production is too close to nothing for a cost per kWh to be computed.',
    ]),
  ]
}

/** A warning made of these sentences, where it applies. */
export function when(holds: boolean, code: WarningCode, sentences: () => readonly string[]): Warning[] {
  return holds ? [{ code, message: sentences().join(' ') }] : []
}

const oversizePercent = 10

const irrReasons = {
  no_sign_change:
    'There is no internal rate of return, because the cash flow never changes between cost and gain.',
  no_root: 'There is no internal rate of return between -99 % and 1,000 %.',
  multiple:
    'There is no single internal rate of return: the cash flow changes sign more than once and several rates fit.',
}

/** The closed list of warnings. */
export type WarningCode =
  | 'UNUSUAL_YIELD'
  | 'UNUSUAL_RATE'
  | 'NO_CONSUMPTION'
  | 'ALL_EXPORTED'
  | 'SIZE_CAPPED'
  | 'NO_SYSTEM'
  | 'OVERSIZED'
  | 'REBATE_LIMITED'
  | 'NO_NET_COST'
  | 'REPLACEMENT_BEYOND_HORIZON'
  | 'LOAN_OUTLIVES_HORIZON'
  | 'NEVER_PAYS_BACK'
  | 'NEVER_PAYS_BACK_DISCOUNTED'
  | 'PAYBACK_UNDONE_BY_REPLACEMENT'
  | 'IRR_UNDEFINED'
  | 'LCOE_UNDEFINED'
  | 'NO_UPFRONT_COST'
  | 'PAYMENTS_EXCEED_SAVINGS'
  | 'SYSTEM_REMOVED'
  | 'AGREEMENT_OUTLIVES_HORIZON'
  | 'BUYOUT_BEYOND_HORIZON'

/** message is one or more full sentences for people; code is for programs. */
export type Warning = Readonly<{ code: WarningCode; message: string }>
