import { countBelow, quantile, sum } from '../order-statistics.ts'

/** What is said about mileages at failure. */
export type MileageAnalysis = {
  readonly avg_failure_mileage: number | null
  readonly median_failure_mileage: number | null
  readonly most_problematic_range: string | null
  /** Complaints with known mileage. */
  readonly n: number
}

/** Fewer known mileages have no most problematic range. */
export const minimumMileages = 10

/** @param mileages ascending, 1 to 400,000 miles */
export function mileageAnalysis(mileages: Float64Array): MileageAnalysis {
  const n = mileages.length
  return {
    avg_failure_mileage: n === 0 ? null : Math.round(sum(mileages) / n),
    median_failure_mileage: n === 0 ? null : Math.round(quantile(mileages, 0.5)),
    most_problematic_range: n < minimumMileages ? null : busiestRange(mileages),
    n,
  }
}

/** The range with the most complaints, the lower one of several. */
function busiestRange(mileages: Float64Array): string {
  const counts = ranges.map(({ low, high }) => {
    const end = high === highest.high ? mileages.length : countBelow(mileages, high)
    return end - countBelow(mileages, low)
  })
  const { low, high } = ranges[counts.indexOf(Math.max(...counts))] ?? highest
  return `${low}-${high}`
}

const highest = { low: 200_000, high: 400_000 }
const ranges = [
  ...Array.from({ length: 10 }, (_, index) => ({ low: index * 20_000, high: (index + 1) * 20_000 })),
  // It holds its end too, the largest mileage there is.
  highest,
]
