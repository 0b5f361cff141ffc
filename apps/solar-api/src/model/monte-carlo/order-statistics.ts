/**
 * The values at the given ranks, 0 being the smallest, exactly as sorting would give them: values are counted
 * into even bins, and only the bins that hold a wanted rank are sorted. Infinity counts as the largest value.
 * @param values no NaN, no -Infinity
 * @param ranks whole, 0..values.length - 1, in any order
 */
export function orderStatistics(values: Float64Array, ranks: readonly number[]): number[] {
  const { min, max, finite } = rangeOf(values)
  if (!(max > min)) return ranks.map((rank) => (rank < finite ? min : Infinity))
  const bins = Math.min(4096, Math.max(64, values.length >>> 2))
  const grid = { min, scale: bins / (max - min), last: bins - 1 }
  const before = countBefore(values, grid, bins)
  const wanted = new Uint8Array(bins)
  const binOf = ranks.map((rank) => (rank < finite ? lastNotAbove(before, rank, bins) : -1))
  for (const bin of binOf) if (bin >= 0) wanted[bin] = 1
  const sorted = gather(values, grid, wanted).sort()
  const shifts = shiftsOf(before, wanted, bins)
  return ranks.map((rank, index) => {
    const bin = binOf[index] ?? -1
    return bin < 0 ? Infinity : (sorted[rank - (shifts[bin] ?? 0)] ?? Infinity)
  })
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
  const places = shares.map((share) => percentilePlace(share, values.length))
  const found = orderStatistics(
    values,
    places.flatMap(({ lower, upper }) => [lower, upper]),
  )
  return places.map(({ weight }, index) => between(found[2 * index], found[2 * index + 1], weight))
}

/** From `low` to `high`, `weight` of the way. */
export function between(low = NaN, high = NaN, weight: number): number {
  return weight === 0 || low === high ? low : low + weight * (high - low)
}

/** The smallest and largest of the finite values, and how many they are; 0 and 0 if there are none. */
export function rangeOf(values: Float64Array): { min: number; max: number; finite: number } {
  let min = Infinity
  let max = -Infinity
  let finite = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value === never) continue
    finite++
    if (value < min) min = value
    if (value > max) max = value
  }
  return finite > 0 ? { min, max, finite } : { min: 0, max: 0, finite }
}

/** How many values lie in the bins before each. */
function countBefore(values: Float64Array, grid: Grid, bins: number): Uint32Array {
  // One slot more than bins: what falls in bin b is counted in slot b + 1, so that a running sum ends up before.
  const before = new Uint32Array(bins + 1)
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value === never) continue
    const bin = binOfValue(value, grid)
    before[bin + 1] = (before[bin + 1] ?? 0) + 1
  }
  for (let bin = 1; bin <= bins; bin++) before[bin] = (before[bin] ?? 0) + (before[bin - 1] ?? 0)
  return before
}

function gather(values: Float64Array, grid: Grid, wanted: Uint8Array): Float64Array {
  const gathered = new Float64Array(values.length)
  let count = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value === never) continue
    if (wanted[binOfValue(value, grid)] === 1) gathered[count++] = value
  }
  return gathered.subarray(0, count)
}

function binOfValue(value: number, { min, scale, last }: Grid): number {
  const bin = ((value - min) * scale) | 0
  return bin < last ? bin : last
}

/** What to take off a rank to get its index among the gathered values: the values in bins not gathered. */
function shiftsOf(before: Uint32Array, wanted: Uint8Array, bins: number): Uint32Array {
  const shifts = new Uint32Array(bins)
  let left = 0
  for (let bin = 0; bin < bins; bin++) {
    if (wanted[bin] === 1) shifts[bin] = left
    else left += (before[bin + 1] ?? 0) - (before[bin] ?? 0)
  }
  return shifts
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

type Grid = Readonly<{ min: number; scale: number; last: number }>

export type PercentilePlace = Readonly<{ lower: number; upper: number; weight: number }>
