import { median } from './order-statistics.ts'

/** A value of a year. */
export type Point = { readonly year: number; readonly value: number }

export type MonotoneTrend = {
  /** Median of the slopes between all pairs of points (Theil 1950, Sen 1968), per year. */
  readonly slope: number
  /** Normal score of the test of Mann (1945) and Kendall, corrected for ties and continuity; 0 where all is tied. */
  readonly z: number
  /** The line of that slope, through the median of the rest, at the first and the last year. */
  readonly first: number
  readonly last: number
}

export const trendLabels = ['improving', 'worsening', 'stable', 'insufficient_data'] as const

export type TrendLabel = (typeof trendLabels)[number]

/** Years that a trend needs, and how old each must be for its complaints to have come in. */
export const minimumTrendYears = 4
export const minimumTrendAge = 2

/** @returns null with fewer than `minimumTrendYears` points. Years must differ. */
export function monotoneTrend(points: readonly Point[]): MonotoneTrend | null {
  if (points.length < minimumTrendYears) return null
  const ordered = points.toSorted((a, b) => a.year - b.year)
  const slopes = ordered.flatMap((a, index) =>
    ordered.slice(index + 1).map((b) => (b.value - a.value) / (b.year - a.year)),
  )
  const slope = median(slopes)
  const intercept = median(ordered.map(({ year, value }) => value - slope * year))
  const at = (index: number) => intercept + slope * (ordered.at(index)?.year ?? NaN)
  return { slope, z: kendallZ(slopes, ordered), first: at(0), last: at(-1) }
}

/**
 * Steep enough and not by chance (one-sided 10 %): a steep slope over few years stays `stable`.
 * @param enough slope per year, > 0, from which a change matters
 * @param higherIs what a rising value means
 */
export function trendLabel(
  trend: MonotoneTrend | null,
  enough: number,
  higherIs: 'better' | 'worse',
): TrendLabel {
  if (trend === null) return 'insufficient_data'
  const isRising = trend.slope >= enough && trend.z > criticalZ
  const isFalling = trend.slope <= -enough && trend.z < -criticalZ
  if (!isRising && !isFalling) return 'stable'
  return isRising === (higherIs === 'better') ? 'improving' : 'worsening'
}

const criticalZ = 1.28

function kendallZ(slopes: readonly number[], points: readonly Point[]): number {
  const s = slopes.reduce((total, slope) => total + Math.sign(slope), 0)
  const n = points.length
  const ties = Map.groupBy(points, ({ value }) => value)
  let variance = n * (n - 1) * (2 * n + 5)
  for (const { length } of ties.values()) variance -= length * (length - 1) * (2 * length + 5)
  return s === 0 ? 0 : (s - Math.sign(s)) / Math.sqrt(variance / 18)
}
