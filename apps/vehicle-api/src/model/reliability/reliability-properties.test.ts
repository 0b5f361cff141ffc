import fc from 'fast-check'
import { anyVehicles } from '../testing/vehicles.ts'
import type { VehicleCounts } from '../vehicle-counts.ts'
import { fitReliability, scoreVehicle } from './fit-reliability.ts'

// Without shrinking: so many vehicles are not made fewer in the time a test has.
const runs = { numRuns: 60, endOnFailure: true }
const { abs } = Math
const asOf = '2025-06-30'
const scoresOf = (vehicles: readonly VehicleCounts[]) => fitReliability(vehicles, asOf).scores
const withExposure = (one: VehicleCounts, factor: number): VehicleCounts =>
  one.units === null ? one : { ...one, units: { ...one.units, units: factor * one.units.units } }

describe('for any vehicles', () => {
  test('their order makes no difference', () => {
    fc.assert(
      fc.property(anyVehicles(2, 40), (vehicles) => {
        const byModel = (a: { model: string }, b: { model: string }) => (a.model < b.model ? -1 : 1)
        const shuffled = vehicles.toSorted(byModel).toReversed()
        const plain = ({
          model,
          score,
          scoreLow,
          scoreHigh,
          categoryScores,
        }: ReturnType<typeof scoresOf>[0]) => ({ model, score, scoreLow, scoreHigh, categoryScores })
        expect(scoresOf(shuffled).map(plain).sort(byModel)).toEqual(
          scoresOf(vehicles).map(plain).sort(byModel),
        )
      }),
      runs,
    )
  })

  test('twice the exposure of all changes no score', () => {
    fc.assert(
      fc.property(anyVehicles(12, 40), (vehicles) => {
        const doubled = scoresOf(vehicles.map((one) => withExposure(one, 2)))
        for (const [index, { score, categoryScores }] of scoresOf(vehicles).entries()) {
          expect(doubled[index]?.score).toBeCloseTo(score, 0)
          expect(abs((doubled[index]?.score ?? NaN) - score)).toBeLessThan(0.11)
          expect(abs((doubled[index]?.categoryScores.engine ?? NaN) - categoryScores.engine)).toBeLessThan(
            0.11,
          )
        }
      }),
      runs,
    )
  })

  // By one fit: where vehicles differ less than chance would have it, a change of one can turn the fit of all over.
  test('twice the exposure of one vehicle raises its score', () => {
    fc.assert(
      fc.property(anyVehicles(20, 40), fc.nat(19), (vehicles, chosen) => {
        const { fit } = fitReliability(vehicles, asOf)
        const one = vehicles[chosen]
        if (one === undefined) throw new Error('The vehicle is one of them.')
        const [before, after] = [1, 2].map((factor) =>
          scoreVehicle(withExposure(one, factor), fit.bases, asOf),
        )
        if (before === undefined || after === undefined) throw new Error('Both have a score.')
        fc.pre(before.basis === 'sales' && before.confidence !== 'insufficient_data')
        expect(after.lnRate).toBeLessThan(before.lnRate)
        // Off the ends of the scale nothing is to be seen of it.
        if (before.score > 1 && before.score < 98.9) expect(after.score).toBeGreaterThan(before.score)
        else expect(after.score).toBeGreaterThanOrEqual(before.score)
      }),
      runs,
    )
  })

  test('more weight never raises a score', () => {
    fc.assert(
      fc.property(
        anyVehicles(12, 30),
        fc.nat(11),
        fc.double({ min: 0, max: 500, noNaN: true }),
        (vehicles, chosen, more) => {
          const { fit } = fitReliability(vehicles, asOf)
          const one = vehicles[chosen]
          if (one === undefined) throw new Error('The vehicle is one of them.')
          const engine = one.categories.engine ?? { complaints: 0, weight: 0 }
          const heavier = {
            ...{ ...one, weight: one.weight + more },
            categories: { ...one.categories, engine: { ...engine, weight: engine.weight + more } },
          }
          const [before, after] = [one, heavier].map((vehicle) => scoreVehicle(vehicle, fit.bases, asOf))
          expect(after?.score).toBeLessThanOrEqual(before?.score ?? NaN)
          expect(after?.categoryScores.engine).toBeLessThanOrEqual(before?.categoryScores.engine ?? NaN)
          expect(after?.categoryScores.brakes).toBe(before?.categoryScores.brakes)
        },
      ),
      runs,
    )
  })

  test('having each twice changes no score', () => {
    fc.assert(
      fc.property(anyVehicles(12, 30), (vehicles) => {
        const once = scoresOf(vehicles)
        fc.pre(once.some(({ basis }) => basis === 'sales'))
        const twice = scoresOf([...vehicles, ...vehicles])
        for (const [index, { score }] of once.entries()) {
          expect(abs((twice[index]?.score ?? NaN) - score)).toBeLessThan(0.11)
        }
      }),
      runs,
    )
  })

  test('scores are from 1 to 99 with one decimal, inside their intervals', () => {
    fc.assert(
      fc.property(anyVehicles(1, 30), (vehicles) => {
        for (const { background, ...own } of scoresOf(vehicles)) {
          for (const { score, scoreLow, scoreHigh, categoryScores, rating } of [own, background ?? own]) {
            const all = [score, scoreLow, scoreHigh, ...Object.values(categoryScores)]
            const isOnScale = (x: number) => x >= 1 && x <= 99 && abs(10 * x - Math.round(10 * x)) < 1e-9
            expect(all.filter((x) => !isOnScale(x))).toEqual([])
            expect([scoreLow, score, scoreHigh]).toEqual([scoreLow, score, scoreHigh].sort((x, y) => x - y))
            expect(abs(rating - score / 20)).toBeLessThan(0.0501)
          }
        }
      }),
      runs,
    )
  })
})
