/**
 * The values at the given ranks, 0 being the smallest, exactly as sorting would give them. Infinity counts as the
 * largest value.
 * @param values no NaN, no -Infinity
 * @param ranks whole, 0..values.length - 1, in any order
 */
export function orderStatistics(values: Float64Array, ranks: readonly number[]): number[] {
  return valuesAtRanks(binValues(values, rangeOf(values)), 0, values.length, ranks)
}

/**
 * Sorts values into even bins between the smallest and the largest, which is what finding ranks among them starts
 * with: done once for all of the values and for parts of them.
 * @param range of the values, see rangeOf()
 */
export function binValues(values: Float64Array, { min, max }: Range): Binned {
  const bins = Math.min(4096, Math.max(64, values.length >>> 3))
  const scale = max > min ? bins / (max - min) : 0
  const places = new Uint16Array(values.length)
  const last = bins - 1
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    const bin = ((value - min) * scale) | 0
    places[index] = value === never ? bins : bin < last ? bin : last
  }
  return { values, places, bins }
}

/**
 * orderStatistics() of values[from .. to - 1]: they are counted by bin, and only the bins that hold a wanted rank
 * are sorted.
 * @param ranks among these values, 0..to - from - 1
 */
export function valuesAtRanks(binned: Binned, from: number, to: number, ranks: readonly number[]): number[] {
  const before = countBefore(binned, from, to)
  const bins = Uint32Array.from(ranks, (rank) => lastNotAbove(before, rank, binned.bins + 1))
  const wanted = new Uint8Array(binned.bins + 1)
  const shifts = new Uint32Array(binned.bins + 1)
  let gathered = 0
  for (const bin of bins.slice().sort()) {
    if (wanted[bin] === 1) continue
    wanted[bin] = 1
    // What to take off a rank to get its place among the values gathered: the values in the bins passed over.
    shifts[bin] = (before[bin] ?? 0) - gathered
    gathered += (before[bin + 1] ?? 0) - (before[bin] ?? 0)
  }
  const sorted = gather(binned, from, to, wanted, gathered).sort()
  return ranks.map((rank, index) => sorted[rank - (shifts[bins[index] ?? 0] ?? 0)] ?? never)
}

/**
 * The ranks that a percentile of `count` values lies between, and how far: type 7 of Hyndman and Fan, the
 * default of NumPy and R and Excel's PERCENTILE.INC.
 * @param share 0..1
 */
export function percentilePlace(share: number, count: number): PercentilePlace {
  const place = share * (count - 1)
  const lower = Math.floor(place)
  return { lower, upper: Math.min(lower + 1, count - 1), weight: place - lower }
}

/** Percentiles of type 7 for several shares; Infinity where they touch a value of Infinity. */
export function percentiles(values: Float64Array, shares: readonly number[]): number[] {
  return percentilesOfPart(binValues(values, rangeOf(values)), 0, values.length, shares)
}

/** percentiles() of values[from .. to - 1]. */
export function percentilesOfPart(
  binned: Binned,
  from: number,
  to: number,
  shares: readonly number[],
): number[] {
  const places = shares.map((share) => percentilePlace(share, to - from))
  const lower = places.map((place) => place.lower)
  const upper = places.map((place) => place.upper)
  const found = valuesAtRanks(binned, from, to, [...lower, ...upper])
  return places.map(({ weight }, index) => between(found[index], found[shares.length + index], weight))
}

/** From `low` to `high`, `weight` of the way. */
export function between(low = NaN, high = NaN, weight: number): number {
  return weight === 0 || low === high ? low : low + weight * (high - low)
}

/** The smallest and largest of the finite values, their sum, and how many they are; 0 if there are none. */
export function rangeOf(values: Float64Array): Range {
  let min = never
  let max = -never
  let sum = 0
  let finite = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value === never) continue
    finite++
    sum += value
    if (value < min) min = value
    if (value > max) max = value
  }
  return finite > 0 ? { min, max, sum, finite } : { min: 0, max: 0, sum, finite }
}

/** How many values lie in the bins before each. */
function countBefore({ places, bins }: Binned, from: number, to: number): Uint32Array {
  // One slot more than bins: what falls in bin b is counted in slot b + 1, so that a running sum ends up before.
  const before = new Uint32Array(bins + 2)
  for (let index = from; index < to; index++) {
    const slot = (places[index] ?? 0) + 1
    before[slot] = (before[slot] ?? 0) + 1
  }
  let sum = 0
  for (let bin = 0; bin < before.length; bin++) {
    sum += before[bin] ?? 0
    before[bin] = sum
  }
  return before
}

function gather(
  { values, places }: Binned,
  from: number,
  to: number,
  wanted: Uint8Array,
  size: number,
): Float64Array {
  // One more: each value is written and kept only if wanted, which leaves the processor no branch to foresee.
  const gathered = new Float64Array(size + 1)
  let count = 0
  for (let index = from; index < to; index++) {
    gathered[count] = values[index] ?? 0
    count += wanted[places[index] ?? 0] ?? 0
  }
  return gathered.subarray(0, size)
}

/** The bin of a rank. */
function lastNotAbove(before: Uint32Array, rank: number, bins: number): number {
  let low = 0
  let high = bins
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((before[middle] ?? 0) <= rank) low = middle
    else high = middle
  }
  return low
}

const never = Infinity

/** See rangeOf(). */
export type Range = Readonly<{ min: number; max: number; sum: number; finite: number }>

/** Values and the bin of each, 0..bins - 1 in rising order; infinite ones are in bin number `bins`. */
export type Binned = Readonly<{ values: Float64Array; places: Uint16Array; bins: number }>

export type PercentilePlace = Readonly<{ lower: number; upper: number; weight: number }>
