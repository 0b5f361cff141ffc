import { exp } from './elementary.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { abs, trunc } = Math

/**
 * Distribution function of the standard normal: Cody's rational approximations, Mathematics of Computation 23
 * (1969), with the constants of Cody's ANORM (TOMS 715). Relative error below 1e-14 also in the lower tail.
 * @param z any number
 */
export function normalCdf(z: number): number {
  const size = abs(z)
  if (size <= 0.67448975) return 0.5 + z * centralRatio(z * z)
  const tail = density(size) * (size <= 5.656854249492381 ? middleRatio(size) : tailRatio(size))
  return z > 0 ? 1 - tail : tail
}

/** exp(-z^2 / 2), with z split so that the square loses no digits. */
function density(z: number): number {
  const coarse = trunc(z * 16) / 16
  return exp(-0.5 * coarse * coarse) * exp(-0.5 * (z - coarse) * (z + coarse))
}

function centralRatio(square: number): number {
  return quotient(square, centralOver, centralUnder)
}

function middleRatio(z: number): number {
  return quotient(z, middleOver, middleUnder)
}

function tailRatio(z: number): number {
  const square = 1 / (z * z)
  return (oneBySqrtTwoPi - square * quotient(square, tailOver, tailUnder)) / z
}

/** Quotient of two polynomials, highest power first. */
function quotient(x: number, over: readonly number[], under: readonly number[]): number {
  return polynomial(x, over) / polynomial(x, under)
}

function polynomial(x: number, coefficients: readonly number[]): number {
  let value = 0
  for (const coefficient of coefficients) value = value * x + coefficient
  return value
}

const oneBySqrtTwoPi = 0.3989422804014327

const centralOver = [
  0.065682337918207449113, 2.2352520354606839287, 161.02823106855587881, 1067.6894854603709582,
  18154.981253343561249,
]
const centralUnder = [
  1, 47.20258190468824187, 976.09855173777669322, 10260.932208618978205, 45507.789335026729956,
]
const middleOver = [
  1.0765576773720192317e-8, 0.39894151208813466764, 8.8831497943883759412, 93.506656132177855979,
  597.27027639480026226, 2494.5375852903726711, 6848.1904505362823326, 11602.651437647350124,
  9842.7148383839780218,
]
const middleUnder = [
  1, 22.266688044328115691, 235.38790178262499861, 1519.377599407554805, 6485.558298266760755,
  18615.571640885098091, 34900.952721145977266, 38912.003286093271411, 19685.429676859990727,
]
const tailOver = [
  0.02307344176494017303, 0.21589853405795699, 0.1274011611602473639, 0.022235277870649807,
  0.001421619193227893466, 2.9112874951168792e-5,
]
const tailUnder = [
  1, 1.28426009614491121, 0.468238212480865118, 0.0659881378689285515, 0.00378239633202758244,
  7.29751555083966205e-5,
]
