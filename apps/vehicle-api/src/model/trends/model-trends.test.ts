import { fit, measure, modelYear, unscored } from '../testing/model-years.ts'
import type { ModelYear } from '../vehicle-score.ts'
import { modelTrends, type TrendsInput } from './model-trends.ts'

const trendsOf = (years: readonly ModelYear[], more: Partial<TrendsInput> = {}) =>
  modelTrends({
    ...{ make: 'toyota', model: 'camry', names: { make: 'Toyota', model: 'Camry' } },
    ...{ years, categories: [], issues: [], fit, ...more },
  })

const good = { lnRate: -1 }
const bad = { lnRate: 1.5 }

test('years are in order, each with its score in words', () => {
  const { yearly_trends } = trendsOf([modelYear(2020, bad), modelYear(2018, good), modelYear(2019, unscored)])
  expect(yearly_trends).toEqual([
    ...[
      {
        year: 2018,
        score: 84.1,
        complaints: 100,
        trend: 'excellent',
        confidence: 'high',
        exposure_basis: 'sales',
      },
    ],
    {
      ...{ year: 2019, score: 50, complaints: 3, trend: 'insufficient_data' },
      confidence: 'insufficient_data',
      exposure_basis: 'sales',
    },
    ...[
      { year: 2020, score: 6.7, complaints: 100, trend: 'poor', confidence: 'high', exposure_basis: 'sales' },
    ],
  ])
})

describe('where sales are known of some model years only', () => {
  const guess = (crashes: number, lnRate: number) =>
    ({ basis: 'crash_background', confidence: 'low', exposure: (crashes + 2) / fit.kappa, lnRate }) as const
  /** By its sales 2017 is excellent, by the guess it is poor; the last year has no score on any basis. */
  const sold = { lnRate: -2, background: measure(guess(40, 1.5)) }
  const years = [
    ...[2012, 2013, 2014].map((year) => modelYear(year, guess(40, -1))),
    ...[modelYear(2015, sold), modelYear(2016, sold), modelYear(2017, sold)],
    modelYear(2018, { ...unscored, ...guess(0, 0), confidence: 'insufficient_data' }),
  ]

  test('everything in the answer rests on one basis, which it names', () => {
    const trends = trendsOf(years)
    expect(trends.exposure_basis).toBe('crash_background')
    for (const { exposure_basis: basis } of [...trends.yearly_trends, ...trends.generation_analysis])
      expect(basis).toBe('crash_background')
    expect(trends.yearly_trends.map(({ year, score }) => [year, score])).toEqual([
      ...[2012, 2013, 2014].map((year) => [year, 84.1]),
      ...[2015, 2016, 2017].map((year) => [year, 6.7]),
      [2018, 50],
    ])
    expect(trends.reliability_trend).toBe('worsening')
  })

  test('no year is praised in one place and advised against in another', () => {
    const { yearly_trends, recommendation } = trendsOf(years)
    const labelOf = new Map(yearly_trends.map(({ year, trend }) => [year, trend]))
    expect(recommendation.best_years.map((year) => labelOf.get(year))).toEqual([
      ...['excellent', 'excellent', 'excellent'],
    ])
    expect(recommendation.years_to_avoid).toEqual([2015, 2016, 2017])
    for (const { year, score } of yearly_trends) {
      if (recommendation.years_to_avoid.includes(year))
        expect(recommendation.reasoning).toContain(`${year} (score ${score.toFixed(1)})`)
    }
  })

  test('generations are inferred on that basis too', () => {
    const { generation_analysis } = trendsOf(years, { make: 'acme', model: 'one' })
    expect(generation_analysis.map(({ generation, avg_score }) => [generation, avg_score])).toEqual([
      ['2012-2014 (inferred)', 84.1],
      ['2015-2018 (inferred)', 6.7],
    ])
  })

  test('a year without a score does not take the sales of the others away', () => {
    const soldYears = years.slice(3, 6).map((year) => ({ ...year, background: measure(guess(40, 1.5)) }))
    const trends = trendsOf([...soldYears, ...years.slice(6)])
    expect(trends.exposure_basis).toBe('sales')
    expect(trends.yearly_trends.map((year) => year.exposure_basis)).toEqual(Array(4).fill('sales'))
  })
})

test('a generation has the score, the complaints and the most reported issues of its years', () => {
  const issue = (year: number, id: string, phrase: string, reportCount: number) =>
    ({ year, id, category: 'engine', phrase, reportCount }) as const
  const issues = [
    ...[issue(2016, 'a', 'Stalling', 10), issue(2017, 'a', 'Stalled', 15), issue(2017, 'b', 'Oil leak', 20)],
    ...[issue(2018, 'c', 'Fuel pump', 99), issue(2016, 'd', 'Noise', 4), issue(2016, 'e', 'Smell', 3)],
  ]
  const { generation_analysis } = trendsOf(
    [modelYear(2016, good), modelYear(2017, good), modelYear(2018, bad)],
    { issues },
  )
  expect(generation_analysis[0]).toEqual({
    ...{ generation: 'XV50 (2012-2017)', first_year: 2012, last_year: 2017, inferred: false },
    ...{ avg_score: 84.1, confidence: 'high', exposure_basis: 'sales', total_complaints: 200 },
    notable_issues: [
      ...['engine: Stalling (25 reports)', 'engine: Oil leak (20 reports)', 'engine: Noise (4 reports)'],
    ],
  })
})

