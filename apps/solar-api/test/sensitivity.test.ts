import fc from 'fast-check'
import { loanDefaults, solarDefaults } from '../src/model/input.ts'
import { metricNames } from '../src/model/sensitivity-grid.ts'
import { plans } from '../src/plans.ts'
import { anyInputs } from './any-inputs.ts'
import { startSolar, threeNumbers, type SolarApp } from './support.ts'

let app: SolarApp
let key: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0, signupsPerHour: 0 } })
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

const price = { input: 'installedCostPerWatt', values: [2.5, 3.15, 4] }
const escalation = { input: 'rateEscalation', from: 0.01, to: 0.04, steps: 4 }

describe('POST /v1/calculate/sensitivity', () => {
  test('answers a grid with the first input in rows and the second in columns', async () => {
    const { inputs, grid, base, ranges, gaps, warnings } = await analyse([price, escalation])

    expect(inputs).toEqual([
      { input: 'installedCostPerWatt', values: [2.5, 3.15, 4], base: 3.15 },
      { input: 'rateEscalation', values: [0.01, 0.02, 0.03, 0.04], base: 0.025 },
    ])
    expect(Object.keys(grid)).toEqual([...metricNames])
    const npv = grid['npv'] ?? []
    expect(npv.map((row) => row.length)).toEqual([4, 4, 4])
    // dearer is worse, faster escalation is better
    expect([npv[0]?.[0], npv[2]?.[0]].toSorted(ascending)).toEqual([npv[2]?.[0], npv[0]?.[0]])
    expect(npv[1]?.toSorted(ascending)).toEqual(npv[1])
    expect(base).toMatchObject({ npv: 542.68, irr: 0.062156, paybackYears: 13.82 })
    expect(ranges['npv']).toEqual({ min: npv[2]?.[0], max: npv[0]?.[3] })
    expect([gaps, warnings]).toEqual([[], []])
  })

  test('of one input makes one column', async () => {
    const { grid } = await analyse([{ ...escalation, input: 'discountRate' }], { metrics: ['npv'] })

    expect(Object.keys(grid)).toEqual(['npv'])
    expect(grid['npv']?.map((row) => row.length)).toEqual([1, 1, 1, 1])
  })

  test('says why values are missing, and where', async () => {
    const { grid, gaps, ranges } = await analyse([{ input: 'utilityRate', values: [0, 0.01, 0.5] }, price], {
      metrics: ['irr', 'paybackYears'],
    })

    expect(grid['paybackYears']?.map((row) => row.map((value) => value === null))).toEqual([
      [true, true, true],
      [true, true, true],
      [false, false, false],
    ])
    const cells = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]] // prettier-ignore
    expect(gaps.filter(({ metric }) => metric === 'paybackYears')).toEqual([
      { metric: 'paybackYears', code: 'NEVER_PAYS_BACK', message: expect.stringMatching(/\.$/), cells },
    ])
    expect(gaps.find(({ metric }) => metric === 'irr')?.code).toBe('IRR_UNDEFINED')
    expect(ranges['paybackYears']).toEqual({ min: expect.any(Number), max: expect.any(Number) })
  })

  test('says when an input changes nothing', async () => {
    const { warnings } = await analyse([{ input: 'offsetFraction', values: [0.5, 1] }, price], {
      systemSizeKW: 5,
    })
    expect(warnings).toEqual([
      { code: 'INPUT_HAS_NO_EFFECT', message: expect.stringContaining('offsetFraction') },
    ])
  })

  test('takes every input that has one number', async () => {
    const names = [
      ...[...Object.keys(threeNumbers), ...Object.keys(solarDefaults)].filter(
        (name) => !['loan', 'inverterReplacementYears'].includes(name),
      ),
      ...Object.keys(loanDefaults).map((name) => `loan.${name}`),
    ]
    for (const input of names) {
      const values = input === 'loan.paymentsPerYear' ? [1, 12] : [0.5, 0.75]
      const whole = /Years$/.test(input) ? [1, 2] : input === 'annualProductionPerKW' ? [900, 1000] : values
      const variation = { input, values: input === 'panelWatts' ? [400, 430] : whole }
      const { inputs } = await analyse([variation], { loan: {} })
      expect(inputs).toMatchObject([variation])
    }
  })

  test.each(Object.keys(plans))('on plan %s', async (plan) => {
    const owner = await app.signUp(plan)
    const body = { ...threeNumbers, vary: [price] }
    const answer = await app.call('post', '/v1/calculate/sensitivity', { key: owner.key, body })
    expect([answer.status, answer.body.code]).toEqual(
      plan === 'free' ? [403, 'plan_upgrade_required'] : [200, undefined],
    )
  })
})

