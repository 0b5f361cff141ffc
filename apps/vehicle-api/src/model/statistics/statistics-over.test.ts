import fc from 'fast-check'
import { categories } from '../category.ts'
import { fit, modelYear, unscored } from '../testing/model-years.ts'
import { analysePeriods, nothingKnown, type CategoryRow } from './periods.ts'
import { statisticsOver, type StatisticsInput } from './statistics-over.ts'

const row = (year: number, category: CategoryRow['category'], given: Partial<CategoryRow>): CategoryRow => ({
  ...{ year, category, complaints: 100, mileages: [], costs: [], avgRepairCost: null },
  ...given,
})

type Given = Partial<Omit<StatisticsInput, 'categories'>> & { readonly categories?: readonly CategoryRow[] }

const over = ({ categories: rows = [], ...given }: Given) => {
  const period = { from: 2010, to: 2025, ...given }
  const isInPeriod = ({ year }: { readonly year: number }) => year >= period.from && year <= period.to
  const spans = analysePeriods(rows.filter(isInPeriod).toSorted((a, b) => a.year - b.year))
  const known = spans.findLast(({ from }) => from === spans[0]?.from) ?? nothingKnown
  const vehicle = { make: 'Acme', model: 'One' }
  return statisticsOver({ vehicle, years: [], categories: rows, known, fit, ...period })
}

const years = [2015, 2016, 2017, 2018, 2019].map((year, index) => modelYear(year, { lnRate: 1 - index / 2 }))

test('the period decides which model years count', () => {
  const rows = [row(2015, 'engine', { complaints: 70 }), row(2016, 'brakes', { complaints: 30 })]
  const found = over({ years, categories: rows, from: 2016, to: 2018 })
  expect(found).toMatchObject({
    ...{ period: { from: 2016, to: 2018 }, total_complaints: 300, average_complaints_per_year: 100 },
    ...{ overall_score: 50, reliability_rating: 2.5, confidence: 'high', exposure_basis: 'sales' },
  })
  expect(found.category_breakdown.engine.count).toBe(0)
  expect(found.category_breakdown.brakes).toMatchObject({ count: 30, percentage: 10 })
})

test('the trend is that of the scores', () => {
  // scores 15.9, 30.9, 50, 69.1, 84.1; scipy.stats.theilslopes(method='joint')
  expect(over({ years })).toMatchObject({ reliability_trend: 'improving', trend_percentage: 457.2 })
})

describe('mileages', () => {
  const mileages = [5_000, 19_999, 20_000, 25_000, 39_999, 11_000, 200_000, 250_000, 399_999, 400_000, 12]

  test('are averaged over all years and categories, and the busiest 20,000 miles are named', () => {
    const rows = [
      row(2015, 'engine', { mileages: mileages.slice(0, 5) }),
      row(2016, 'other', { mileages: mileages.slice(5) }),
    ]
    expect(over({ years, categories: rows }).mileage_analysis).toEqual({
      ...{
        avg_failure_mileage: 124_637,
        median_failure_mileage: 25_000,
        most_problematic_range: '0-20000',
        n: 11,
      },
    })
  })

  test.each([
    [20_000, '20000-40000'],
    [199_999, '180000-200000'],
    [200_000, '200000-400000'],
    [400_000, '200000-400000'],
  ])('of %p belong to %s', (miles, range) => {
    const rows = [row(2015, 'engine', { mileages: Array<number>(10).fill(miles) })]
    expect(over({ years, categories: rows }).mileage_analysis.most_problematic_range).toBe(range)
  })

  test('need ten for a busiest range', () => {
    const rows = [row(2015, 'engine', { mileages: mileages.slice(0, 9) })]
    const found = over({ years, categories: rows })
    expect(found.mileage_analysis).toMatchObject({ most_problematic_range: null, n: 9 })
    expect(found.notes).toContain('most_problematic_range needs 10 complaints with a mileage; there are 9.')
  })

  test('that nobody tells are null, with a reason', () => {
    const found = over({ years })
    expect(found.mileage_analysis).toEqual({
      ...{ avg_failure_mileage: null, median_failure_mileage: null, most_problematic_range: null, n: 0 },
    })
    expect(found.notes).toContain('No complaint of the period gives a mileage.')
  })
})

