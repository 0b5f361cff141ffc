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

  test('have the years of their label, whatever years have data; one still sold ends with the data', () => {
    const found = generationsOf('ford', 'explorer', [...span(1999, 2000), ...span(2021, 2023)], fit.asOf)
    expect(found.map(({ label, from, to }) => [label, from, to])).toEqual([
      ['2nd (1995-2001)', 1995, 2001],
      ['6th (2020-present)', 2020, 2023],
    ])
  })

  test('are those of the table for a 911 and a Macan', () => {
    expect(labels('porsche', '911', [modelYear(2007), modelYear(2014)], fit.asOf)).toEqual([
      ...['997 (2005-2011)', '991 (2012-2019)'],
    ])
    expect(labels('porsche', 'macan', span(2015, 2018), fit.asOf)).toEqual(['95B (2015-2024)'])
  })

  test('are inferred from breaks in the rate where none are known', () => {
    const years = [...span(2008, 2012, 1), ...span(2013, 2021, -0.5)]
    expect(labels('acme', 'one', years, fit.asOf)).toEqual(['2008-2012 (inferred)', '2013-2021 (inferred)'])
  })

  test('are inferred for the years before the known ones, where a break parts them', () => {
    const before = [...span(2003, 2006, 2), ...span(2007, 2010, -1)]
    expect(labels('ford', 'fiesta', [...before, ...span(2011, 2013)], fit.asOf)).toEqual([
      ...['2003-2006 (inferred)', '2007-2010 (inferred)', '6th (2011-2019)'],
    ])
  })

  test('are not made of years that no break parts, few or many', () => {
    expect(labels('acme', 'one', span(2000, 2024), fit.asOf)).toEqual([])
    expect(labels('ford', 'fiesta', span(2008, 2013), fit.asOf)).toEqual(['6th (2011-2019)'])
    const odd = [modelYear(2019, unscored), ...span(2020, 2024)]
    expect(labels('tesla', 'modely', odd, fit.asOf)).toEqual(['1st (2020-present)'])
  })

  test('have three years or more where they are inferred, wherever the rate jumps', () => {
    const jumpy = [0, 5, 0, 5, 5, 0, 0, 5, 0, -5, -5, 3].map((lnRate, index) =>
      modelYear(2005 + index, { lnRate }),
    )
    const found = generationsOf('acme', 'one', jumpy, fit.asOf)
    expect(found.length).toBeGreaterThan(1)
    for (const { years } of found) expect(years.length).toBeGreaterThanOrEqual(3)
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
    expect(labels('acme', 'one', years, fit.asOf)).toEqual([])
  })
})

test('known generations do not overlap and are in order', () => {
  const models = [
    'ford escape',
    'honda civic',
    'toyota camry',
    'chevrolet corvette',
    'porsche cayenne',
    'porsche 911',
  ]
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
