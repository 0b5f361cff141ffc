import fc from 'fast-check'
import { anyHome, jackson, jacksonHome, real, validHazard, validHome } from '../../test/homes.ts'
import { slowModel } from '../../test/slow-model.ts'
import { bestBundle, greedyOrder } from './bundle.ts'
import { resolveHazard, type Hazard } from './hazard.ts'
import type { HardeningInput } from './input.ts'
import { measureIds } from './measures.ts'
import { evaluate, idsOf, openScenario, wholeSet, type Scenario } from './scenario.ts'

const hazard: Hazard = {
  p: 0.0123,
  d0: 0.3,
  source: 'request',
  d0Source: 'nri',
  isForExposure: true,
  lossGap: null,
}

describe('the best bundle', () => {
  test('is the one that trying every list of measures finds', () => {
    // Homes that lack at most seven measures: the other way is slow.
    const home = fc
      .tuple(validHome(), fc.subarray([...measureIds], { minLength: 8 }))
      .map(([input, existingMeasures]) => ({ ...input, existingMeasures }))
    fc.assert(
      fc.property(home, validHazard(), real(0, 60_000), (input, where, budget) => {
        expectBest(input, where, budget)
      }),
      { numRuns: 150 },
    )
  })

  test.each([0, 3000, 10_000, 40_000, Infinity])('is so with all 15 to choose from and %p USD', (budget) => {
    expectBest(anyHome, { ...hazard, p: 0.04 }, budget)
  })

  test('never gets worse with more money', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), real(0, 1e5), real(0, 1e5), (input, where, a, b) => {
        const scenario = openScenario(input, where, 'central')
        const npv = (budget: number) => evaluate(scenario, bestBundle(scenario, budget)).societal.npv
        expect(npv(Math.min(a, b))).toBeLessThanOrEqual(npv(Math.max(a, b)))
        expect(npv(Math.max(a, b))).toBeLessThanOrEqual(npv(Infinity))
      }),
      { numRuns: 60 },
    )
  })

  test('is empty where nothing burns, and without money', () => {
    const safe = openScenario(anyHome, { ...hazard, p: 0 }, 'central')
    expect(bestBundle(safe, Infinity)).toBe(0)
    expect(bestBundle(openScenario(anyHome, hazard, 'central'), 0)).toBe(0)
    expect(evaluate(safe, 0).societal.npv).toBe(0)
  })

  test('can be paid with the price that an answer rounds to cents', () => {
    const scenario = openScenario(jacksonHome, hazard, 'central')
    const best = bestBundle(scenario, Infinity)
    const price = evaluate(scenario, best).upfrontCost
    const rounded = Math.floor(price * 100) / 100
    expect(rounded).toBeLessThan(price)
    expect(bestBundle(scenario, rounded)).toBe(best)
    expect(bestBundle(scenario, rounded - 0.01)).not.toBe(best)
  })

  test('takes the outer defensible space only with the inner one', () => {
    // Everything is nearly free where a year burns for sure, so that only what is required keeps a measure out.
    const home = { ...anyHome, existingMeasures: measureIds.filter((id) => !id.startsWith('defensible')) }
    const scenario = openScenario({ ...home, replacementCost: 2e7 }, { ...hazard, p: 0.5 }, 'central')
    expect(idsOf(scenario, bestBundle(scenario, Infinity))).toEqual(['defensible_5_30', 'defensible_30_100'])
    expect(idsOf(scenario, bestBundle(scenario, 4000))).toEqual(['defensible_5_30'])
    expect(bestBundle(scenario, 1999)).toBe(0)
  })

  test('does not take what needs another measure for which there is no money', () => {
    const { options, ...rest } = openScenario(anyHome, hazard, 'central')
    const [first, second] = options
    if (first === undefined || second === undefined) throw new Error('A bare home lacks all measures.')
    const dear = { ...first, upfrontCost: 900, pvCost: 900, weight: 0.1 }
    const strong = { ...second, upfrontCost: 500, pvCost: 500, weight: 1, requires: 1 }
    const scenario = { ...rest, options: [dear, strong] }
    expect(bestBundle(scenario, 1000)).not.toBe(2)
    expect(bestBundle(scenario, 1400)).toBe(3)
    expect(bestBundle({ ...rest, options: [dear, { ...strong, requires: 0 }] }, 1000)).toBe(2)
  })

  test('of equals has fewer measures, then the earlier ones', () => {
    const free = { upfrontCost: 0, upkeep: 0, pvCost: 0, discount: 0, requires: 0 }
    const scenario = {
      ...openScenario(anyHome, hazard, 'central'),
      options: [
        { ...free, id: 'roof_class_a' as const, weight: 0 },
        { ...free, id: 'gutter_guards' as const, weight: 0.5, upfrontCost: 10, pvCost: 10 },
        { ...free, id: 'ember_vents' as const, weight: 0.5, upfrontCost: 10, pvCost: 10 },
      ],
    }
    expect(idsOf(scenario, bestBundle(scenario, 10))).toEqual(['gutter_guards'])
  })
})

