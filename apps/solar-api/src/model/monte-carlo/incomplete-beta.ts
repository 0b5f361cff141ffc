import { exp, log, log1p } from './elementary.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { abs, max } = Math

/**
 * Logarithm of the gamma function: Stirling's series above 15, reached by the recurrence below it.
 * Relative error below 1e-14 except next to its zeros at 1 and 2.
 * @param x > 0
 */
export function logGamma(x: number): number {
  let shifted = x
  let product = 1
  while (shifted < 15) {
    product *= shifted
    shifted++
  }
  const w = 1 / (shifted * shifted)
  const series =
    1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - w * (691 / 360360)))))
  return (shifted - 0.5) * log(shifted) - shifted + halfLogTwoPi + series / shifted - log(product)
}

/** Logarithm of the complete beta function B(a, b). */
export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}

/**
 * Logarithm of the regularised incomplete beta function I_x(a, b), by its continued fraction on the side
 * where that converges quickly (DLMF 8.17.22).
 * @param logit ln(x / (1 - x)), which keeps the digits of x near 0 and near 1
 * @param logB logBeta(a, b)
 */
export function logIncompleteBeta(logit: number, a: number, b: number, logB: number): number {
  const isLeft = 1 / (1 + exp(-logit)) < (a + 1) / (a + b + 2)
  const logTail = isLeft ? logLeftTail(logit, a, b, logB) : logLeftTail(-logit, b, a, logB)
  return isLeft ? logTail : log1p(-exp(logTail))
}

/**
 * The x with I_x(a, b) = p, as its logit ln(x / (1 - x)). Newton's method on ln I as a function of the logit:
 * that function is increasing and concave, so the steps converge from any start.
 * @param logP ln(p), p at most about 0.5 for full precision; for a larger p ask for 1 - p with a and b
 *   exchanged and change the sign
 * @param start a logit to start from
 */
export function inverseIncompleteBeta(
  logP: number,
  a: number,
  b: number,
  logB = logBeta(a, b),
  start = (logP + log(a) + logB) / a,
): number {
  let logit = start
  // From the right of the root the first step may go far to the left, from where each step gains a lot.
  for (let round = 0; round < 200; round++) {
    const logI = logIncompleteBeta(logit, a, b, logB)
    const slope = exp(logDensityOfLogit(logit, a, b, logB) - logI)
    const step = (logP - logI) / slope
    // From far to the right the slope is next to nothing and the step would have no end.
    logit += max(step, -1000)
    if (abs(step) <= 1e-14 * (1 + abs(logit))) break
  }
  return logit
}

/** Logarithm of the density of ln(x / (1 - x)) where x has the beta distribution. */
export function logDensityOfLogit(logit: number, a: number, b: number, logB: number): number {
  return -a * softplus(-logit) - b * softplus(logit) - logB
}

const halfLogTwoPi = 0.9189385332046728
const tiny = 1e-300

function softplus(y: number): number {
  return y > 0 ? y + log1p(exp(-y)) : log1p(exp(y))
}

function logLeftTail(logit: number, a: number, b: number, logB: number): number {
  const x = 1 / (1 + exp(-logit))
  return logDensityOfLogit(logit, a, b, logB) - log(a) + log(continuedFraction(x, a, b))
}

/** 1 / (1 + d1 / (1 + d2 / (1 + ...))) by the modified method of Lentz. */
function continuedFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    fraction *= d * c
    if (abs(d * c - 1) < 1e-15) break
  }
  return fraction
}

function nonZero(x: number): number {
  return abs(x) < tiny ? tiny : x
}
