/*
 * Exponential and logarithm from sums, products and quotients alone, whose every bit IEEE 754 fixes: the results of
 * a seed do not depend on the mathematical library that a version of Node is built with.
 */

/** e^x, to three units in the last place; smaller than 1e-307 less exactly. */
export function exp(x: number): number {
  if (!(x > lowest)) return x <= lowest ? 0 : NaN
  if (x > highest) return Infinity
  // e^x = e^whole * e^(step / 256) * e^rest, with rest so small that five terms of the series will do.
  const steps = (x * stepsPerUnit + (0.5 - stepsPerUnit * lowest)) | 0
  const rest = x - (steps / stepsPerUnit + lowest)
  const series = ((rest * (1 / 24) + 1 / 6) * rest + 0.5) * rest + 1
  const power = (wholePowers[steps >>> stepBits] ?? 0) * (stepPowers[steps & (stepsPerUnit - 1)] ?? 0)
  return power * (series * rest + 1)
}

/** The natural logarithm, to two units in the last place; -Infinity of 0, NaN of less. */
export function log(x: number): number {
  if (!(x > 0 && x < Infinity)) return x > 0 ? x : x === 0 ? -Infinity : NaN
  let twos = 0
  let mantissa = x
  for (; mantissa < sqrtHalf; mantissa *= 2) twos--
  for (; mantissa > 2 * sqrtHalf; mantissa *= 0.5) twos++
  // ln((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...)
  const s = (mantissa - 1) / (mantissa + 1)
  const square = s * s
  let series = 0
  for (let term = 0; term < logSeries.length; term++) series = (series + (logSeries[term] ?? 0)) * square
  return twos * ln2High + (twos * ln2Low + 2 * s * series + 2 * s)
}

/** ln(1 + x), also where 1 + x would round the digits of x away. */
export function log1p(x: number): number {
  const sum = 1 + x
  return sum === 1 ? x : (log(sum) * x) / (sum - 1)
}

const lowest = -746
const highest = 709.78
const stepBits = 8
const stepsPerUnit = 256
const sqrtHalf = 0.7071067811865476
/** ln 2 in two parts: the products of the first with whole numbers up to 2^20 are exact. */
const ln2High = 0.6931471803691238
const ln2Low = 1.9082149292705877e-10
/** 1/23, 1/21, ... 1/3 */
const logSeries = Float64Array.from({ length: 11 }, (_, term) => 1 / (23 - 2 * term))
const wholePowers = Float64Array.from({ length: 1457 }, (_, index) => expBySeries(index + lowest))
const stepPowers = Float64Array.from({ length: stepsPerUnit }, (_, step) => expBySeries(step / stepsPerUnit))

/** e^x by the whole series, after halving x until it is short. */
function expBySeries(x: number): number {
  const twos = Math.round(x / ln2High)
  const rest = x - twos * ln2High - twos * ln2Low
  let sum = 1
  for (let term = 14; term > 0; term--) sum = 1 + (sum * rest) / term
  // In two steps: the power of two alone may be too large or too small for a number.
  const half = Math.trunc(twos / 2)
  return sum * powerOfTwo(half) * powerOfTwo(twos - half)
}

function powerOfTwo(exponent: number): number {
  let power = 1
  for (let left = Math.abs(exponent); left > 0; left--) power *= exponent < 0 ? 0.5 : 2
  return power
}
