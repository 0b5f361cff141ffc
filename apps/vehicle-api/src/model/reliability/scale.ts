import { median, medianDeviation } from '../order-statistics.ts'
import type { RateScale } from '../reliability-fit.ts'

/** Fewer vehicles say nothing about how much vehicles differ. */
export const minimumPopulation = 10

/** A weighted number of complaints and the thousand vehicle-years they come from. */
export type WeightAndExposure = { readonly weight: number; readonly exposure: number }

/** Mean rate and mean weight: what a vehicle of which nothing is known is taken to have. */
export type Prior = Pick<RateScale, 'mu' | 'meanWeight'>

/**
 * The gamma distribution of a vehicle's rate of weighted complaints per thousand vehicle-years, after its
 * complaints are known (empirical Bayes; Robbins, Proceedings of the Third Berkeley Symposium 1, 1956): the prior
 * is worth `alpha / mu` thousand vehicle-years, so that only rare vehicles are moved towards the mean.
 */
export function posterior({ weight, exposure }: WeightAndExposure, { mu, meanWeight }: Prior, alpha: number) {
  return { shape: alpha * meanWeight + weight, rate: alpha / mu + exposure }
}

/** Logarithm of the mean of that distribution. */
export function lnRateOf(vehicle: WeightAndExposure, prior: Prior, alpha: number): number {
  const { shape, rate } = posterior(vehicle, prior, alpha)
  return Math.log(shape / rate)
}

/** Where the middle of a population lies and how wide it is spread. */
export function scaleOf(population: readonly WeightAndExposure[], prior: Prior, alpha: number): RateScale {
  if (population.length === 0) {
    return { ...prior, median: Math.log(prior.mu * prior.meanWeight), sigma: defaultSigma }
  }
  const lnRates = population.map((vehicle) => lnRateOf(vehicle, prior, alpha))
  const middle = median(lnRates)
  const sigma =
    population.length < minimumPopulation ? defaultSigma : 1.4826 * medianDeviation(lnRates, middle)
  return { ...prior, median: middle, sigma: Math.max(smallestSigma, sigma) }
}

/** From a fit to 87 model years with known sales. */
const defaultSigma = 1

/** Where most vehicles are alike, as in a category with few complaints, a quarter more or less is no difference. */
const smallestSigma = 0.25
