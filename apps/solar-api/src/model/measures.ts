/**
 * Measures of any series of yearly flows in USD; flows[t] falls due at the end of year t, flows[0] today.
 */

/**
 * Net present value, USD: the sum of flows[t] / (1 + rate)^t.
 * @param rate > -1; 0 gives the plain sum
 */
export function npv(flows: readonly number[], rate: number): number {
  const discount = 1 / (1 + rate)
  let value = 0
  let factor = 1
  for (const flow of flows) {
    value += flow * factor
    factor *= discount
  }
  return value
}

/** The flows in money of year 0. */
export function discounted(flows: readonly number[], rate: number): number[] {
  const discount = 1 / (1 + rate)
  let factor = 1
  return flows.map((flow) => {
    const value = flow * factor
    factor *= discount
    return value
  })
}

/**
 * Years until the running total is first no longer negative, linear within the year; 0 where it never is
 * negative at the start, null where it stays negative. The first crossing counts even when a later
 * replacement undoes it, as is usual in the industry: see lastingPayback.
 */
export function payback(flows: readonly number[]): number | null {
  let total = 0
  for (let year = 0; year < flows.length; year++) {
    const flow = flows[year] ?? 0
    total += flow
    if (total >= 0) return year === 0 ? 0 : year - total / flow
  }
  return null
}

/** Years until the running total is no longer negative for good; null where it ends negative. */
export function lastingPayback(flows: readonly number[]): number | null {
  let total = 0
  let crossing: number | null = 0
  for (let year = 0; year < flows.length; year++) {
    const flow = flows[year] ?? 0
    total += flow
    if (total < 0) crossing = null
    else if (crossing === null) crossing = year - total / flow
  }
  return crossing
}
