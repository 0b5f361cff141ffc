import { limitsOf, type Distribution, type Range } from './distribution.ts'
import { exp, log } from './elementary.ts'
import { inverseIncompleteBeta, logBeta, logDensityOfLogit } from './incomplete-beta.ts'
import { normalCdf } from './normal-cdf.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { abs, floor, max, min, sqrt } = Math

/**
 * The quantile function of a distribution, prepared: from the standard normal score z to the value whose
 * probability of not being exceeded is that of z. Plain data, so that it can be sent to a worker.
 * @param range of the input, which no value leaves
 */
export function planTransform(distribution: Distribution, range: Range): Transform {
  const limits = limitsOf(distribution, range)
  switch (distribution.distribution) {
    case 'fixed':
      return { ...limits, kind: 'fixed', value: distribution.value }
    case 'normal':
      return { ...limits, kind: 'linear', at: distribution.mean, scale: distribution.standardDeviation }
    case 'lognormal':
      return { ...limits, kind: 'exponential', at: distribution.median, scale: distribution.sigma }
    case 'uniform':
      return { ...limits, kind: 'uniform' }
    case 'triangular':
      return { ...limits, kind: 'triangular', mode: distribution.mode }
    case 'pert': {
      const { min, mode, max, weight = 4 } = distribution
      const alpha = 1 + (weight * (mode - min)) / (max - min)
      const beta = 1 + (weight * (max - mode)) / (max - min)
      return { ...limits, kind: 'beta', low: min, high: max, knots: betaKnots(alpha, beta) }
    }
    case 'beta': {
      const { alpha, beta, min = 0, max = 1 } = distribution
      return { ...limits, kind: 'beta', low: min, high: max, knots: betaKnots(alpha, beta) }
    }
  }
}

/** Writes the values of scores[from..to-1] to values[from + shift ..]. */
export function applyTransform(
  transform: Transform,
  scores: Float64Array,
  from: number,
  to: number,
  values: Float64Array,
  shift: number,
): void {
  switch (transform.kind) {
    case 'fixed':
      values.fill(transform.value, from + shift, to + shift)
      break
    case 'linear':
      applyLinear(transform, scores, from, to, values, shift)
      break
    case 'exponential':
      applyExponential(transform, scores, from, to, values, shift)
      break
    default:
      for (let index = from; index < to; index++) {
        values[index + shift] = quantileOf(transform, scores[index] ?? 0)
      }
  }
}

/** The value of one score. */
export function transformScore(transform: Transform, score: number): number {
  const value = new Float64Array(1)
  applyTransform(transform, Float64Array.of(score), 0, 1, value, 0)
  return value[0] ?? 0
}

function applyLinear(
  { at, scale, low, high }: LinearTransform,
  scores: Float64Array,
  from: number,
  to: number,
  values: Float64Array,
  shift: number,
): void {
  for (let index = from; index < to; index++) {
    const value = at + scale * (scores[index] ?? 0)
    values[index + shift] = value < low ? low : value > high ? high : value
  }
}

function applyExponential(
  { at, scale, low, high }: LinearTransform,
  scores: Float64Array,
  from: number,
  to: number,
  values: Float64Array,
  shift: number,
): void {
  for (let index = from; index < to; index++) {
    const value = at * exponential(scale * (scores[index] ?? 0))
    values[index + shift] = value < low ? low : value > high ? high : value
  }
}

/**
 * exp(x), to two units in the last place: a table of exp(k / 256) times a short series for the rest. Half the time of
 * the exponential for any x, with its two tables and its checks.
 * @param x -32..32
 */
function exponential(x: number): number {
  const knot = (x * expKnotsPerUnit + (expKnotAtZero + 0.5)) | 0
  const rest = x - (knot - expKnotAtZero) / expKnotsPerUnit
  const series = ((rest * (1 / 24) + 1 / 6) * rest + 0.5) * rest + 1
  return (expKnots[knot] ?? Infinity) * (series * rest + 1)
}

