import { solarDefaults } from './input.ts'
import type { SolarInput } from './input.ts'
import { designSystem } from './system.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1000,
  annualConsumptionKWh: 7200,
  utilityRate: 0.17,
}

function design(overrides: Partial<SolarInput>) {
  return designSystem({ ...home, ...overrides })
}

describe('the size', () => {
  test('produces the consumption of the first year by default', () => {
    expect(design({})).toMatchObject({ sizeKW: 7.2, panelCount: null, isCapped: false })
  })

  test('follows offsetFraction', () => {
    expect(design({ offsetFraction: 0.5 }).sizeKW).toBe(3.6)
  })

  test('is systemSizeKW where that is given, whatever the consumption', () => {
    expect(design({ systemSizeKW: 5, annualConsumptionKWh: 0, offsetFraction: 2 }).sizeKW).toBe(5)
  })

  test('is 0 without consumption', () => {
    expect(design({ annualConsumptionKWh: 0 }).sizeKW).toBe(0)
  })

  test('is rounded up to whole panels', () => {
    expect(design({ panelWatts: 430 })).toMatchObject({ panelCount: 17, sizeKW: 7.31 })
  })

  test.each([
    [7200, 400, 18],
    [1290, 430, 3],
    [6600, 330, 20],
  ])(
    'of %d kWh needs no extra panel when %d W panels fit exactly',
    (annualConsumptionKWh, panelWatts, panels) => {
      expect(design({ annualConsumptionKWh, panelWatts }).panelCount).toBe(panels)
    },
  )

  test('is cut to the maximum', () => {
    expect(design({ maxSystemSizeKW: 5 })).toMatchObject({ sizeKW: 5, isCapped: true })
    expect(design({ maxSystemSizeKW: 7.2 })).toMatchObject({ sizeKW: 7.2, isCapped: false })
    expect(design({ systemSizeKW: 9, maxSystemSizeKW: 5 })).toMatchObject({ sizeKW: 5, isCapped: true })
  })

  test('is cut to the whole panels that fit under the maximum', () => {
    expect(design({ panelWatts: 430, maxSystemSizeKW: 5 })).toMatchObject({ panelCount: 11, sizeKW: 4.73 })
    expect(design({ panelWatts: 400, maxSystemSizeKW: 1.2 })).toMatchObject({ panelCount: 3, sizeKW: 1.2 })
    expect(design({ panelWatts: 430, maxSystemSizeKW: 0.4 })).toMatchObject({ panelCount: 0, sizeKW: 0 })
  })

  test('is a plain 0 for a demand that rounds to no panel', () => {
    expect(design({ panelWatts: 430, annualConsumptionKWh: 1e-12 })).toMatchObject({
      panelCount: 0,
      sizeKW: 0,
    })
  })
})

describe('the price', () => {
  test('is cost per watt and a fixed part', () => {
    expect(design({ systemSizeKW: 4, installedCostPerWatt: 2.5, fixedCost: 700 }).grossCost).toBe(10700)
  })

  test('is nothing for no system, also with a fixed part', () => {
    expect(design({ annualConsumptionKWh: 0, fixedCost: 700 })).toMatchObject({
      grossCost: 0,
      upfrontCost: 0,
    })
  })

  test('gives the tax credit on what is left after the rebate', () => {
    const priced = design({
      systemSizeKW: 4,
      installedCostPerWatt: 2.5,
      rebateAmount: 2000,
      taxCreditRate: 0.25,
    })
    expect(priced).toMatchObject({ grossCost: 10000, upfrontCost: 8000, taxCredit: 2000 })
  })

  test('limits the tax credit to its cap and the rebate to the price', () => {
    expect(design({ taxCreditRate: 0.25, taxCreditCap: 1000 }).taxCredit).toBe(1000)
    expect(design({ rebateAmount: 1e6, taxCreditRate: 0.25 })).toMatchObject({ upfrontCost: 0, taxCredit: 0 })
  })
})
