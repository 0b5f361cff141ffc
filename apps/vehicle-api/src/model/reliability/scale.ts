import { median, medianDeviation } from '../order-statistics.ts'
import type { RateScale } from '../reliability-fit.ts'
import { percentilesOf } from '../score-shares.ts'
import { scoreOf } from '../score.ts'

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

/** Where the middle of a population lies, how wide it is spread, and which scores follow from that. */
export function scaleOf(population: readonly WeightAndExposure[], prior: Prior, alpha: number): RateScale {
  if (population.length === 0) {
    const middle = Math.log(prior.mu * prior.meanWeight)
    return { ...prior, median: middle, sigma: defaultSigma, scorePercentiles: [] }
  }
  const lnRates = population.map((vehicle) => lnRateOf(vehicle, prior, alpha))
  const middle = median(lnRates)
  const spread =
    population.length < minimumPopulation ? defaultSigma : 1.4826 * medianDeviation(lnRates, middle)
  const scale = { median: middle, sigma: Math.max(smallestSigma, spread) }
  return { ...prior, ...scale, scorePercentiles: percentilesOf(lnRates.map((rate) => scoreOf(rate, scale))) }
}

/** From a fit to 87 model years with known sales. */
export const defaultSigma = 1

/** Where most vehicles are alike, as in a category with few complaints, a quarter more or less is no difference. */
export const smallestSigma = 0.25
