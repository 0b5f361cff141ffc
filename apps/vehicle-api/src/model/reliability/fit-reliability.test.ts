import { categories } from '../category.ts'
import { vehicle } from '../testing/vehicles.ts'
import type { VehicleCounts } from '../vehicle-counts.ts'
import { fitReliability } from './fit-reliability.ts'

const asOf = '2025-01-01'

/** Twenty vehicles of equal use; each has an eighth more complaints than the one before. */
const population = Array.from({ length: 20 }, (_, index) =>
  vehicle({ model: `m${index}`, complaints: Math.round(30 * Math.exp(0.12 * index)) }),
)
const scoreOf = (one: VehicleCounts, others: readonly VehicleCounts[] = population) => {
  const { scores } = fitReliability([...others, one], asOf)
  const score = scores.at(-1)
  if (score === undefined) throw new Error('Every vehicle has a score.')
  return score
}

describe('the score', () => {
  test('is 50 in the middle, higher with fewer complaints, and follows the order of the vehicles', () => {
    const { scores } = fitReliability(population, asOf)
    const values = scores.map(({ score }) => score)
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    expect((values[9] ?? 0) + (values[10] ?? 0)).toBeCloseTo(100, 0)
    expect(values[0]).toBeGreaterThan(80)
    expect(values[19]).toBeLessThan(20)
  })

  test('lies within its interval, which more complaints at the same rate make narrower', () => {
    const few = scoreOf(vehicle({ complaints: 10, sold: 5_000 }))
    const many = scoreOf(vehicle({ complaints: 1000, sold: 500_000 }))
    for (const { score, scoreLow, scoreHigh } of [few, many]) {
      expect(scoreLow).toBeLessThan(score)
      expect(scoreHigh).toBeGreaterThan(score)
    }
    expect(few.confidence).toBe('low')
    expect(many.confidence).toBe('high')
    expect(many.scoreHigh - many.scoreLow).toBeLessThan((few.scoreHigh - few.scoreLow) / 5)
  })

  test('counts what is dangerous or dear for more', () => {
    expect(scoreOf(vehicle({ weight: 300 })).score).toBeLessThan(scoreOf(vehicle({ weight: 100 })).score)
  })

  test('draws the rate of rare vehicles towards the mean', () => {
    const rare = scoreOf(vehicle({ complaints: 6, sold: 1_000 })).score
    const common = scoreOf(vehicle({ complaints: 600, sold: 100_000 })).score
    expect(rare).toBeGreaterThan(common + 2)
  })
})

describe('with too few complaints', () => {
  test('a vehicle gets the score of the median vehicle and says so', () => {
    expect(scoreOf(vehicle({ complaints: 4 }))).toMatchObject({
      ...{ score: 50, scoreLow: 1, scoreHigh: 99, rating: 2.5, confidence: 'insufficient_data' },
      categoryScores: { engine: 50, other: 50 },
    })
    expect(scoreOf(vehicle({ complaints: 5 })).confidence).not.toBe('insufficient_data')
  })

  test('a vehicle does not belong to the reference population', () => {
    const unknown = Array.from({ length: 50 }, (_, index) => vehicle({ model: `u${index}`, complaints: 2 }))
    const { fit } = fitReliability([...population, ...unknown], asOf)
    expect(fit.bases.sales).toEqual(fitReliability(population, asOf).fit.bases.sales)
  })
})

test('a young vehicle is scored with low confidence, and others are not measured by it', () => {
  const young = vehicle({ year: 2024, complaints: 3000, sold: 500_000 })
  expect(scoreOf(young).confidence).toBe('low')
  const { fit } = fitReliability([...population, young], asOf)
  expect(fit.bases.sales?.vehicles).toBe(population.length)
})

describe('the basis', () => {
  test('is the best one known, with the background beside it', () => {
    const { scores } = fitReliability(population, asOf)
    expect(scores[0]).toMatchObject({ basis: 'sales', background: { basis: 'crash_background' } })
  })

  test('is the background where no units are known: always of low confidence', () => {
    const score = scoreOf(vehicle({ sold: null, complaints: 5_000 }))
    expect(score).toMatchObject({ basis: 'crash_background', background: null, confidence: 'low' })
  })

  test('is not one that fewer than ten vehicles share', () => {
    const { fit, scores } = fitReliability(population.slice(0, 9), asOf)
    expect(fit.bases.sales).toBeUndefined()
    expect(scores[0]).toMatchObject({ basis: 'crash_background', background: null })
  })

  test('of each kind is fitted to its own vehicles', () => {
    const registered = population.map((one) => ({
      ...one,
      units: { units: 10_000, source: 'test', basis: 'registrations' as const },
    }))
    const { fit } = fitReliability([...population, ...registered], asOf)
    expect(Object.keys(fit.bases)).toEqual(['sales', 'registrations', 'crash_background'])
    expect(fit.bases.sales).toEqual(fitReliability(population, asOf).fit.bases.sales)
    expect(fit.bases.crash_background.vehicles).toBe(40)
  })
})

describe('of very few vehicles', () => {
  test('one alone is the median', () => {
    const { fit, scores } = fitReliability([vehicle()], asOf)
    expect(scores[0]).toMatchObject({ score: 50, basis: 'crash_background', confidence: 'low' })
    expect(fit.bases.crash_background).toMatchObject({ vehicles: 1, alpha: 1.3, alphaFitted: false })
  })

  test('none give a fit with the published constants', () => {
    const { fit, scores } = fitReliability([], asOf)
    expect(scores).toEqual([])
    expect(fit.bases.crash_background).toMatchObject({ vehicles: 0, overall: { mu: 0.27, sigma: 1 } })
  })

  test('nothing is NaN when all are alike', () => {
    const { fit, scores } = fitReliability(Array(12).fill(vehicle()), asOf)
    expect(scores.every(({ score }) => score === 50)).toBe(true)
    expect(fit.bases.sales).toMatchObject({ alphaFitted: false, overall: { sigma: 0.25 } })
    for (const category of categories)
      expect(Number.isFinite(fit.bases.sales?.categories[category].median)).toBe(true)
  })
})

test('the fit names every constant that a score follows from', () => {
  const { fit } = fitReliability(population, asOf)
  expect(fit).toMatchObject({
    ...{ method: 'rel-1', asOf, kappa: 0.0169, crashOffset: 2, maximumAge: 12, minimumAge: 1.5 },
    severityWeights: { none: 1, crash: 2, fire: 2.5, injury: 2.5, death: 4, all: 8 },
    systemWeights: { engine: 1.5, brakes: 1, other: 0.75 },
  })
  expect(JSON.parse(JSON.stringify(fit))).toEqual(fit)
})
