import { digamma } from './gamma.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { exp, log } = Math

/** How many complaints a vehicle has, and how long its units were on the road in thousand vehicle-years. */
export type CountAndExposure = { readonly complaints: number; readonly exposure: number }

/** From a fit to 87 model years with known sales. */
export const defaultAlpha = 1.3

/**
 * Shape alpha of the gamma distribution of rates by maximum likelihood: complaints are negative binomial with mean
 * mu * exposure and variance mean + mean * mean / alpha (Lawless, Canadian Journal of Statistics 15, 1987). The
 * derivative of the likelihood is halved to its zero on a logarithmic scale.
 * @param mu mean rate, complaints per thousand vehicle-years
 * @returns null where the likelihood has no maximum between 0.1 and 50: then counts vary no more than chance, or
 *   the distribution does not fit
 */
export function fitAlpha(vehicles: readonly CountAndExposure[], mu: number): number | null {
  let [low, high] = [log(0.1), log(50)]
  if (!(slopeAt(exp(low)) > 0 && slopeAt(exp(high)) < 0)) return null
  while (high - low > 1e-9) {
    const middle = (low + high) / 2
    if (slopeAt(exp(middle)) > 0) low = middle
    else high = middle
  }
  return exp((low + high) / 2)

  function slopeAt(alpha: number): number {
    const constant = log(alpha) + 1 - digamma(alpha)
    let slope = 0
    for (const { complaints, exposure } of vehicles) {
      const total = alpha + mu * exposure
      slope += digamma(complaints + alpha) + constant - log(total) - (complaints + alpha) / total
    }
    return slope
  }
}