describe('the greedy order', () => {
  const order = (input: HardeningInput, where: Hazard) => {
    const scenario = openScenario(input, where, 'central')
    return { scenario, steps: greedyOrder(scenario) }
  }

  test('is never worth more than the best bundle', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), (input, where) => {
        const { scenario, steps } = order(input, where)
        const best = evaluate(scenario, bestBundle(scenario, Infinity)).societal.npv
        for (const { cumulative } of steps) expect(cumulative.societal.npv).toBeLessThanOrEqual(best)
      }),
      { numRuns: 60 },
    )
  })

  test('takes every measure once, after what it requires, and adds up to all of them', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), (input, where) => {
        const { scenario, steps } = order(input, where)
        const indices = steps.map(({ index }) => index)
        expect(indices.toSorted((a, b) => a - b)).toEqual([...scenario.options.keys()])
        let taken = 0
        for (const index of indices) {
          expect((scenario.options[index]?.requires ?? 0) & ~taken).toBe(0)
          taken |= 1 << index
        }
        const all = evaluate(scenario, wholeSet(scenario)).societal.npv
        const sum = steps.reduce((total, { npv }) => total + npv, 0)
        expect(Math.abs(sum - all)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(all)))
      }),
      { numRuns: 200 },
    )
  })

  test('is that of the catalogue where nothing burns, but for what a measure requires', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), (input, where) => {
        const { scenario, steps } = order(input, { ...where, p: 0 })
        expect(steps.map(({ index }) => index)).toEqual(catalogueOrder(scenario))
        for (const { npvPerPvCost } of steps) expect(npvPerPvCost).toBe(-1)
      }),
      { numRuns: 200 },
    )
  })

  test('has the earlier of two measures first that cost and do the same', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), fc.nat(14), fc.nat(14), (input, where, one, other) => {
        const { options, ...rest } = openScenario({ ...input, existingMeasures: [] }, where, 'central')
        const [first, second] = [one, other].map((at) => at % options.length).toSorted((a, b) => a - b)
        const pattern = options[first ?? 0]
        fc.pre(pattern !== undefined && first !== second)
        const twins = options.map((option, at) =>
          at === first || at === second ? { ...pattern, requires: 0 } : option,
        )
        const indices = greedyOrder({ ...rest, options: twins }).map(({ index }) => index)
        expect(indices.indexOf(first ?? -1)).toBeLessThan(indices.indexOf(second ?? -1))
      }),
      { numRuns: 300 },
    )
  })

  test('shows that values alone do not add up', () => {
    const where = resolveHazard(jackson, 'exposed', undefined) ?? hazard
    const { scenario, steps } = order(jacksonHome, where)
    const named = steps.map(({ index, npv }) => [scenario.options[index]?.id, Math.round(npv)])
    expect(named.slice(0, 4)).toEqual([
      ['ember_vents', 8394],
      ['fence_break', 1779],
      ['enclosed_eaves', 4409],
      ['underdeck_clear', -75],
    ])
    const underdeck = scenario.options.findIndex(({ id }) => id === 'underdeck_clear')
    expect(evaluate(scenario, 1 << underdeck).societal.npv).toBeCloseTo(878.53, 2)
  })
})

/** The options as the catalogue has them, each after what it requires. */
function catalogueOrder({ options }: Scenario): number[] {
  const taken: number[] = []
  let set = 0
  while (taken.length < options.length) {
    const next = options.findIndex(({ requires }, index) => !(set & (1 << index)) && (requires & ~set) === 0)
    taken.push(next)
    set |= 1 << next
  }
  return taken
}

function expectBest(input: HardeningInput, where: Hazard, budget: number): void {
  const scenario = openScenario(input, where, 'central')
  const slow = slowModel(input, where)
  const found = bestBundle(scenario, budget)
  const expected = slow.best(budget)
  const { societal, pvCost } = evaluate(scenario, found)
  const tolerance = 1e-8 * (1 + pvCost + Math.abs(societal.pvBenefit))
  expect(Math.abs(societal.npv - expected.npv)).toBeLessThanOrEqual(tolerance)
  // The list itself, unless two lists are equal but for rounding.
  const again = slow.npv(slow.missing.filter(({ id }) => idsOf(scenario, found).includes(id)))
  expect(Math.abs(again - expected.npv)).toBeLessThanOrEqual(tolerance)
}
