/** A sum divided by a count, to the nearest integer; null for none. */
export function roundedMean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count)
}
