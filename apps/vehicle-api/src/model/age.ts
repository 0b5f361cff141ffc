/** No vehicle is younger than a quarter of a year: of next year's models some are on the road already. */
export const youngestAge = 0.25

/**
 * Age of a model year in years: since 1 January of that year, less a quarter of a year, because vehicles are sold
 * from the autumn before to the end of the year, on average in spring.
 * @param asOf `YYYY-MM-DD`
 */
export function ageOf(year: number, asOf: string): number {
  const start = Date.UTC(Number(asOf.slice(0, 4)), 0, 1)
  const days = (Date.parse(`${asOf.slice(0, 10)}T00:00:00Z`) - start) / 86_400_000
  const now = Number(asOf.slice(0, 4)) + days / 365.25
  return Math.max(youngestAge, now - year - 0.25)
}

/** Complaints of a younger vehicle are still on the way: it is scored, but others are not measured by it. */
export const minimumAge = 1.5
