import fc from 'fast-check'
import { categories } from '../category.ts'
import { sorted } from '../order-statistics.ts'
import { mileageAnalysis } from './mileage-analysis.ts'
import { analysePeriods, type CategoryRow } from './periods.ts'
import { repairCostAnalysis } from './repair-cost-analysis.ts'

const anyRow: fc.Arbitrary<CategoryRow> = fc.record({
  ...{ year: fc.integer({ min: 2010, max: 2016 }), category: fc.constantFrom(...categories) },
  complaints: fc.integer({ min: 1, max: 500 }),
  mileages: fc.array(fc.integer({ min: 1, max: 400_000 })).map((miles) => [...sorted(miles)]),
  costs: fc.array(fc.integer({ min: 2_000, max: 2_500_000 })).map((cents) => [...sorted(cents)].map(dollars)),
  avgRepairCost: fc.option(fc.integer({ min: 2_000, max: 2_500_000 }).map(dollars)),
})
const anyModel = fc
  .uniqueArray(anyRow, { selector: ({ year, category }) => `${year} ${category}`, maxLength: 20 })
  .map((rows) => rows.toSorted((a, b) => a.year - b.year))

test('of every span between two model years is said what all complaints between them say', () => {
  fc.assert(
    fc.property(anyModel, (rows) => {
      const years = [...new Set(rows.map(({ year }) => year))]
      const spans = years.flatMap((from) => years.filter((to) => to >= from).map((to) => ({ from, to })))
      const expected = spans.map((span) => ({ ...span, ...plainly(rows, span) }))
      expect(analysePeriods(rows)).toEqual(expected)
    }),
  )
})

test('a model without complaints has no span', () => {
  expect(analysePeriods([])).toEqual([])
})

/** All values in one list, and one look at it. */
function plainly(rows: readonly CategoryRow[], { from, to }: { readonly from: number; readonly to: number }) {
  const own = rows.filter(({ year }) => year >= from && year <= to)
  let [dollarsInAll, complaints] = [0, 0]
  for (const { avgRepairCost: cost, complaints: count } of own) {
    if (cost === null) continue
    dollarsInAll += cost * count
    complaints += count
  }
  const usualCost = complaints === 0 ? null : dollarsInAll / complaints
  return {
    mileage: mileageAnalysis(sorted(own.flatMap(({ mileages }) => mileages))),
    cost: repairCostAnalysis(sorted(own.flatMap(({ costs }) => costs)), usualCost),
    usualCost,
  }
}

function dollars(cents: number): number {
  return cents / 100
}
