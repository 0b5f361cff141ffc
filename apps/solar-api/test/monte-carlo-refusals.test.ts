import fc from 'fast-check'
import { checkDistribution, type Distribution } from '../src/model/monte-carlo/distribution.ts'
import { uncertainInputs } from '../src/model/monte-carlo/uncertain-inputs.ts'
import { monteCarloBody } from '../src/simulation-input.ts'
import { startSolar, threeNumbers, type SolarApp } from './support.ts'

let app: SolarApp
let key: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0 } })
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

describe('a simulation that cannot be run is refused with its place and the reason', () => {
  test.each([
    [null, '', 'not_an_object', /object/],
    [[], '', 'not_an_object', /object/],
    [{ runs: 5 }, '/runs', 'unknown_field', /runs/],
    [{ trial: 5 }, '/trial', 'unknown_field', /did you mean trials/],
    [{ trials: 99 }, '/trials', 'too_small', /100/],
    [{ trials: 1_000_001 }, '/trials', 'too_large', /1000000/],
    [{ trials: 1000.5 }, '/trials', 'not_an_integer', /integer/],
    [{ trials: '1000' }, '/trials', 'not_a_number', /not text/],
    [{ method: 'quasi' }, '/method', 'not_allowed', /sobol, random, lhs/],
    [{ seed: -1 }, '/seed', 'too_small', /0/],
    [{ seed: 0.5 }, '/seed', 'not_an_integer', /integer/],
    [{ seed: 9007199254740992 }, '/seed', 'too_large', /9007199254740991|safe/],
    [{ seed: '12x' }, '/seed', 'wrong_format', /2\^64 - 1/],
    [{ seed: '007' }, '/seed', 'wrong_format', /2\^64 - 1/],
    [{ seed: '' }, '/seed', 'empty', /empty/],
    [{ seed: '18446744073709551616' }, '/seed', 'inconsistent', /2\^64 - 1/],
    [{ seed: true }, '/seed', 'wrong_type', /number, string/],
    [{ seed: null }, '/seed', 'wrong_type', /number, string/],
  ])('%j', expectRefused)
})

describe('so is a distribution', () => {
  test.each([
    [{ price: { distribution: 'fixed', value: 1 } }, '/price', 'unknown_field', /price/],
    [{ costs: { distribution: 'fixed', value: 1 } }, '/costs', 'unknown_field', /did you mean cost/],
    [{ cost: 3 }, '/cost', 'not_an_object', /such as/],
    [{ cost: null }, '/cost', 'not_an_object', /such as/],
    [{ cost: {} }, '/cost/distribution', 'not_allowed', /fixed, normal, lognormal/],
    [{ cost: { distribution: 'gauss', mean: 3 } }, '/cost/distribution', 'not_allowed', /normal/],
    [{ cost: { distribution: 'fixed' } }, '/cost/value', 'required', /required/],
    [{ cost: { distribution: 'fixed', value: '3' } }, '/cost/value', 'not_a_number', /not text/],
    [{ cost: { distribution: 'fixed', value: -0.01 } }, '/cost/value', 'too_small', /0/],
    [{ selfConsumption: { distribution: 'fixed', value: 1.1 } }, '/selfConsumption/value', 'too_large', /1/],
    [{ cost: { distribution: 'fixed', value: 3, mean: 3 } }, '/cost/mean', 'unknown_field', /mean/],
    [{ om: { distribution: 'normal', mean: 20 } }, '/om/standardDeviation', 'required', /required/],
    [{ om: { ...normal(20, -1) } }, '/om/standardDeviation', 'too_small', /0/],
    [{ om: { ...normal(20, 2), min: 30, max: 10 } }, '/om/max', 'inconsistent', /larger than min/],
    [{ om: { ...normal(20, 2), max: 1e6 } }, '/om/max', 'too_large', /10000/],
    [
      { om: { distribution: 'lognormal', median: 0, sigma: 0.3 } },
      '/om/median',
      'inconsistent',
      /larger than 0/,
    ],
    [{ om: { distribution: 'lognormal', median: 20, sigma: 3.1 } }, '/om/sigma', 'too_large', /3/],
    [{ om: { distribution: 'uniform', min: 10 } }, '/om/max', 'required', /required/],
    [{ om: { distribution: 'uniform', min: 10, max: 10 } }, '/om/max', 'inconsistent', /`fixed`/],
    [{ om: { distribution: 'triangular', min: 1, mode: 5, max: 3 } }, '/om/mode', 'inconsistent', /between/],
    [
      { om: { distribution: 'pert', min: 1, mode: 2, max: 3, weight: 101 } },
      '/om/weight',
      'too_large',
      /100/,
    ],
    [{ om: { distribution: 'beta', alpha: 0, beta: 2 } }, '/om/alpha', 'too_small', /0.1/],
    [
      { om: { distribution: 'beta', alpha: 2, beta: 2, min: 1 } },
      '/om/max',
      'inconsistent',
      /larger than min/,
    ],
  ])('%j', (distributions, pointer, code, reason) =>
    expectRefused({ distributions }, `/distributions${pointer}`, code, reason),
  )
})

