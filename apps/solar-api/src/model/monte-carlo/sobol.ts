import { philox, type Key } from './philox.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { clz32 } = Math

/**
 * Sobol points with the direction numbers of Joe and Kuo, "Constructing Sobol sequences with better
 * two-dimensional projections" (SIAM J. Sci. Comput. 30, 2008; file new-joe-kuo-6), scrambled by a random
 * lower-triangular matrix and a digital shift (Matousek 1998), 32 bits.
 */

/**
 * The 32 direction numbers of one dimension, unscrambled, as unsigned words with the first digit on top.
 * @param dimension 0..15
 */
export function directionNumbers(dimension: number): Uint32Array {
  const { degree, coefficients, first } = polynomials[dimension] ?? noSuchDimension(dimension)
  const directions = new Uint32Array(bits)
  for (let bit = 0; bit < bits; bit++) {
    if (bit < first.length) {
      directions[bit] = (first[bit] ?? 0) << (bits - 1 - bit)
      continue
    }
    // The first dimension has degree 0 and takes this branch for none: all its numbers are given.
    const last = directions[bit - degree] ?? 0
    let word = last ^ (last >>> degree)
    for (let term = 1; term < degree; term++) {
      if ((coefficients >>> (degree - 1 - term)) & 1) word ^= directions[bit - term] ?? 0
    }
    directions[bit] = word
  }
  return directions
}

/**
 * Scrambled direction numbers of dimensions 0..dimensions-1 followed by a shift each, for several independent
 * randomisations: word (randomisation * dimensions + dimension) * 33 + bit, the shift being bit 32.
 * @param stream of the Philox counter
 */
export function scrambledDirections(
  key: Key,
  stream: number,
  dimensions: number,
  randomisations: number,
): Uint32Array {
  const directions = Array.from({ length: dimensions }, (_, dimension) => directionNumbers(dimension))
  const scrambled = new Uint32Array(randomisations * dimensions * wordsPerDimension)
  const random = new Uint32Array(36)
  for (let unit = 0; unit < randomisations * dimensions; unit++) {
    for (let at = 0; at < wordsPerDimension; at += 4) philox(key, unit, 0, at >>> 2, stream, random, at)
    const plain = directions[unit % dimensions] ?? new Uint32Array(bits)
    const target = scrambled.subarray(unit * wordsPerDimension, (unit + 1) * wordsPerDimension)
    for (let bit = 0; bit < bits; bit++) target[bit] = scramble(plain[bit] ?? 0, random)
    target[bits] = random[bits] ?? 0
  }
  return scrambled
}

/**
 * The word that turns one point of a dimension into another: the exclusive or of the directions of the bits of
 * `index`. It is linear: of (a ^ b) it is that of a, exclusive or that of b.
 * @param at of the dimension's first direction number in `directions`
 */
export function combineDirections(directions: Uint32Array, at: number, index: number): number {
  let word = 0
  for (let rest = index; rest !== 0; rest &= rest - 1) word ^= directions[at + lowestBit(rest)] ?? 0
  return word
}

/**
 * Writes `count` points from `first` on to a column, in Gray-code order, in which each differs from the last by one
 * direction number. A point is (word + 0.5) / 2^32.
 * @param at of the dimension in `directions`, see scrambledDirections()
 * @param row of the column for the first of them
 */
export function fillSobol(
  directions: Uint32Array,
  at: number,
  first: number,
  count: number,
  column: Uint32Array,
  row: number,
): void {
  let word = combineDirections(directions, at, first ^ (first >>> 1)) ^ (directions[at + bits] ?? 0)
  for (let index = 0; index < count; index++) {
    column[row + index] = word
    word ^= directions[at + lowestBit(first + index + 1)] ?? 0
  }
}

/** Words that scrambledDirections() holds per dimension. */
export const wordsPerDimension = 33

const bits = 32

/** Multiplies by a lower-triangular matrix with ones on its diagonal: column `bit` is under the bit of `random`. */
function scramble(direction: number, random: Uint32Array): number {
  let word = 0
  for (let rest = direction; rest !== 0; rest &= rest - 1) {
    const digit = rest & -rest
    word ^= digit | ((random[clz32(digit)] ?? 0) & (digit - 1))
  }
  return word
}

/** The number of zeros below the lowest one. */
function lowestBit(word: number): number {
  return 31 - clz32(word & -word)
}

function noSuchDimension(dimension: number): never {
  throw new RangeError(`There are Sobol points in dimensions 0 to 15, not in ${dimension}.`)
}

/** Primitive polynomials and first direction integers of dimensions 0..15. */
const polynomials = [
  { degree: 0, coefficients: 0, first: new Array<number>(bits).fill(1) },
  { degree: 1, coefficients: 0, first: [1] },
  { degree: 2, coefficients: 1, first: [1, 3] },
  { degree: 3, coefficients: 1, first: [1, 3, 1] },
  { degree: 3, coefficients: 2, first: [1, 1, 1] },
  { degree: 4, coefficients: 1, first: [1, 1, 3, 3] },
  { degree: 4, coefficients: 4, first: [1, 3, 5, 13] },
  { degree: 5, coefficients: 2, first: [1, 1, 5, 5, 17] },
  { degree: 5, coefficients: 4, first: [1, 1, 5, 5, 5] },
  { degree: 5, coefficients: 7, first: [1, 1, 7, 11, 19] },
  { degree: 5, coefficients: 11, first: [1, 1, 5, 1, 1] },
  { degree: 5, coefficients: 13, first: [1, 1, 1, 3, 11] },
  { degree: 5, coefficients: 14, first: [1, 3, 5, 5, 31] },
  { degree: 6, coefficients: 1, first: [1, 3, 3, 9, 7, 49] },
  { degree: 6, coefficients: 13, first: [1, 1, 1, 15, 21, 21] },
  { degree: 6, coefficients: 16, first: [1, 3, 1, 13, 27, 49] },
]