describe('the recommendation', () => {
  const years = [
    ...[modelYear(2014, bad), modelYear(2015, bad), modelYear(2016, { lnRate: 0.2 })],
    ...[modelYear(2017, { lnRate: -0.4 }), modelYear(2018, good), modelYear(2019, { lnRate: -1.2 })],
  ]

  test('is for the top third that score 60 or more, against years far below the model', () => {
    const { recommendation } = trendsOf(years)
    expect(recommendation).toMatchObject({ best_years: [2018, 2019], years_to_avoid: [2014, 2015] })
  })

  test('is against no year of a model whose years are all alike', () => {
    const alike = [0.9, 1, 1, 1.1, 0.8].map((lnRate, index) => modelYear(2014 + index, { lnRate }))
    expect(trendsOf(alike).recommendation.years_to_avoid).toEqual([])
  })

  test('says what the years to avoid have too much of', () => {
    const categories = [
      // 0.05 complaints per thousand vehicle-years are usual: 5 in each of these years.
      ...[{ year: 2014, category: 'transmission', complaints: 40 } as const],
      ...[{ year: 2015, category: 'transmission', complaints: 20 } as const],
      ...[
        { year: 2014, category: 'engine', complaints: 30 } as const,
        { year: 2018, category: 'brakes', complaints: 900 } as const,
      ],
    ]
    const { reasoning } = trendsOf(years, { categories }).recommendation
    expect(reasoning).toBe(
      'Best: 2018 (score 84.1), 2019 (score 88.5), in the top third of the model and well above the median vehicle. ' +
        'Avoid: 2014 (score 6.7), 2015 (score 6.7). ' +
        'They have 6.0 times as many complaints about the transmission and 3.0 times as many complaints about the engine as the average vehicle in the same use.',
    )
  })

  test('is against a year with an open do-not-drive recall, however good its score', () => {
    const { recommendation } = trendsOf([...years, modelYear(2020, { lnRate: -3, doNotDrive: true })])
    expect(recommendation.best_years).not.toContain(2020)
    expect(recommendation.years_to_avoid).toContain(2020)
    expect(recommendation.reasoning).toContain('An open recall says not to drive the 2020 model.')
  })

  test('does not rest on scores of low confidence', () => {
    const unsure = years.map((year) => ({
      ...year,
      measure: { ...year.measure, confidence: 'low' as const },
    }))
    const { best_years, reasoning } = trendsOf(unsure).recommendation
    expect(best_years).toEqual([])
    expect(reasoning).toContain(
      'Not relied on, though the score would do: 2018 (score 84.1, low confidence), 2019 (score 88.5, low confidence).',
    )
  })

  test('says which years it left out though they score as well, and why', () => {
    const guessed = (year: number, crashes: number, lnRate: number) =>
      modelYear(year, {
        ...{ basis: 'crash_background', confidence: 'low', lnRate, exposure: (crashes + 2) / fit.kappa },
      })
    const { best_years, reasoning } = trendsOf([
      ...[guessed(2019, 40, 2), guessed(2020, 40, 1.5), guessed(2021, 25, -0.7), guessed(2022, 24, -1)],
      ...[guessed(2023, 40, 1), guessed(2024, 40, -2), guessed(2018, 40, 1), guessed(2017, 40, 1)],
    ]).recommendation
    expect(best_years).toEqual([2021])
    expect(reasoning).toContain(
      'Not relied on, though the score would do: 2022 (score 84.1, exposure guessed from fewer than 25 crashes or injuries), 2024 (score 97.7, younger than 1.5 years).',
    )
  })

  test('names no score of a year that has none', () => {
    const { reasoning } = trendsOf([
      ...years,
      modelYear(2020, { ...unscored, doNotDrive: true }),
    ]).recommendation
    expect(reasoning).toContain('2020 (too few complaints for a score)')
  })

  test('rests on guessed exposure only where many crashes are behind the guess, and says so', () => {
    const guessed = (crashes: number) =>
      years.map(({ year, measure }) =>
        modelYear(year, {
          ...measure,
          basis: 'crash_background',
          confidence: 'low',
          exposure: (crashes + 2) / fit.kappa,
        }),
      )
    expect(trendsOf(guessed(10)).recommendation.best_years).toEqual([])
    const { best_years, reasoning } = trendsOf(guessed(40)).recommendation
    expect(best_years).toEqual([2018, 2019])
    expect(reasoning).toContain('guessed from reported crashes')
  })

  test('has nothing to say without scores', () => {
    expect(trendsOf([modelYear(2019, unscored)]).recommendation).toEqual({
      ...{
        best_years: [],
        years_to_avoid: [],
        reasoning: 'No model year has enough complaints for a score.',
      },
    })
  })
})

test('a model without years has empty trends', () => {
  expect(trendsOf([])).toMatchObject({
    ...{
      yearly_trends: [],
      generation_analysis: [],
      reliability_trend: 'insufficient_data',
      trend_percentage: null,
    },
    category_trends: { engine: 'insufficient_data' },
  })
})
