import fc from 'fast-check'
import { loanDefaults, solarDefaults, type SolarInput } from './input.ts'
import { roundResult } from './rounding.ts'
import {
  axesWithoutEffect,
  evaluateCell,
  evenlySpaced,
  inputValue,
  metricNames,
  rangeOf,
  withInput,
} from './sensitivity-grid.ts'
import { calculateSolar } from './solar.ts'

const home: SolarInput = {
  ...solarDefaults,
  ...{ annualProductionPerKW: 1400, annualConsumptionKWh: 10_800, utilityRate: 0.17 },
}

describe('evaluateCell', () => {
  test('gives the rounded numbers of a calculation in the order asked for', () => {
    const { metrics, savings } = roundResult(calculateSolar(home))

    expect(evaluateCell(home, ['irr', 'npv', 'lifetimeNetSavings'])).toEqual({
      values: [metrics.irr, metrics.npv, savings.lifetimeNetSavings],
      gaps: [],
    })
  })

  test.each<[Partial<SolarInput>, string[]]>([
    [{ utilityRate: 0.02 }, ['paybackYears NEVER_PAYS_BACK']],
    [{ installedCostPerWatt: 0 }, ['irr IRR_UNDEFINED']],
    [
      { annualConsumptionKWh: 0 },
      ['paybackYears NO_CONSUMPTION', 'irr NO_CONSUMPTION', 'lcoePerKWh NO_CONSUMPTION'],
    ],
    [
      { maxSystemSizeKW: 0.1, panelWatts: 430 },
      ['paybackYears NO_SYSTEM', 'irr NO_SYSTEM', 'lcoePerKWh NO_SYSTEM'],
    ],
  ])('says why it cannot be computed for %j', (change, expected) => {
    const { values, gaps } = evaluateCell({ ...home, ...change }, metricNames)

    expect(gaps.map(({ metric, code }) => `${metric} ${code}`)).toEqual(expected)
    expect(values.filter((value) => value === null)).toHaveLength(gaps.length)
    for (const { message } of gaps) expect(message).toMatch(/^[A-Z].*\.$/)
  })
})

describe('withInput', () => {
  test('changes one input and leaves the rest', () => {
    expect(withInput(home, 'utilityRate', 0.3)).toEqual({ ...home, utilityRate: 0.3 })
    const borrowed = { ...home, loan: loanDefaults }
    expect(withInput(borrowed, 'loan.apr', 0.01)).toEqual({ ...home, loan: { ...loanDefaults, apr: 0.01 } })
    expect([inputValue(borrowed, 'loan.apr'), inputValue(home, 'loan.apr')]).toEqual([0.07, null])
    expect([inputValue(home, 'utilityRate'), inputValue(home, 'panelWatts')]).toEqual([0.17, null])
  })

  test('needs a loan for the terms of one', () => {
    expect(() => withInput(home, 'loan.apr', 0.01)).toThrow(RangeError)
  })
})

describe('evenlySpaced', () => {
  test('gives the numbers that one would type', () => {
    expect(evenlySpaced(0.01, 0.05, 5)).toEqual([0.01, 0.02, 0.03, 0.04, 0.05])
    expect(evenlySpaced(0, 0.3, 4)).toEqual([0, 0.1, 0.2, 0.3])
    expect(evenlySpaced(-0.1, 0.1, 3)).toEqual([-0.1, 0, 0.1])
  })

  test('rises from one end exactly to the other', () => {
    const bounds = fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      fc.integer({ min: 2, max: 50 }),
    )
    fc.assert(
      fc.property(bounds, ([from, width, steps]) => {
        const to = from + width
        const values = evenlySpaced(from, to, steps)
        expect([values[0], values.at(-1), values.length]).toEqual([from, to, steps])
        expect(values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0))).toBe(true)
      }),
    )
  })
})

test('an input without effect is noticed along its own axis', () => {
  const rows = (grid: number[][]) => grid.map((row) => row.map((value) => ({ values: [value], gaps: [] })))
  const axes = ['offsetFraction', 'utilityRate'] as const
  const flatIn = (grid: number[][]) => axesWithoutEffect(axes, rows(grid))

  expect(flatIn([[1, 2], [1, 2]])).toEqual(['offsetFraction'])
  expect(flatIn([[1, 1], [2, 2]])).toEqual(['utilityRate'])
  expect(flatIn([[1, 2], [2, 1]])).toEqual([])
  expect(flatIn([[1, 1], [1, 1]])).toEqual(axes)
  expect(axesWithoutEffect(['utilityRate'], rows([[1], [2]]))).toEqual([])
}) // prettier-ignore

test('the range leaves out what is null', () => {
  expect(rangeOf([null, 3, -2, null])).toEqual({ min: -2, max: 3 })
  expect(rangeOf([null])).toBeNull()
})