test('every cell is what a calculation answers, whatever the inputs', async () => {
  await fc.assert(
    fc.asyncProperty(anyInputs, fc.uniqueArray(variation, variationOptions), async (inputs, vary) => {
      const base = Object.fromEntries(Object.entries(inputs).filter(([name]) => name !== 'include'))
      const { inputs: axes, grid, ...rest } = await analyse(vary, base)
      const [first, second] = axes
      for (const [row, value] of (first?.values ?? []).entries()) {
        for (const [column, other] of (second?.values ?? [undefined]).entries()) {
          const given = { ...(first && { [first.input]: value }), ...(second && { [second.input]: other }) }
          const { savings, metrics } = await post('/v1/calculate', { ...base, ...given })
          const expected = { ...metrics, lifetimeNetSavings: savings.lifetimeNetSavings }
          for (const metric of metricNames) {
            const cell = grid[metric]?.[row]?.[column]
            expect([given, metric, cell]).toEqual([given, metric, expected[metric]])
            const gap = rest.gaps.filter(
              (one) => one.metric === metric && one.cells.some(([r, c]) => r === row && c === column),
            )
            expect([metric, gap.length]).toEqual([metric, cell === null ? 1 : 0])
          }
        }
      }
    }),
    { numRuns: 40 },
  )
})

describe('what is no analysis', () => {
  test.each<[string, unknown, { pointer: string; code: string }]>([
    ['nothing varied', [], { pointer: '/vary', code: 'too_few' }],
    ['three inputs', [price, escalation, { input: 'utilityRate', values: [1, 2] }], { pointer: '/vary', code: 'too_many' }],
    ['one input twice', [price, { ...price, values: [1, 2] }], { pointer: '/vary/1', code: 'repeated' }],
    ['an unknown input', [{ ...price, input: 'price' }], { pointer: '/vary/0/input', code: 'not_allowed' }],
    ['an input that is a list', [{ ...price, input: 'inverterReplacementYears' }], { pointer: '/vary/0/input', code: 'not_allowed' }],
    ['one value', [{ ...price, values: [3] }], { pointer: '/vary/0/values', code: 'too_few' }],
    ['a value twice', [{ ...price, values: [3, 3] }], { pointer: '/vary/0/values/1', code: 'repeated' }],
    ['a value as text', [{ ...price, values: [3, '4'] }], { pointer: '/vary/0/values/1', code: 'not_a_number' }],
    ['a value out of range', [price, { input: 'utilityRate', values: [0.1, 0.2, 11] }], { pointer: '/vary/1/values/2', code: 'too_large' }],
    ['a first value out of range', [{ ...escalation, from: -0.6 }], { pointer: '/vary/0/from', code: 'too_small' }],
    ['a last value out of range', [{ ...escalation, to: 1.1 }], { pointer: '/vary/0/to', code: 'too_large' }],
    ['steps that miss whole years', [{ input: 'analysisYears', from: 10, to: 13, steps: 3 }], { pointer: '/vary/0/steps', code: 'not_an_integer' }],
    ['a range backwards', [{ ...escalation, to: 0 }], { pointer: '/vary/0/to', code: 'too_small' }],
    ['too many steps', [{ ...escalation, steps: 51 }], { pointer: '/vary/0/steps', code: 'too_large' }],
    ['both forms', [{ ...escalation, values: [0, 1] }], { pointer: '/vary/0/from', code: 'unknown_field' }],
    ['no values', [{ input: 'utilityRate' }], { pointer: '/vary/0/from', code: 'required' }],
    ['a loan’s input without a loan', [{ input: 'loan.apr', values: [0.05, 0.06] }], { pointer: '/vary/0/input', code: 'not_allowed' }],
    ['too many cells', [{ ...escalation, steps: 21 }, { input: 'utilityRate', from: 0.1, to: 0.4, steps: 20 }], { pointer: '/vary', code: 'too_many' }],
  ])('%s is refused with its place', async (_, vary, expected) => {
    const body = { ...threeNumbers, vary }
    const { status, body: answer } = await app.call('post', '/v1/calculate/sensitivity', { key, body })
    expect({ status, errors: answer.errors }).toMatchObject({
      status: 400,
      errors: expect.arrayContaining([expect.objectContaining(expected)]),
    })
  }) // prettier-ignore

  test('400 cells are not too many', async () => {
    const { grid } = await analyse([
      { ...escalation, steps: 20 },
      { input: 'utilityRate', from: 0.1, to: 0.4, steps: 20 },
    ])
    expect(grid['npv']?.flat()).toHaveLength(400)
  })

  test('a value that is named twice is said to be a value', async () => {
    const body = { ...threeNumbers, vary: [{ ...price, values: [3, 3] }] }
    const { body: answer } = await app.call('post', '/v1/calculate/sensitivity', { key, body })
    expect(answer.detail).toBe(
      'vary[0].values[1] is a value that the list has already; name each value once.',
    )
  })

  test('all values out of range are named at once', async () => {
    const vary = [
      { input: 'utilityRate', values: [-1, 0.1, 20] },
      { input: 'loan.apr', values: [2, 3] },
    ]
    const body = { ...threeNumbers, loan: {}, vary }
    const { body: answer } = await app.call('post', '/v1/calculate/sensitivity', { key, body })
    expect((answer.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/vary/0/values/0',
      '/vary/0/values/2',
      '/vary/1/values/0',
      '/vary/1/values/1',
    ])
    expect(answer.errors[2].detail).toBe('loan.apr must be less than or equal to 1.')
  })
})