function quantileOf(transform: BoundedTransform, score: number): number {
  const { low, high } = transform
  switch (transform.kind) {
    case 'uniform':
      return score < 0 ? low + (high - low) * normalCdf(score) : high - (high - low) * normalCdf(-score)
    case 'triangular':
      return triangularQuantile(transform, score)
    case 'beta':
      return low + (high - low) / (1 + exp(-interpolate(transform.knots, score)))
  }
}

function triangularQuantile({ low, mode, high }: TriangularTransform, score: number): number {
  const width = high - low
  const below = normalCdf(score)
  return below * width < mode - low
    ? low + sqrt(below * width * (mode - low))
    : high - sqrt(normalCdf(-score) * width * (high - mode))
}

/**
 * ln(x / (1 - x)) of the beta quantile x at evenly spaced scores, with its first and second derivatives: that
 * function of the score is smooth and nearly straight, so that fifth-degree pieces between the knots are
 * within 1e-11 of the inverse incomplete beta function, at a hundredth of its price.
 */
function betaKnots(alpha: number, beta: number): Float64Array {
  const knots = new Float64Array(3 * knotCount)
  const logB = logBeta(alpha, beta)
  for (let knot = 0; knot < knotCount; knot++) {
    const score = knot / knotsPerUnit - largestScore
    const logTail = log(normalCdf(-abs(score)))
    const isLower = score < 0
    const logit = isLower
      ? inverseIncompleteBeta(logTail, alpha, beta, logB)
      : -inverseIncompleteBeta(logTail, beta, alpha, logB)
    const x = 1 / (1 + exp(-logit))
    const slope = exp(-0.5 * score * score - halfLogTwoPi - logDensityOfLogit(logit, alpha, beta, logB))
    knots[3 * knot] = logit
    knots[3 * knot + 1] = slope / knotsPerUnit
    knots[3 * knot + 2] =
      (slope * (-score - (alpha * (1 - x) - beta * x) * slope)) / (knotsPerUnit * knotsPerUnit)
  }
  return knots
}

/** Hermite interpolation of value, slope and curvature. */
function interpolate(knots: Float64Array, score: number): number {
  const place = min(max((score + largestScore) * knotsPerUnit, 0), knotCount - 1)
  const knot = min(floor(place), knotCount - 2)
  const t = place - knot
  const at = 3 * knot
  const y0 = knots[at] ?? 0
  const d0 = knots[at + 1] ?? 0
  const c0 = 0.5 * (knots[at + 2] ?? 0)
  const rise = (knots[at + 3] ?? 0) - y0 - d0 - c0
  const turn = (knots[at + 4] ?? 0) - d0 - 2 * c0
  const bend = 0.5 * (knots[at + 5] ?? 0) - c0
  const cubic = 10 * rise - 4 * turn + bend
  const quartic = -15 * rise + 7 * turn - 2 * bend
  const quintic = 6 * rise - 3 * turn + bend
  return y0 + t * (d0 + t * (c0 + t * (cubic + t * (quartic + t * quintic))))
}

const expKnotsPerUnit = 256
const expKnotAtZero = 32 * expKnotsPerUnit
const expKnots = Float64Array.from({ length: 2 * expKnotAtZero + 1 }, (_, knot) =>
  exp((knot - expKnotAtZero) / expKnotsPerUnit),
)

/** Beyond the score of the smallest and largest number that the samplers draw. */
const largestScore = 8
const knotsPerUnit = 16
const knotCount = 2 * largestScore * knotsPerUnit + 1
const halfLogTwoPi = 0.9189385332046728

/** See planTransform(). */
export type Transform = FixedTransform | LinearTransform | BoundedTransform

type FixedTransform = Range & Readonly<{ kind: 'fixed'; value: number }>
/** at + scale * z, or at * exp(scale * z), moved to the limits */
type LinearTransform = Range & Readonly<{ kind: 'linear' | 'exponential'; at: number; scale: number }>
type TriangularTransform = Range & Readonly<{ kind: 'triangular'; mode: number }>
type BoundedTransform =
  | (Range & Readonly<{ kind: 'uniform' }>)
  | TriangularTransform
  | (Range & Readonly<{ kind: 'beta'; knots: Float64Array }>)
