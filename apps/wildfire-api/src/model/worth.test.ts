import { annuity, presentCost, worthOf } from './worth.ts'

describe('the annuity', () => {
  test('is the value today of a dollar a year', () => {
    expect(annuity(0.031, 30)).toBeCloseTo(19.349488, 6)
    expect(annuity(0.07, 30)).toBeCloseTo(12.409041, 6)
  })

  test('is the number of years without a rate, and near it for a vanishing one', () => {
    expect(annuity(0, 30)).toBe(30)
    expect(annuity(1e-300, 30)).toBe(30)
    expect(annuity(1e-9, 30)).toBeCloseTo(30, 6)
  })
})

describe('the present cost', () => {
  const vents = { upfrontCost: 1625, upkeep: 0, lifeYears: 25 }

  test('buys again when the life ends within the horizon', () => {
    expect(presentCost(vents, 0.031, 30)).toBeCloseTo(2382.507144, 6)
    expect(presentCost(vents, 0, 26)).toBe(3250)
    expect(presentCost({ ...vents, lifeYears: 10 }, 0, 31)).toBe(4 * 1625)
  })

  test('does not buy again in the last year', () => {
    expect(presentCost(vents, 0.031, 25)).toBe(1625)
    expect(presentCost({ ...vents, lifeYears: 10 }, 0, 30)).toBe(3 * 1625)
  })

  test('pays the upkeep of every year', () => {
    expect(presentCost({ ...vents, upkeep: 50 }, 0, 20)).toBe(1625 + 20 * 50)
  })
})

describe('worth', () => {
  const cost = { upfrontCost: 1000, upkeep: 50, pvCost: 1500 }

  test('compares both sides in money of today', () => {
    expect(worthOf(150, cost, 20)).toEqual({
      annualBenefit: 150,
      pvBenefit: 3000,
      npv: 1500,
      bcr: 2,
      paybackYears: 10,
    })
  })

  test('never pays back what costs as much to keep as it brings', () => {
    expect(worthOf(50, cost, 20).paybackYears).toBeNull()
    expect(worthOf(49, cost, 20).paybackYears).toBeNull()
  })

  test('has no ratio without a cost, and none that is not finite', () => {
    expect(worthOf(0, { upfrontCost: 0, upkeep: 0, pvCost: 0 }, 20)).toEqual({
      annualBenefit: 0,
      pvBenefit: 0,
      npv: 0,
      bcr: null,
      paybackYears: null,
    })
    expect(worthOf(1e5, { upfrontCost: 5e-324, upkeep: 0, pvCost: 5e-324 }, 20).bcr).toBeNull()
    expect(worthOf(5e-324, { upfrontCost: 1e5, upkeep: 0, pvCost: 1e5 }, 20).paybackYears).toBeNull()
  })
})
