import { investmentOf, taxCreditOf, type Economics, type InputColumns } from './economics.ts'

/**
 * Years until the system has paid for itself, whoever lent the money, linear within the year, of `count`
 * trials; Infinity where it does not within the years analysed. The year loops are exact for any order of gains
 * and losses, and over in half the years of the horizon. Writes to out[at ..].
 */
export function evaluatePayback(
  economics: Economics,
  columns: InputColumns,
  count: number,
  out: Float64Array,
  at: number,
): void {
  const { values, stride } = columns
  const { sizeKW, incentivePerKWh, consumptionKWh, consumptionGrowth } = economics
  const isBare = incentivePerKWh === 0
  for (let trial = 0; trial < count; trial++) {
    const offered = sizeKW * (values[trial] ?? 0) * (values[5 * stride + trial] ?? 0)
    const keep = 1 - (values[stride + trial] ?? 0)
    const isConsumed = offered <= consumptionKWh && keep <= consumptionGrowth
    if (isBare && isConsumed) addSeries(economics, columns, trial, out, at)
    else addYears(economics, columns, trial, out, at)
  }
}

/** Where all that is offered is consumed in every year, the flows are three series: the quick way. */
function addSeries(
  economics: Economics,
  { values, stride }: InputColumns,
  trial: number,
  out: Float64Array,
  at: number,
): void {
  const { sizeKW, exportGrowth, omGrowth, newInverter } = economics
  const years = sizeKW > 0 ? economics.years : 0
  const production = sizeKW * (values[trial] ?? 0)
  const offered = production * (values[5 * stride + trial] ?? 0)
  const keep = 1 - (values[stride + trial] ?? 0)
  const boughtGrowth = keep * (1 + (values[2 * stride + trial] ?? 0))
  const soldGrowth = keep * exportGrowth
  const investment = investmentOf(economics, values[3 * stride + trial] ?? 0)
  const credit = taxCreditOf(economics, investment)
  const inverter = values[7 * stride + trial] ?? 0
  let bought = offered * economics.utilityRate
  let sold = (production - offered) * (values[6 * stride + trial] ?? 0)
  let om = sizeKW * (values[4 * stride + trial] ?? 0)
  let total = credit - investment
  let flow = 0
  let year = 0
  for (; year < years; year++) {
    flow = bought + sold - om - inverter * (newInverter[year] ?? 0)
    total += flow
    if (total >= 0) break
    bought *= boughtGrowth
    sold *= soldGrowth
    om *= omGrowth
  }
  const payback = year + 1 - total / (year === 0 ? flow + credit : flow)
  out[at + trial] = investment === 0 && years > 0 ? 0 : year < years ? payback : never
}

/** Any trial. */
function addYears(
  economics: Economics,
  { values, stride }: InputColumns,
  trial: number,
  out: Float64Array,
  at: number,
): void {
  const { sizeKW, consumptionGrowth, exportGrowth, omGrowth, newInverter } = economics
  const { incentivePerKWh, incentiveYears } = economics
  const years = sizeKW > 0 ? economics.years : 0
  const keep = 1 - (values[stride + trial] ?? 0)
  const escalation = 1 + (values[2 * stride + trial] ?? 0)
  const investment = investmentOf(economics, values[3 * stride + trial] ?? 0)
  const credit = taxCreditOf(economics, investment)
  const inverter = values[7 * stride + trial] ?? 0
  const selfConsumption = values[5 * stride + trial] ?? 0
  let production = sizeKW * (values[trial] ?? 0)
  let wanted = economics.consumptionKWh
  let rate = economics.utilityRate
  let exportRate = values[6 * stride + trial] ?? 0
  let om = sizeKW * (values[4 * stride + trial] ?? 0)
  let total = credit - investment
  let flow = 0
  let year = 0
  for (; year < years; year++) {
    const offered = production * selfConsumption
    const used = offered < wanted ? offered : wanted
    flow = used * rate + (production - used) * exportRate - om - inverter * (newInverter[year] ?? 0)
    if (year < incentiveYears) flow += production * incentivePerKWh
    total += flow
    if (total >= 0) break
    production *= keep
    wanted *= consumptionGrowth
    rate *= escalation
    exportRate *= exportGrowth
    om *= omGrowth
  }
  const payback = year + 1 - total / (year === 0 ? flow + credit : flow)
  out[at + trial] = investment === 0 && years > 0 ? 0 : year < years ? payback : never
}

const never = Infinity
