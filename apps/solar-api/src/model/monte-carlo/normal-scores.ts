import { exp } from './elementary.ts'
import { inverseNormal } from './normal.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { clz32 } = Math

/**
 * The normal scores of random words: inverseNormal((word + 0.5) / 2^32) of words[0 .. count - 1], within 2e-15,
 * written to scores[0 ..]. A third of the time of inverseNormal(), because there is neither a division nor a branch:
 * the quantile is a polynomial in each of 32 equal parts of each binade of the lower half of the probabilities.
 *
 * Two at a time, so that the function is too long for the compiler to merge it into its callers: there it would not
 * know the tables as constants, and take twice the time.
 * @param count even
 */
export function fillScores(words: Uint32Array, count: number, scores: Float64Array): void {
  for (let index = 0; index < count; index += 2) {
    const a = (words[index] ?? 0) | 0
    const b = (words[index + 1] ?? 0) | 0
    // -1 in the upper half of the probabilities, whose scores are those of the lower half with the other sign.
    const aMirror = a >> 31
    const bMirror = b >> 31
    const aOdd = ((a ^ aMirror) << 1) | 1
    const bOdd = ((b ^ bMirror) << 1) | 1
    const aBinade = clz32(aOdd)
    const bBinade = clz32(bOdd)
    const aDigits = aOdd << aBinade
    const bDigits = bOdd << bBinade
    const x = (aBinade * partsPerBinade + (aDigits >>> restBits) - partsPerBinade) & lastPart
    const y = (bBinade * partsPerBinade + (bDigits >>> restBits) - partsPerBinade) & lastPart
    const t = (aDigits & (2 * restHalf - 1)) - restHalf
    const u = (bDigits & (2 * restHalf - 1)) - restHalf
    const aHigh = (((c7[x] ?? 0) * t + (c6[x] ?? 0)) * t + (c5[x] ?? 0)) * t + (c4[x] ?? 0)
    const bHigh = (((c7[y] ?? 0) * u + (c6[y] ?? 0)) * u + (c5[y] ?? 0)) * u + (c4[y] ?? 0)
    const aLow = (((aHigh * t + (c3[x] ?? 0)) * t + (c2[x] ?? 0)) * t + (c1[x] ?? 0)) * t + (c0[x] ?? 0)
    const bLow = (((bHigh * u + (c3[y] ?? 0)) * u + (c2[y] ?? 0)) * u + (c1[y] ?? 0)) * u + (c0[y] ?? 0)
    scores[index] = (aMirror | 1) * aLow
    scores[index + 1] = (bMirror | 1) * bLow
  }
}

const partsPerBinade = 32
const lastPart = 32 * partsPerBinade - 1
const restBits = 26
const restHalf = 33554432
const coefficients = 8
const sqrtTwoPi = 2.5066282746310002

// One array per power of t: the compiler then checks one index per score, not eight.
const [c0, c1, c2, c3, c4, c5, c6, c7] = fillTables()

/** For each binade and each of its parts, the Taylor series at the middle of the part. */
function fillTables(): Tables {
  const table = (): Float64Array => new Float64Array(lastPart + 1)
  const tables: Tables = [table(), table(), table(), table(), table(), table(), table(), table()]
  for (let binade = 0, largest = 0.5; binade < 32; binade++, largest /= 2) {
    for (let part = 0; part < partsPerBinade; part++) {
      const middle = (largest / 2) * (1 + (part + 0.5) / partsPerBinade)
      const series = quantileSeries(middle, largest / 2 / partsPerBinade / (2 * restHalf))
      for (const [power, own] of tables.entries()) own[binade * partsPerBinade + part] = series[power] ?? 0
    }
  }
  return tables
}

/**
 * The Taylor coefficients of the normal quantile z at `p`, in steps of `unit`: its slope is the reciprocal of the
 * density, s = sqrt(2 pi) exp(z^2 / 2), so that z' = s and s' = z s^2, which gives one coefficient after the other.
 */
function quantileSeries(p: number, unit: number): number[] {
  const score = inverseNormal(p)
  const z = [score]
  const s = [sqrtTwoPi * exp(0.5 * score * score)]
  for (let power = 1; power < coefficients; power++) {
    z.push((unit * (s[power - 1] ?? 0)) / power)
    s.push((unit * (product(product(s, s), z)[power - 1] ?? 0)) / power)
  }
  return z
}

/** The coefficients of the product of two series. */
function product(a: readonly number[], b: readonly number[]): number[] {
  return a.map((_, power) => {
    let sum = 0
    for (let own = 0; own <= power; own++) sum += (a[own] ?? 0) * (b[power - own] ?? 0)
    return sum
  })
}

type Column = Float64Array
type Tables = [Column, Column, Column, Column, Column, Column, Column, Column]
