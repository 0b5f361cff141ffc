import {
  between,
  binValues,
  orderStatistics,
  percentilePlace,
  percentilesOfPart,
  rangeOf,
  valuesAtRanks,
  type Binned,
} from './order-statistics.ts'
import type { Replicate } from './pieces.ts'

/**
 * Describes one output of all trials. Trials of Infinity take part in the percentiles, which are null where
 * they fall among them, and in the overflow of the histogram; all other numbers are those of the finite trials,
 * null if there are none.
 * @param replicates one: standard errors of independent trials; several: from the scatter of the replicates
 */
export function describeOutput(values: Float64Array, replicates: readonly Replicate[]): OutputStatistics {
  const range = rangeOf(values)
  const { min, max, finite } = range
  const binned = binValues(values, range)
  const { found, low, high } = percentilesOf(binned, finite)
  const mean = range.sum / finite
  const standardDeviation = deviationOf(values, mean)
  const errors =
    replicates.length > 1
      ? errorsFromReplicates(binned, replicates)
      : errorsFromSample(binned, standardDeviation / Math.sqrt(finite))
  const isKnown = finite > 0
  return {
    mean: isKnown ? mean : null,
    standardDeviation: isKnown ? standardDeviation : null,
    standardError: isKnown ? finiteOrNull(errors.mean) : null,
    min: isKnown ? min : null,
    max: isKnown ? max : null,
    percentiles: named(found),
    percentileStandardErrors: named(errors.percentiles),
    histogram: histogramOf(values, low, high, isKnown),
  }
}

/** Mean of the worst `share` of the values: of the floor(share * n) smallest. */
export function tailMean(values: Float64Array, share: number): number {
  const count = Math.max(1, Math.floor(share * values.length))
  const [limit = NaN] = orderStatistics(values, [count - 1])
  let below = 0
  let sum = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value < limit) {
      below++
      sum += value
    }
  }
  return (sum + (count - below) * limit) / count
}

/** Shares of the values that are at most 0, 1, 2 .. `last`, in one pass. */
export function sharesUpTo(values: Float64Array, last: number): Float64Array {
  const counts = new Float64Array(last + 2)
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    const place = value <= last ? Math.ceil(Math.max(value, 0)) : last + 1
    counts[place] = (counts[place] ?? 0) + 1
  }
  let sum = 0
  return counts.subarray(0, last + 1).map((count) => {
    sum += count
    return sum / values.length
  })
}

/** Share of the values that are more than `limit`. */
export function shareAbove(values: Float64Array, limit: number): number {
  let count = 0
  for (let index = 0; index < values.length; index++) if ((values[index] ?? 0) > limit) count++
  return count / values.length
}

/** Mean of the finite values. */
export function meanOf(values: Float64Array): number {
  const { sum, finite } = rangeOf(values)
  return sum / finite
}

/** Standard deviation of the finite values around their mean, with n - 1; 0 for a single one. */
function deviationOf(values: Float64Array, mean: number): number {
  let sum = 0
  let count = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value === never) continue
    sum += (value - mean) * (value - mean)
    count++
  }
  return count > 1 ? Math.sqrt(sum / (count - 1)) : 0
}

/** The percentiles of all values, and the limits of the histogram among the finite ones. */
function percentilesOf(binned: Binned, finite: number): { found: number[]; low: number; high: number } {
  const count = binned.values.length
  const places = [
    ...shares.map((share) => percentilePlace(share, count)),
    ...histogramShares.map((share) => percentilePlace(share, Math.max(1, finite))),
  ]
  const ranks = places.flatMap(({ lower, upper }) => [lower, upper])
  const order = valuesAtRanks(binned, 0, count, ranks)
  const found = places.map(({ weight }, index) => between(order[2 * index], order[2 * index + 1], weight))
  const [low = NaN, high = NaN] = found.splice(shares.length)
  return { found, low, high }
}

/** A percentile lies with 68 % probability between the order statistics one binomial deviation to its sides. */
function errorsFromSample(binned: Binned, mean: number): Errors {
  const count = binned.values.length
  const ranks = shares.flatMap((share) => {
    const deviation = Math.sqrt(count * share * (1 - share))
    const place = share * (count - 1)
    return [Math.max(0, Math.round(place - deviation)), Math.min(count - 1, Math.round(place + deviation))]
  })
  const order = valuesAtRanks(binned, 0, count, ranks)
  const errors = shares.map((_, index) => ((order[2 * index + 1] ?? NaN) - (order[2 * index] ?? NaN)) / 2)
  return { mean, percentiles: errors }
}

function errorsFromReplicates(binned: Binned, replicates: readonly Replicate[]): Errors {
  const found = replicates.map(({ start, end }) => percentilesOfPart(binned, start, end, shares))
  return {
    mean: errorOfMean(replicates.map(({ start, end }) => meanOf(binned.values.subarray(start, end)))),
    percentiles: shares.map((_, index) => errorOfMean(found.map((own) => own[index] ?? NaN))),
  }
}

function errorOfMean(estimates: readonly number[]): number {
  const all = Float64Array.from(estimates)
  if (!all.every(Number.isFinite)) return NaN
  return deviationOf(all, meanOf(all)) / Math.sqrt(all.length)
}

/** 40 equal bins, or a single one where all values are the same. Each holds its lower edge, the last both. */
function histogramOf(values: Float64Array, low: number, high: number, isKnown: boolean): Histogram {
  if (!isKnown) return { edges: [], counts: [], underflow: 0, overflow: values.length }
  const bins = high > low ? histogramBins : 1
  const counts = new Uint32Array(bins)
  const scale = bins === 1 ? 0 : bins / (high - low)
  let underflow = 0
  let overflow = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value < low) underflow++
    else if (value > high) overflow++
    else {
      const place = ((value - low) * scale) | 0
      const bin = place < bins ? place : bins - 1
      counts[bin] = (counts[bin] ?? 0) + 1
    }
  }
  const edges = Array.from(counts, (_, bin) => low + ((high - low) * bin) / bins)
  return { edges: [...edges, high], counts: [...counts], underflow, overflow }
}

function named(numbers: readonly number[]): Percentiles {
  const [p5, p10, p25, p50, p75, p90, p95] = numbers.map(finiteOrNull)
  return {
    p5: p5 ?? null,
    p10: p10 ?? null,
    p25: p25 ?? null,
    p50: p50 ?? null,
    p75: p75 ?? null,
    p90: p90 ?? null,
    p95: p95 ?? null,
  }
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

const never = Infinity
const shares = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95]
const histogramShares = [0.005, 0.995]
const histogramBins = 40

/** p5 is the value that 5 % of the trials stay below; null where it falls among the infinite ones. */
export type Percentiles = Readonly<
  Record<'p5' | 'p10' | 'p25' | 'p50' | 'p75' | 'p90' | 'p95', number | null>
>

export type OutputStatistics = Readonly<{
  mean: number | null
  /** of the sample, with n - 1 */
  standardDeviation: number | null
  /** of the mean */
  standardError: number | null
  min: number | null
  max: number | null
  percentiles: Percentiles
  percentileStandardErrors: Percentiles
  histogram: Histogram
}>

/** counts[i] values lie from edges[i] to edges[i + 1]; edges run from P0.5 to P99.5. All add up to the trials. */
export type Histogram = Readonly<{
  edges: readonly number[]
  counts: readonly number[]
  underflow: number
  /** infinite values included */
  overflow: number
}>

type Errors = Readonly<{ mean: number; percentiles: readonly number[] }>
