import { modelScore, onOneBasis } from './model-score.ts'
import { fit, measure, modelYear, unscored } from './testing/model-years.ts'

test('is that of the mean logarithm of the rate, weighted by exposure', () => {
  const years = [
    modelYear(2019, { lnRate: -1, exposure: 300 }),
    modelYear(2020, { lnRate: 1, exposure: 100 }),
  ]
  // mean -0.5: half a sigma better than the median, 100 * Phi(0.5)
  expect(modelScore(years, fit)).toEqual({ basis: 'sales', score: 69.1, rating: 3.5, confidence: 'high' })
})

test('years with too few complaints do not count', () => {
  const years = [modelYear(2019, { lnRate: -1 }), modelYear(2020, { lnRate: 3, ...unscored })]
  expect(modelScore(years, fit).score).toBe(84.1)
})

test('without a year that counts it is that of the median vehicle and says so', () => {
  const unknown = { score: 50, rating: 2.5, confidence: 'insufficient_data' }
  expect(modelScore([modelYear(2020, unscored)], fit)).toMatchObject(unknown)
  expect(modelScore([], fit)).toMatchObject(unknown)
})

test('has the confidence that half of the exposure has', () => {
  const years = [
    modelYear(2018, { confidence: 'high', exposure: 20 }),
    modelYear(2019, { confidence: 'medium', exposure: 40 }),
    modelYear(2020, { confidence: 'low', exposure: 50 }),
  ]
  expect(modelScore(years, fit).confidence).toBe('medium')
  expect(modelScore(years.slice(1), fit).confidence).toBe('low')
  expect(modelScore(years.slice(0, 1), fit).confidence).toBe('high')
})

describe('years whose exposure is known in different ways', () => {
  const background = measure({ basis: 'crash_background', lnRate: 2, confidence: 'low' })
  const sold = modelYear(2019, { lnRate: -1, background })
  const guessed = modelYear(2020, { basis: 'crash_background', lnRate: 2, confidence: 'low' })

  test('are measured on the basis that all have', () => {
    expect(onOneBasis([sold, guessed])).toEqual([background, guessed.measure])
    expect(modelScore([sold, guessed], fit)).toMatchObject({ basis: 'crash_background', confidence: 'low' })
    expect(modelScore([sold, guessed], fit).score).toBe(2.3)
  })

  test('unless those of the weaker basis have no score anyway', () => {
    const few = modelYear(2021, { basis: 'crash_background', ...unscored })
    expect(modelScore([sold, few], fit)).toMatchObject({ basis: 'sales', score: 84.1 })
  })
})
