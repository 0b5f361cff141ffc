import { vehicle } from '../testing/vehicles.ts'
import type { VehicleCounts } from '../vehicle-counts.ts'
import { fitReliability } from './fit-reliability.ts'

/** Numbers between 0 and 1, always the same for a seed. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 0) / 4294967296
  }
}

/** Forty vehicles with 100 to 4,000 complaints. */
function population(random: () => number): VehicleCounts[] {
  return Array.from({ length: 40 }, (_, index) => {
    const complaints = Math.round(100 * Math.exp(3.7 * random()))
    const sold = Math.round((complaints * 1000) / Math.exp(2 * random()))
    return vehicle({ model: `m${index}`, complaints, sold, year: 2010 + (index % 12) })
  })
}

/** Without each tenth complaint, by chance. */
function thinned(one: VehicleCounts, random: () => number): VehicleCounts {
  let kept = 0
  for (let index = 0; index < one.complaints; index++) if (random() >= 0.1) kept++
  const share = kept / one.complaints
  return vehicle({ ...one, complaints: kept, weight: one.weight * share, sold: one.units?.units ?? null })
}

test.each([1, 2, 3, 4, 5])(
  'a tenth of the complaints less moves no score by more than 5 (seed %p)',
  (seed) => {
    const random = randomNumbers(seed)
    const all = population(random)

    const before = fitReliability(all, '2025-01-01').scores
    const after = fitReliability(
      all.map((one) => thinned(one, random)),
      '2025-01-01',
    ).scores

    const changes = before.map(({ score }, index) => Math.abs(score - (after[index]?.score ?? NaN)))
    expect(Math.max(...changes)).toBeLessThanOrEqual(5)
    expect(Math.max(...changes)).toBeGreaterThan(0)
  },
)
