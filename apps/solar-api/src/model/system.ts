import type { SolarInput } from './input.ts'

/**
 * Size and price of the system.
 * Size: the requested kW, else what produces the wanted share of the consumption; rounded up to whole panels
 * where a panel is named; then cut to the maximum, rounded down to whole panels.
 */
export function designSystem(input: SolarInput): SolarSystem {
  const { sizeKW, panelCount, isCapped } = sizeSystem(input)
  const fixedCost = sizeKW > 0 ? input.fixedCost : 0
  const grossCost = 1000 * sizeKW * input.installedCostPerWatt + fixedCost
  const upfrontCost = grossCost - Math.min(input.rebateAmount, grossCost)
  const taxCredit = Math.min(upfrontCost * input.taxCreditRate, input.taxCreditCap ?? Infinity)
  return { sizeKW, panelCount, isCapped, grossCost, upfrontCost, taxCredit }
}

function sizeSystem(input: SolarInput): Pick<SolarSystem, 'sizeKW' | 'panelCount' | 'isCapped'> {
  const { panelWatts, maxSystemSizeKW = Infinity } = input
  const wantedKW =
    input.systemSizeKW ?? (input.offsetFraction * input.annualConsumptionKWh) / input.annualProductionPerKW
  if (panelWatts === undefined) {
    return {
      sizeKW: Math.min(wantedKW, maxSystemSizeKW),
      panelCount: null,
      isCapped: wantedKW > maxSystemSizeKW,
    }
  }
  // The slack keeps a size that is a whole number of panels, but for rounding, from gaining or losing one.
  // max(0) turns the -0 that rounding up a vanishing size gives into 0.
  const wantedPanels = Math.max(0, Math.ceil((1000 * wantedKW) / panelWatts - panelSlack))
  const isCapped = (wantedPanels * panelWatts) / 1000 > maxSystemSizeKW
  const panelCount = isCapped ? Math.floor((1000 * maxSystemSizeKW) / panelWatts + panelSlack) : wantedPanels
  return { sizeKW: (panelCount * panelWatts) / 1000, panelCount, isCapped }
}

const panelSlack = 1e-9

export type SolarSystem = Readonly<{
  /** kW DC, >= 0 */
  sizeKW: number
  /** null where no panel is named */
  panelCount: number | null
  /** whether maxSystemSizeKW made the system smaller */
  isCapped: boolean
  /** USD */
  grossCost: number
  /** USD, after the rebate */
  upfrontCost: number
  /** USD, received at the end of year 1 */
  taxCredit: number
}>