const ascending = (a: number | null = null, b: number | null = null) => (a ?? 0) - (b ?? 0)

/** One input, by two or three values or steps. */
const variation = fc
  .constantFrom(
    ...(['utilityRate', 'annualConsumptionKWh', 'installedCostPerWatt', 'exportRate'] as const),
    ...(['rateEscalation', 'discountRate', 'analysisYears', 'systemSizeKW'] as const),
  )
  .chain((input) => {
    const [low, high] =
      input === 'analysisYears' ? [1, 50] : input === 'discountRate' ? [-0.5, 1] : [0.001, 1]
    const value =
      input === 'analysisYears'
        ? fc.integer({ min: low, max: high })
        : fc.double({ min: low, max: high, noNaN: true })
    const values = fc.uniqueArray(value, { minLength: 2, maxLength: 3 })
    return fc.oneof(
      values.map((list) => ({ input, values: list })),
      fc.constant({ input, from: low, to: high, steps: 2 }),
    )
  })
const variationOptions = {
  minLength: 1,
  maxLength: 2,
  selector: ({ input }: { input: string }) => input,
} as const

async function analyse(vary: readonly object[], inputs: object = {}): Promise<Analysis> {
  return post('/v1/calculate/sensitivity', { ...threeNumbers, ...inputs, vary })
}

async function post(path: string, body: object) {
  const { status, body: answer } = await app.call('post', path, { key, body })
  expect({ status, answer }).toMatchObject({ status: 200 })
  return answer.data
}

/** The parts of an answer that are looked into; the answer itself is checked against the description. */
type Analysis = {
  readonly inputs: readonly { input: string; values: readonly number[]; base: number | null }[]
  readonly base: Readonly<Record<string, number | null>>
  readonly grid: Readonly<Record<string, readonly (readonly (number | null)[])[]>>
  readonly ranges: Readonly<Record<string, { min: number; max: number } | null>>
  readonly gaps: readonly {
    metric: string
    code: string
    message: string
    cells: readonly (readonly [number, number])[]
  }[]
  readonly warnings: readonly { code: string; message: string }[]
}
