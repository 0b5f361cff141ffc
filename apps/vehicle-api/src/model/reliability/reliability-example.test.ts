import type { VehicleCounts } from '../vehicle-counts.ts'
import { fitReliability } from './fit-reliability.ts'

/*
 * Twelve vehicles against rel-1 written in Python with NumPy 2.4 and SciPy 1.17 from its description: alpha by
 * minimize_scalar of -nbinom.logpmf(n, alpha, alpha / (alpha + mu * E)).sum(), quantiles by gamma.ppf, norm.cdf.
 */
// Year, sold, complaints, weight, complaints about the engine, their weight.
const rows = [
  ...[[2008, 120_000, 310, 420.5, 90, 150] as const, [2010, 80_000, 95, 101.25, 20, 31.5] as const],
  ...[[2012, 45_000, 60, 88, 25, 40.5] as const, [2013, 200_000, 140, 166.5, 30, 45] as const],
  ...[[2014, 30_000, 150, 231, 80, 130.5] as const, [2015, 60_000, 22, 21.75, 4, 6] as const],
  ...[[2016, 90_000, 260, 330, 60, 96] as const, [2017, 15_000, 9, 9.5, 2, 3] as const],
  ...[[2018, 110_000, 75, 80.25, 15, 22.5] as const, [2019, 70_000, 48, 66, 0, 0] as const],
  ...[[2020, 50_000, 33, 41.5, 12, 19.5] as const, [2021, 25_000, 41, 52.75, 9, 13.5] as const],
]

const vehicles = rows.map(([year, units, complaints, weight, own, ownWeight]): VehicleCounts => ({
  ...{ make: 'acme', model: 'one', year, complaints, weight, crashOrInjury: 5, doNotDrive: false },
  units: { units, source: 'invented', basis: 'sales' },
  categories: own === 0 ? {} : { engine: { complaints: own, weight: ownWeight } },
}))

const { fit, scores } = fitReliability(vehicles, '2025-06-30')

test('what is fitted', () => {
  const { sales } = fit.bases
  expect(sales?.exposure).toBeCloseTo(8849.265913757747, 8)
  expect(sales?.alpha).toBeCloseTo(1.9138286858618048, 6)
  for (const [scale, mu, meanWeight, median, sigma] of [
    [sales?.overall, 0.14046362852172145, 1.2944489139179405, -1.8600013533062467, 0.8928329809121172],
    [
      sales?.categories.engine,
      0.03921229211346528,
      1.6080691642651297,
      -2.984082163209559,
      1.0814061137791775,
    ],
  ] as const) {
    expect(scale?.mu).toBeCloseTo(mu, 12)
    expect(scale?.meanWeight).toBeCloseTo(meanWeight, 12)
    expect(scale?.median).toBeCloseTo(median, 7)
    expect(scale?.sigma).toBeCloseTo(sigma, 7)
  }
})

test('scores, intervals and the scores of a category', () => {
  expect(scores.map(({ score }) => score)).toEqual([
    ...[24.2, 66.5, 47.8, 81.5, 5.2, 94.1, 15, 74.2, 68.2, 51.1, 48.9, 11.2],
  ])
  expect(scores.map(({ scoreLow }) => scoreLow)).toEqual([
    ...[21.5, 59.9, 40.6, 77.6, 4.1, 88.9, 12.8, 57.2, 61, 42.7, 38.7, 7.4],
  ])
  expect(scores.map(({ scoreHigh }) => scoreHigh)).toEqual([
    ...[27.1, 73.1, 55.9, 85.1, 6.6, 97.6, 17.5, 89.7, 75.4, 60.4, 60.7, 17.1],
  ])
  expect(scores.map(({ categoryScores }) => categoryScores.engine)).toEqual([
    ...[25.6, 64.1, 36.2, 80.9, 3.8, 88.7, 23, 63.1, 68.3, 97.3, 36.9, 24.4],
  ])
})

test('confidence follows the width of the interval', () => {
  expect(scores.map(({ confidence }) => confidence)).toEqual([
    ...[
      'high',
      'medium',
      'medium',
      'high',
      'high',
      'high',
      'high',
      'low',
      'medium',
      'medium',
      'medium',
      'high',
    ],
  ])
})
