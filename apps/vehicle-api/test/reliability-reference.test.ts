import { categories } from '../src/model/category.ts'
import { fitReliability } from '../src/model/reliability/fit-reliability.ts'
import type { CategoryCounts, VehicleCounts } from '../src/model/vehicle-counts.ts'
import { realComplaintFile, realComplaints, type RealComplaint } from './real-complaints.ts'
import { describeShared } from './shared-data.ts'

/*
 * Real complaints about 447 model years of 70 models, against rel-1 written once more in Python with NumPy 2.4 and
 * SciPy 1.17 from the description of the method alone: alpha by minimize_scalar over the logarithm of alpha of
 * -nbinom.logpmf(n, alpha, alpha / (alpha + mu * E)).sum(), intervals by gamma.ppf([0.05, 0.95], alpha * m + W) /
 * (alpha / mu + E), scores by norm.cdf, numpy.median. Numbers sold are invented, 20,000 + 1,000 * ((7 * year + 13 *
 * letters of the model) mod 97) for Ford and Toyota, so that both kinds of exposure are tried.
 */
const asOf = '2026-03-31'
describeShared(realComplaintFile, (path) => {
  const groups = Map.groupBy(realComplaints(path), (one) => keyOf(one))
  const vehicles = [...groups.values()].flatMap((complaints) => vehicleOf(complaints))
  const { fit, scores } = fitReliability(vehicles, asOf)
  const scoreBy = new Map(scores.map((score) => [keyOf(score), score]))

  test('all is counted', () => {
    expect(vehicles).toHaveLength(447)
    expect(vehicles.reduce((sum, { complaints }) => sum + complaints, 0)).toBe(24_620)
  })

  test.each([
    ...[['crash_background', 217, 23_838, 131893.4911, 1.774562953] as const],
    ...[['sales', 143, 20_546, 73006.08419, 0.5485122028] as const],
  ])('the population on the basis of %s', (basis, count, complaints, exposure, alpha) => {
    const found = fit.bases[basis]
    expect(found).toMatchObject({ vehicles: count, complaints, alphaFitted: true })
    expect(found?.exposure).toBeCloseTo(exposure, 4)
    expect(found?.alpha).toBeCloseTo(alpha, 6)
  })

  test.each([
    ...[['crash_background', 'overall', 0.1807367429, 1.19325237, -2.034697601, 0.7848119398] as const],
    ...[['crash_background', 'engine', 0.02944042171, 1.635784187, -3.873449605, 0.6873605255] as const],
    ...[['crash_background', 'interior', 0.001273755047, 0.9337797619, -6.854230294, 0.25] as const],
    ...[['sales', 'overall', 0.2814285991, 1.206500049, -2.25931648, 2.154847027] as const],
    ...[['sales', 'engine', 0.04831104201, 1.63821945, -4.528630767, 2.55227828] as const],
    ...[['sales', 'interior', 0.002191598163, 0.94296875, -7.004683783, 0.6547406603] as const],
  ])('the scale of %s, %s', (basis, part, mu, meanWeight, median, sigma) => {
    const found = part === 'overall' ? fit.bases[basis]?.overall : fit.bases[basis]?.categories[part]
    expect(found?.mu).toBeCloseTo(mu, 9)
    expect(found?.meanWeight).toBeCloseTo(meanWeight, 8)
    expect(found?.median).toBeCloseTo(median, 7)
    expect(found?.sigma).toBeCloseTo(sigma, 6)
  })

  // Score, its interval, then the ten categories in their order.
  test.each([
    ['FORD EXPLORER 2016', 'own', [5, 4.9, 5.2, 3.7, 3.3, 4.4, 14.6, 1, 1, 1, 1, 1.4, 1]],
    ['FORD EXPLORER 2016', 'background', [1.7, 1.6, 1.9, 1, 1, 4.9, 99, 1, 1, 1, 11.4, 1.9, 1]],
    ['TOYOTA CAMRY 2018', 'own', [7.1, 6.7, 7.4, 6.1, 2, 3.5, 1, 1, 1, 11.8, 25.1, 1, 2.6]],
    ['TOYOTA CAMRY 2018', 'background', [12.9, 11.6, 14.4, 3.4, 1, 8, 1, 55.1, 1, 99, 72.4, 3.9, 16]],
    ['FORD F-150 2019', 'own', [48, 43.8, 52.8, 59.2, 40, 47.4, 61.3, 57.8, 60.5, 57.2, 16.3, 60.9, 63.5]],
    ['FORD F-150 2019', 'background', [20, 13, 30.4, 56.7, 12.9, 50, 71.6, 63.3, 75, 50, 6.6, 69.6, 75]],
    ['TOYOTA PRIUS 2024', 'own', [45.1, 39.7, 51.9, 47.8, 41.8, 17.4, 44.8, 4.8, 42.4, 3.7, 88.9, 9.7, 8.5]],
    ['PORSCHE CAYENNE 2011', 'own', [9.1, 6.1, 13.5, 1, 1, 16.7, 35.9, 74.3, 31.6, 55.9, 75.2, 7.2, 41.2]],
    ['SATURN ION 2004', 'own', [80, 75.3, 84.5, 99, 99, 99, 99, 99, 99, 99, 99, 99, 1]],
  ] as const)('the scores of %s, %s basis', (vehicle, which, expected) => {
    const score = scoreBy.get(vehicle)
    const measure = which === 'own' ? score : score?.background
    const byCategory = categories.map((category) => measure?.categoryScores[category])
    expect([measure?.score, measure?.scoreLow, measure?.scoreHigh, ...byCategory]).toEqual(expected)
  })
})

function keyOf({ make, model, year }: { make: string; model: string; year: number }): string {
  return `${make} ${model} ${year}`
}

function vehicleOf(complaints: readonly RealComplaint[]): VehicleCounts[] {
  const [first] = complaints
  if (first === undefined) return []
  const { make, model, year } = first
  const sold = 20_000 + 1_000 * ((7 * year + 13 * model.length) % 97)
  const byCategory = Map.groupBy(complaints, ({ category }) => category)
  const counts = [...byCategory].map(([category, own]) => [category, countsOf(own)] as const)
  return [
    {
      ...{ make, model, year, ...countsOf(complaints), doNotDrive: false },
      crashOrInjury: complaints.filter(({ crashOrInjury }) => crashOrInjury).length,
      units: ['FORD', 'TOYOTA'].includes(make) ? { units: sold, source: 'invented', basis: 'sales' } : null,
      categories: Object.fromEntries(counts),
    },
  ]
}

function countsOf(complaints: readonly RealComplaint[]): CategoryCounts {
  return { complaints: complaints.length, weight: complaints.reduce((sum, { weight }) => sum + weight, 0) }
}