describe('so is a correlation', () => {
  const pair = { inputs: ['cost', 'production'], coefficient: 0.5 }

  test.each([
    [{}, '', 'not_an_array', /array/],
    [[{ ...pair, coefficient: 1 }], '/0/coefficient', 'too_large', /less than 1/],
    [[{ ...pair, coefficient: -1 }], '/0/coefficient', 'too_small', /greater than -1/],
    [[{ inputs: pair.inputs }], '/0/coefficient', 'required', /required/],
    [[pair, { ...pair, inputs: ['cost'] }], '/1/inputs', 'array_length', /2 items/],
    [[{ ...pair, inputs: ['cost', 'cost'] }], '/0/inputs/1', 'repeated', /duplicate/],
    [[{ ...pair, inputs: ['cost', 'weather'] }], '/0/inputs/1', 'not_allowed', /production/],
    [[{ ...pair, rank: true }], '/0/rank', 'unknown_field', /rank/],
    [[pair, { ...pair, inputs: ['production', 'cost'] }], '/1', 'inconsistent', /twice/],
    [
      [
        { inputs: ['cost', 'om'], coefficient: 0.9 },
        { inputs: ['om', 'production'], coefficient: 0.9 },
        { inputs: ['cost', 'production'], coefficient: -0.9 },
      ],
      '',
      'inconsistent',
      /positive definite/,
    ],
  ])('%j', (correlations, pointer, code, reason) =>
    expectRefused({ correlations }, `/correlations${pointer}`, code, reason),
  )
})

test('all values at fault are named at once, those of the system too', async () => {
  const errors = await refusal({
    ...{ utilityRate: '0.17', panels: 20 },
    simulation: {
      trials: 1,
      distributions: { cost: { distribution: 'normal', mean: -1, sigma: 2 }, om: 5 },
      correlations: [{ inputs: ['cost'], coefficient: 2 }],
    },
  })

  expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([
    '/panels',
    '/simulation/correlations/0/coefficient',
    '/simulation/correlations/0/inputs',
    '/simulation/distributions/cost/mean',
    '/simulation/distributions/cost/sigma',
    '/simulation/distributions/cost/standardDeviation',
    '/simulation/distributions/om',
    '/simulation/trials',
    '/utilityRate',
  ])
})

test('all distributions whose parameters do not go together are named at once', async () => {
  const errors = await refusal({
    simulation: {
      distributions: {
        cost: { distribution: 'uniform', min: 3, max: 2 },
        om: { distribution: 'pert', min: 1, mode: 5, max: 3 },
      },
      correlations: [
        { inputs: ['cost', 'om'], coefficient: 0.1 },
        { inputs: ['om', 'cost'], coefficient: 0.2 },
      ],
    },
  })

  expect(errors.map(({ pointer }) => pointer)).toEqual([
    '/simulation/distributions/cost/max',
    '/simulation/distributions/om/mode',
    '/simulation/correlations/1',
  ])
})

test('a body of more than 64 KiB is refused unread', async () => {
  const reply = await app.call('post', '/v1/calculate/monte-carlo', {
    key,
    body: { ...threeNumbers, padding: 'x'.repeat(65_536) },
  })
  expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large'])
})

test('an option of /v1/calculate that is no input of the system is not known here', async () => {
  expect(await refusal({ include: ['cashFlow'] })).toMatchObject([
    { pointer: '/include', code: 'unknown_field' },
  ])
})

test('the schema and the model agree on the parameters of every distribution', () => {
  const parameters = {
    fixed: ['value'],
    normal: ['mean', 'standardDeviation', 'min', 'max'],
    lognormal: ['median', 'sigma', 'min', 'max'],
    uniform: ['min', 'max'],
    triangular: ['min', 'mode', 'max'],
    pert: ['min', 'mode', 'max', 'weight'],
    beta: ['alpha', 'beta', 'min', 'max'],
  }
  const number = fc.oneof(
    fc.double({ min: -1, max: 4, noNaN: true }),
    fc.constantFrom(-1, -0.5, 0, 0.1, 1, 3, 100, 1000, 6000, 10_000, 1e6, 1e7),
  )
  const given = fc.oneof(
    ...Object.entries(parameters).map(([distribution, names]) =>
      fc
        .record(Object.fromEntries(names.map((name) => [name, number])), { requiredKeys: names.slice(0, 1) })
        .map((values) => ({ distribution, ...values }) as Distribution),
    ),
  )
  const seen = new Set<boolean>()
  fc.assert(
    fc.property(fc.constantFrom(...uncertainInputs), given, (range, distribution) => {
      const body = { ...threeNumbers, simulation: { distributions: { [range.name]: distribution } } }
      const isLetThrough = monteCarloBody.validate(body, { convert: false }).error === undefined
      const found = checkDistribution(distribution, range).map(({ detail }) => detail)
      seen.add(isLetThrough)
      // What the schema lets through can only be wrong together with another parameter.
      if (isLetThrough) expect(found.filter((detail) => !/larger than|between min/.test(detail))).toEqual([])
      else expect(found).not.toEqual([])
    }),
    { numRuns: 3000 },
  )
  expect(seen.size).toBe(2)
})

function normal(mean: number, standardDeviation: number) {
  return { distribution: 'normal', mean, standardDeviation }
}

async function expectRefused(simulation: unknown, pointer: string, code: string, reason: RegExp) {
  const [error, ...others] = await refusal({ simulation })

  expect(others).toEqual([])
  expect(error).toMatchObject({
    pointer: `/simulation${pointer}`,
    code,
    detail: expect.stringMatching(reason),
  })
  expect(error?.detail).toMatch(/^simulation.*[.?]$/)
}

/** The fields at fault of a body that is refused. */
async function refusal(change: object): Promise<{ pointer: string; code: string; detail: string }[]> {
  const body = { ...threeNumbers, ...change }
  const reply = await app.call('post', '/v1/calculate/monte-carlo', { key, body })
  expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed'])
  return reply.body.errors
}
