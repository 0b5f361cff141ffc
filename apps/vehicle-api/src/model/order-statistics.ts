// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { abs, floor, min } = Math

/** The numbers in ascending order, as a new array. */
export function sorted(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).sort()
}

/**
 * Quantile of type 7 of Hyndman and Fan, the default of NumPy and R.
 * @param ascending at least one value
 * @param share 0 to 1
 */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const place = share * (ascending.length - 1)
  const below = floor(place)
  const low = ascending[below] ?? NaN
  const high = ascending[min(below + 1, ascending.length - 1)] ?? NaN
  return low + (place - below) * (high - low)
}

/** How many values are less than `limit`. @param ascending in ascending order */
export function countBelow(ascending: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? NaN) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/** Mean of the two middle values where their number is even; NaN of nothing. */
export function median(values: Iterable<number>): number {
  return quantile(sorted(values), 0.5)
}

/** Median of the distances from `centre`. */
export function medianDeviation(values: readonly number[], centre: number): number {
  return median(values.map((value) => abs(value - centre)))
}

export function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
