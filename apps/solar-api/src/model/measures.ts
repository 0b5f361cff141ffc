/**
 * Measures of any series of yearly flows in USD; flows[t] falls due at the end of year t, flows[0] today.
 */

/**
 * Net present value, USD: the sum of flows[t] / (1 + rate)^t.
 * @param rate > -1; 0 gives the plain sum
 */
export function npv(flows: Series, rate: number): number {
  const discount = 1 / (1 + rate)
  let value = 0
  let factor = 1
  for (let year = 0; year < flows.length; year++) {
    value += (flows[year] ?? 0) * factor
    factor *= discount
  }
  return value
}

/**
 * Years until the running total is first no longer negative, linear within the year; 0 where it never is
 * negative at the start, null where it stays negative. The first crossing counts even when a later
 * replacement undoes it, as is usual in the industry: see lastingPayback.
 * @param rate > -1; other than 0, the flows count in money of year 0
 */
export function payback(flows: Series, rate = 0): number | null {
  const discount = 1 / (1 + rate)
  let total = 0
  let factor = 1
  for (let year = 0; year < flows.length; year++) {
    const flow = (flows[year] ?? 0) * factor
    total += flow
    if (total >= 0) return year === 0 ? 0 : year - total / flow
    factor *= discount
  }
  return null
}

/** Years until the running total is no longer negative for good; null where it ends negative. */
export function lastingPayback(flows: Series): number | null {
  let total = 0
  let crossing = 0
  let isShort = false
  for (let year = 0; year < flows.length; year++) {
    const flow = flows[year] ?? 0
    total += flow
    if (isShort && total >= 0) crossing = year - total / flow
    isShort = total < 0
  }
  return isShort ? null : crossing
}

/** Amounts by year; loops over them go by position, as for...of would make an object of each. */
export type Series = ArrayLike<number>
