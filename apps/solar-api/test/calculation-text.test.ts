import { quickCheck } from '@hearth/chassis/quick-check'
import { validate } from '@hearth/chassis/validate'
import fc from 'fast-check'
import { calculateBody } from '../src/calculate.ts'
import { calculationText } from '../src/calculation-text.ts'
import { resolveInput } from '../src/solar-input.ts'
import { presentCalculation } from '../src/solar-result.ts'
import { anyInputs } from './any-inputs.ts'

/* What makes POST /v1/calculate fast must not be seen in its answers. */

test('the text of a calculation is the JSON text of the calculation', () => {
  fc.assert(
    fc.property(anyInputs, (raw) => {
      const request = validate(calculateBody, raw, 'body')
      const input = resolveInput(request)
      const withCashFlow = request.include.includes('cashFlow')
      const text = calculationText(input, raw, withCashFlow)
      expect(text).toBe(JSON.stringify(presentCalculation(input, raw, withCashFlow)))
    }),
  )
})

test('an input that is null is told from one that was left out', () => {
  const raw = { annualProductionPerKW: 1400, annualConsumptionKWh: 9000, utilityRate: 0.2, panelWatts: null }
  const text = calculationText(resolveInput(validate(calculateBody, raw, 'body')), raw, false)

  const { assumptions } = JSON.parse(text) as { assumptions: unknown }
  expect(assumptions).toMatchObject({
    panelWatts: { value: null, source: 'request' },
    maxSystemSizeKW: { value: null, source: 'default' },
    loan: { value: null, source: 'default' },
  })
})

test('requests that joi need not see get what joi would make of them', () => {
  const check = quickCheck(calculateBody)
  const numbersOnly = anyInputs.map(
    ({ include: _, loan: _loan, inverterReplacementYears: _years, ...raw }) => raw,
  )
  fc.assert(
    fc.property(numbersOnly, (raw) => {
      const sure = check(raw)
      // Among numbers within their ranges only -0, which joi turns into 0, is unusual.
      if (!Object.values(raw).some((value) => Object.is(value, -0))) expect(sure).toBeDefined()
      if (sure !== undefined) expect(sure).toStrictEqual(validate(calculateBody, raw, 'body'))
    }),
  )
})
