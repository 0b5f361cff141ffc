import { log } from './elementary.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { abs, min, sqrt } = Math

/**
 * Quantile of the standard normal distribution, algorithm AS 241 (PPND16) of Wichura, Applied Statistics 37
 * (1988). Monotone, which Sobol points and strata need, and relative error below 1e-15 up to its tables. For many at
 * a time see normal-scores.ts.
 * @param p strictly between 0 and 1
 */
export function inverseNormal(p: number): number {
  const q = p - 0.5
  return abs(q) < 0.425 ? centralQuantile(q) : tailQuantile(p)
}

function centralQuantile(q: number): number {
  const r = 0.180625 - q * q
  return (q * polynomial(central, 0, r)) / polynomial(central, 8, r)
}

function tailQuantile(p: number): number {
  const r = sqrt(-log(min(p, 1 - p)))
  const z = r <= 5 ? quotient(nearTail, r - 1.6) : quotient(farTail, r - 5)
  const q = p - 0.5
  return z * (q / abs(q))
}

function quotient(coefficients: Float64Array, r: number): number {
  return polynomial(coefficients, 0, r) / polynomial(coefficients, 8, r)
}

/** Of degree 7, its eight coefficients from the highest power down. */
function polynomial(c: Float64Array, at: number, r: number): number {
  const high = (((c[at] ?? 0) * r + (c[at + 1] ?? 0)) * r + (c[at + 2] ?? 0)) * r + (c[at + 3] ?? 0)
  return (
    (((high * r + (c[at + 4] ?? 0)) * r + (c[at + 5] ?? 0)) * r + (c[at + 6] ?? 0)) * r + (c[at + 7] ?? 0)
  )
}

const central = Float64Array.of(
  ...[2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457],
  ...[13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608],
  ...[5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867],
  ...[5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1],
)
const nearTail = Float64Array.of(
  ...[7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258],
  ...[3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734],
  ...[1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459],
  ...[0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1],
)
const farTail = Float64Array.of(
  ...[
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
  ],
  ...[0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772],
  ...[
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
  ],
  ...[0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1],
)
