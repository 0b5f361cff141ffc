import { fit, modelYear, unscored } from '../testing/model-years.ts'
import { knownGenerations } from './generation-table.ts'
import { generationsOf } from './generations.ts'

const span = (from: number, to: number, lnRate = 0) =>
  Array.from({ length: to - from + 1 }, (_, index) => modelYear(from + index, { lnRate }))
const labels = (...args: Parameters<typeof generationsOf>) => generationsOf(...args).map(({ label }) => label)

describe('the generations of a model', () => {
  test('are the known ones that have model years', () => {
    expect(labels('toyota', 'camry', span(2016, 2024), fit.asOf)).toEqual([
      ...['XV50 (2012-2017)', 'XV70 (2018-2024)'],
    ])
  })

  test('are open at the end while the model is sold', () => {
    expect(labels('ford', 'escape', span(2021, 2023), fit.asOf)).toEqual(['4th (2020-present)'])
  })

  test('are inferred from breaks in the rate where none are known', () => {
    const years = [...span(2008, 2012, 1), ...span(2013, 2021, -0.5)]
    expect(labels('acme', 'one', years, fit.asOf)).toEqual(['2008-2012 (inferred)', '2013-2021 (inferred)'])
  })

  test('are inferred for the years before the known ones', () => {
    expect(labels('ford', 'fiesta', span(2008, 2013), fit.asOf)).toEqual([
      ...['2008-2010 (inferred)', '6th (2011-2019)'],
    ])
  })

  test('hold every model year once, those without a score too', () => {
    const years = [modelYear(1990, unscored), ...span(2008, 2012, 1), ...span(2013, 2024, -1)]
    const found = generationsOf('acme', 'one', years, fit.asOf)
    expect(found.flatMap((generation) => generation.years)).toEqual(years)
  })

  test('are none of a model without years', () => {
    expect(labels('acme', 'one', [], fit.asOf)).toEqual([])
  })

  test('young years make no break', () => {
    const years = [...span(2012, 2021, 0), ...span(2022, 2025, 4)]
    expect(labels('acme', 'one', years, fit.asOf)).toEqual(['2012-2025 (inferred)'])
  })
})

test('known generations do not overlap and are in order', () => {
  const models = ['ford escape', 'honda civic', 'toyota camry', 'chevrolet corvette', 'porsche cayenne']
  for (const [make = '', model = ''] of models.map((name) => name.split(' '))) {
    const generations = knownGenerations(make, model)
    expect(generations.length).toBeGreaterThan(2)
    for (const [index, { first, last }] of generations.entries()) {
      const next = generations[index + 1]
      if (next !== undefined) expect(last).toBeLessThan(next.first)
      expect(last ?? 9999).toBeGreaterThanOrEqual(first)
    }
  }
})
