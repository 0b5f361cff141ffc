import { evidence, grades, programs, sources } from './evidence.ts'
import { homeQuantities } from './geometry.ts'
import { measureIds, measures } from './measures.ts'

describe('the catalogue', () => {
  test('has one row per id, in order', () => {
    expect(measures.map(({ id }) => id)).toEqual(measureIds)
  })

  test.each(measures)('$id has plausible numbers', (row) => {
    const { unitCost, oddsRatio, discount } = row
    for (const { optimistic, central, pessimistic } of [unitCost, oddsRatio]) {
      expect(optimistic).toBeLessThan(central)
      expect(central).toBeLessThan(pessimistic)
    }
    expect(oddsRatio.optimistic).toBeGreaterThan(0)
    expect(oddsRatio.pessimistic).toBeLessThanOrEqual(1)
    expect(discount.optimistic).toBeGreaterThanOrEqual(discount.central)
    expect(discount.central).toBeGreaterThanOrEqual(discount.pessimistic)
    expect(row.stockShare).toBeGreaterThan(0)
    expect(row.stockShare).toBeLessThan(1)
  })

  test('requires only measures that come before', () => {
    for (const [index, { requires }] of measures.entries()) {
      for (const id of requires) expect(measureIds.indexOf(id)).toBeLessThan(index)
    }
  })

  test('costs about 84,000 USD for all of a one-story home of 2,000 sq ft', () => {
    const home = homeQuantities({ sqft: 2000, stories: 1, deckSqft: 300, fenceFt: 16 })
    const total = measures.reduce((sum, row) => sum + row.unitCost.central * home[row.quantity], 0)
    expect(Math.round(total / 1000)).toBe(84)
  })

  test('has evidence with a known grade and sources for every measure', () => {
    for (const { id } of measures) {
      const row = evidence[id]
      expect(grades[row.grade]).toMatch(/\.$/)
      expect(row.sources.map((source) => sources[source])).not.toContain(undefined)
      expect(row.sources.length).toBeGreaterThan(0)
      expect(row.explanation).toMatch(/^[A-Z].*\.$/)
    }
  })

  test('has the measures that California’s insurers must reflect, split as its rows are', () => {
    const asked = measures.filter(({ id }) => evidence[id].saferFromWildfires)
    expect(asked).toHaveLength(11)
    expect(programs.map(({ id }) => id)).toEqual(['saferFromWildfires', 'wildfirePreparedHome'])
  })
})
