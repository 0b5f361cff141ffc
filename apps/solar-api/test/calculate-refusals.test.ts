import type { TestApp } from '@hearth/account/testing/test-app'
import { solarDefaults } from '../src/model/input.ts'
import { startSolar, threeNumbers } from './support.ts'

/** Inputs that may be null: there is none of it. */
const nullable = ['systemSizeKW', 'maxSystemSizeKW', 'panelWatts', 'taxCreditCap', 'loan']

let app: TestApp
let key: string

beforeAll(async () => {
  app = await startSolar()
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

describe('what is no calculation', () => {
  test.each(Object.keys(solarDefaults).filter((name) => !nullable.includes(name)))(
    'null for %s is refused, which has a default',
    async (name) => {
      expect(await refusal({ [name]: null })).toMatchObject([{ pointer: `/${name}` }])
    },
  )

  test.each([['cashflow'], ['cashFlow', 'cashFlow'], 'cashFlow', [null]])(
    'include: %j is refused',
    async (include) => {
      const errors = await refusal({ include })

      expect(errors.length).toBeGreaterThan(0)
      for (const { pointer } of errors) expect(pointer).toMatch(/^\/include/)
    },
  )

  test.each([
    ['utilityRate', '0.17', 'not_a_number'],
    ['utilityRate', null, 'not_a_number'],
    ['utilityRate', true, 'not_a_number'],
    ['utilityRate', -0.01, 'too_small'],
    ['utilityRate', 10.01, 'too_large'],
    ['annualProductionPerKW', 0.5, 'too_small'],
    ['annualProductionPerKW', 3001, 'too_large'],
    ['annualConsumptionKWh', -1, 'too_small'],
    ['annualConsumptionKWh', 1e9 + 1, 'too_large'],
    ['systemSizeKW', 0, 'too_small'],
    ['analysisYears', 25.5, 'not_an_integer'],
    ['analysisYears', 0, 'too_small'],
    ['inverterReplacementYears', 13, 'not_an_array'],
    ['loan', [], 'not_an_object'],
    ['loan', 'yes', 'not_an_object'],
  ])('%s: %j is refused with its place and the reason', async (name, value, code) => {
    const [error] = await refusal({ [name]: value })

    expect(error).toMatchObject({ pointer: `/${name}`, code, detail: expect.stringContaining(name) })
  })

  test('a number as text is explained', async () => {
    const [error] = await refusal({ utilityRate: '0.17' })

    expect(error?.detail).toMatch(/not text/)
  })

  test('all fields at fault are named at once, also inside a loan and a list', async () => {
    const body = { utilityRate: 'x', loan: { apr: 2, years: 3 }, inverterReplacementYears: [5, 1.5] }
    const errors = await refusal({ ...body, annualProductionPerKW: undefined })

    expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/annualProductionPerKW',
      '/inverterReplacementYears/1',
      '/loan/apr',
      '/loan/years',
      '/utilityRate',
    ])
  })

  test.each([
    ['utilityrate', 'utilityRate'],
    ['anualProductionPerKW', 'annualProductionPerKW'],
    ['discount_rate', 'discountRate'],
  ])('an unknown field %s is asked whether it was meant to be %s', async (name, meant) => {
    const [error] = await refusal({ [name]: 1 })

    expect(error).toMatchObject({ pointer: `/${name}`, code: 'unknown_field' })
    expect(error?.detail).toContain(`did you mean ${meant}?`)
  })

  test('an unknown field of a loan is asked too, and one that is like nothing is not', async () => {
    const [inLoan] = await refusal({ loan: { term_years: 20 } })
    expect(inLoan).toMatchObject({
      pointer: '/loan/term_years',
      detail: expect.stringContaining('did you mean termYears?'),
    })

    const [other] = await refusal({ favouriteColour: 1 })
    expect(other?.detail).not.toContain('did you mean')
  })

  test.each(['1e999', '-1e999'])('a number beyond all numbers, %s, is refused', async (number) => {
    const { status, body } = await sendText(
      `{"annualProductionPerKW":1400,"annualConsumptionKWh":10800,"utilityRate":${number}}`,
    )

    expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ pointer: '/utilityRate' }] } })
  })

  test.each(['NaN', 'Infinity', '0x10', '01', '.5', '+1'])('%s is no JSON number', async (number) => {
    const { status, body } = await sendText(
      `{"annualProductionPerKW":1400,"annualConsumptionKWh":10800,"utilityRate":${number}}`,
    )

    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  test.each([
    '{"__proto__":{"utilityRate":0.17},"annualProductionPerKW":1400,"annualConsumptionKWh":10800}',
    `{"__proto__":${JSON.stringify(threeNumbers)}}`,
    `{"\\u005f_proto__":${JSON.stringify(threeNumbers)}}`,
    `{"__proto__":{"polluted":1},${JSON.stringify(threeNumbers).slice(1)}`,
    `{"constructor":{"prototype":{"polluted":1}},${JSON.stringify(threeNumbers).slice(1)}`,
    `{"loan":{"__proto__":{"polluted":1}},${JSON.stringify(threeNumbers).slice(1)}`,
    `{"toString":1,${JSON.stringify(threeNumbers).slice(1)}`,
  ])('names that JavaScript gives a meaning are unknown fields like any other: %s', async (text) => {
    const { status, body } = await sendText(text)

    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test('a body that is nothing but depth is refused and the service lives on', async () => {
    const depth = 20_000
    const arrays = '['.repeat(depth) + ']'.repeat(depth)
    for (const text of [arrays, `{"loan":${arrays},${JSON.stringify(threeNumbers).slice(1)}`]) {
      expect((await sendText(text)).status).toBe(400)
    }
    const objects = '{"loan":'.repeat(7000) + '1' + '}'.repeat(7000)
    expect((await sendText(objects)).status).toBe(400)

    expect((await app.call('get', '/livez')).status).toBe(200)
  })

  test('a name that comes twice counts with its last value, as everywhere in JSON', async () => {
    const { status, body } = await sendText(`{"utilityRate":9,${JSON.stringify(threeNumbers).slice(1)}`)

    expect([status, body.data.assumptions.utilityRate.value]).toEqual([200, 0.17])
  })
})

/** The fields at fault of a request that is refused. */
async function refusal(inputs: object): Promise<{ pointer: string; code: string; detail: string }[]> {
  const { status, body } = await app.call('post', '/v1/calculate', {
    key,
    body: { ...threeNumbers, ...inputs },
  })
  expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  return body.errors
}

function sendText(body: string) {
  return app.call('post', '/v1/calculate', { key, body, headers: { 'Content-Type': 'application/json' } })
}