describe('repair costs', () => {
  test('are averaged over all years and categories from five on', () => {
    const rows = [
      row(2015, 'engine', { costs: [50, 420, 24_000], avgRepairCost: 900 }),
      row(2016, 'brakes', { costs: [300, 600, 880, 1000, 1500], avgRepairCost: 900 }),
    ]
    // numpy: winsorised mean, median
    expect(over({ years, categories: rows }).repair_cost_analysis).toEqual({
      ...{ avg_repair_cost: 2620.31, median_repair_cost: 740, expensive_repairs_percentage: 37.5 },
      ...{ estimated: false, n: 8 },
    })
  })

  test('are estimated from those of the same categories, each as often as it is complained of', () => {
    const rows = [
      row(2015, 'engine', { complaints: 30, costs: [400], avgRepairCost: 2000 }),
      row(2015, 'brakes', { complaints: 10, avgRepairCost: 400 }),
      row(2016, 'other', { complaints: 500 }),
    ]
    const found = over({ years, categories: rows })
    expect(found.repair_cost_analysis).toEqual({
      ...{ avg_repair_cost: 1600, median_repair_cost: 1600, expensive_repairs_percentage: null },
      ...{ estimated: true, n: 1 },
    })
    expect(found.notes).toContainEqual(expect.stringContaining('those of the same categories'))
  })

  test('that nobody knows are null, with a reason', () => {
    const found = over({ years })
    expect(found.repair_cost_analysis).toMatchObject({ avg_repair_cost: null, estimated: false, n: 0 })
    expect(found.notes).toContainEqual(expect.stringContaining('nothing is known about costs'))
  })
})

test('a period without model years has zeros and nulls, and says why', () => {
  const found = over({ years, from: 1990, to: 1995 })
  expect(found).toMatchObject({
    ...{
      total_complaints: 0,
      average_complaints_per_year: 0,
      overall_score: 50,
      confidence: 'insufficient_data',
    },
    ...{ reliability_trend: 'insufficient_data', trend_percentage: null },
  })
  expect(found.notes).toHaveLength(5)
})

test('a guessed exposure is said to be one', () => {
  const guessed = [modelYear(2018, { basis: 'crash_background', confidence: 'low' })]
  expect(over({ years: guessed }).notes).toContainEqual(expect.stringContaining('complaints tell of crashes'))
  expect(over({ years }).notes).not.toContainEqual(expect.stringContaining('complaints tell of crashes'))
})

test('categories add up to all complaints, and every number is finite', () => {
  const anyRow = fc.record({
    ...{ year: fc.integer({ min: 2010, max: 2020 }), category: fc.constantFrom(...categories) },
    ...{
      complaints: fc.integer({ min: 1, max: 500 }),
      mileages: fc.array(fc.integer({ min: 1, max: 400_000 })),
    },
    ...{ costs: fc.array(fc.integer({ min: 20, max: 25_000 })) },
    avgRepairCost: fc.option(fc.integer({ min: 20, max: 25_000 })),
  })
  const oneEach = { selector: ({ year, category }: CategoryRow) => `${year} ${category}` }
  fc.assert(
    fc.property(fc.uniqueArray(anyRow, oneEach), (rows) => {
      const byYear = Map.groupBy(rows, ({ year }) => year)
      const all = [...byYear].map(([year, own]) => {
        const complaints = own.reduce((sum, one) => sum + one.complaints, 0)
        return modelYear(year, complaints < 5 ? { ...unscored, complaints } : { complaints })
      })
      const found = over({ years: all, categories: rows })
      const counts = Object.values(found.category_breakdown).map(({ count }) => count)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(found.total_complaints)
      const isOdd = (x: unknown) => typeof x === 'number' && !Number.isFinite(x)
      expect(JSON.stringify(found, (_key, x) => (isOdd(x) ? 'odd' : x))).not.toContain('odd')
    }),
    { numRuns: 100 },
  )
})
