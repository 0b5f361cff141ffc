import { fit, measure, modelYear, unscored } from './testing/model-years.ts'
import type { ModelYear } from './vehicle-score.ts'
import { categoryTrends, scoreTrend } from './year-trends.ts'

const years = (...lnRates: number[]) => lnRates.map((lnRate, index) => modelYear(2015 + index, { lnRate }))

describe('the trend of the score', () => {
  test('is improving where later model years are better, in percent of the fitted score', () => {
    // scores 15.9, 30.9, 50, 69.1, 84.1; scipy.stats.theilslopes(method='joint'): from 15.2 to 84.8
    expect(scoreTrend(years(1, 0.5, 0, -0.5, -1), fit.asOf)).toEqual({
      label: 'improving',
      percentage: 457.2,
    })
    expect(scoreTrend(years(-1, -0.5, 0, 0.5, 1), fit.asOf)).toMatchObject({ label: 'worsening' })
  })

  test('has a percentage of ten points at least, so that a start near zero makes no thousands of percent', () => {
    // From 1 to 99, where the line is cut off.
    expect(scoreTrend(years(6, 5, 4, -4, -5, -6), fit.asOf).percentage).toBe(980)
    expect(scoreTrend(years(-6, -5, -4, 4, 5, 6), fit.asOf).percentage).toBe(-99)
    // 2.3 to 11.5 and back: 9.2 points are 92 % of ten points, and the sign is that of the change.
    const low = [2, 1.8, 1.6, 1.4, 1.2]
    const rising = scoreTrend(years(...low), fit.asOf).percentage ?? NaN
    const falling = scoreTrend(years(...low.toReversed()), fit.asOf).percentage ?? NaN
    expect(rising).toBeGreaterThan(80)
    expect(rising).toBeLessThan(100)
    expect(falling).toBeLessThan(-70)
    expect(falling).toBeGreaterThan(-100)
  })

  test('leaves out years younger than two and years without a score', () => {
    const young: ModelYear[] = [2023, 2024].map((year) => modelYear(year, { lnRate: -5 }))
    const unknown = modelYear(2014, { ...unscored, lnRate: 5 })
    expect(scoreTrend([unknown, ...years(1, 0, 1, 0), ...young], fit.asOf).label).toBe('stable')
    expect(scoreTrend([unknown, ...years(1, 0, 1), ...young], fit.asOf)).toEqual({
      ...{ label: 'insufficient_data', percentage: null },
    })
  })
})

describe('the trend of a category', () => {
  const engine = (...complaints: number[]) =>
    complaints.map((count, index) => ({ year: 2015 + index, category: 'engine', complaints: count }) as const)

  test('follows its complaints per vehicle-year', () => {
    const growing = years(0, 0, 0, 0, 0).map((year, index) => ({
      ...year,
      measure: measure({ exposure: 100 * (index + 1) }),
    }))
    // Twice as many complaints of five times as many vehicles are an improvement.
    expect(categoryTrends(growing, engine(50, 60, 70, 80, 100), fit.asOf).engine).toBe('improving')
    expect(categoryTrends(growing, engine(10, 40, 90, 160, 250), fit.asOf).engine).toBe('worsening')
  })

  test('follows its share where exposure is only guessed', () => {
    const guessed = [100, 200, 300, 400, 500].map((complaints, index) =>
      modelYear(2015 + index, { basis: 'crash_background', complaints, exposure: 1 }),
    )
    expect(categoryTrends(guessed, engine(50, 80, 90, 80, 50), fit.asOf).engine).toBe('improving')
  })

  test.each([
    ['crash_background', 2.4, 'stable'],
    ['crash_background', 2.6, 'worsening'],
    ['sales', 2.4, 'stable'],
    ['sales', 2.6, 'worsening'],
  ] as const)('on %s, a rise of %d %% of the mean a year is %s', (basis, percent, label) => {
    // The share and the rate of five model years, which lie on a line around the mean of a tenth.
    const counts = [-2, -1, 0, 1, 2].map((step) => 1_000_000 * (1 + (percent / 100) * step))
    const whole = counts.map((_, index) =>
      modelYear(2015 + index, { basis, complaints: 10_000_000, exposure: 10_000_000 }),
    )
    expect(categoryTrends(whole, engine(...counts), fit.asOf).engine).toBe(label)
  })

  test('is stable without complaints, and needs four years', () => {
    expect(categoryTrends(years(0, 0, 0, 0), [], fit.asOf).brakes).toBe('stable')
    expect(categoryTrends(years(0, 0, 0), [], fit.asOf).brakes).toBe('insufficient_data')
  })
})
