import { startSolar, threeNumbers, type SolarApp } from './support.ts'

let app: SolarApp

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0, signupsPerHour: 0 } })
})
afterAll(() => app.close())

describe('the largest run of a plan', () => {
  test.each([
    ['pro', 10_000, ['developer', 'api_starter', 'api_business']],
    ['developer', 100_000, ['api_business']],
    ['api_starter', 100_000, ['api_business']],
  ])('%s: %i trials; one more needs a plan that the answer names', async (plan, most, requiredPlans) => {
    const { key } = await app.signUp(plan)

    expect((await run(key, { trials: most })).status).toBe(200)
    const { status, body, headers } = await run(key, { trials: most + 1 })

    expect({ status, body }).toMatchObject({
      status: 403,
      body: { code: 'plan_upgrade_required', plan, requiredPlans },
    })
    for (const name of [plan, ...requiredPlans, most.toLocaleString('en-US')])
      expect(body.detail).toContain(name)
    expect(Number(headers['x-ratelimit-remaining'])).toBe((await usage(key)).daily.remaining)
    expect((await usage(key)).daily.used).toBe(1)
  })

  test('api_business: a million; nobody can ask for more', async () => {
    const { key } = await app.signUp('api_business')

    const { status, body } = await run(key, { trials: 1_000_000, seed: 1 })
    expect([status, body.data?.simulation.trials]).toEqual([200, 1_048_576])
    expect((await run(key, { trials: 1_000_001 })).status).toBe(400)
  })

  test('is about what is asked for, not about what Sobol points are rounded up to', async () => {
    const { key } = await app.signUp('pro')

    const { status, body } = await run(key, { trials: 10_000, method: 'sobol' })
    expect([status, body.data?.simulation.trials]).toEqual([200, 16_384])
  })
})

describe('a free account', () => {
  test('is told which plans have simulations, and is not charged', async () => {
    const { key } = await app.signUp()

    const { status, body } = await run(key, {})

    expect({ status, body }).toMatchObject({
      status: 403,
      body: {
        code: 'plan_upgrade_required',
        plan: 'free',
        requiredPlans: ['pro', 'developer', 'api_starter', 'api_business'],
      },
    })
    expect((await usage(key)).daily.used).toBe(0)
  })

  test('is told so before anything that is wrong with its request, and before its quota', async () => {
    const { key } = await app.signUp()
    for (let at = 0; at < 50; at++) await app.call('post', '/v1/calculate', { key, body: threeNumbers })
    expect((await app.call('post', '/v1/calculate', { key, body: threeNumbers })).status).toBe(429)

    const { status, body } = await app.call('post', '/v1/calculate/monte-carlo', {
      key,
      body: { nothing: 1 },
    })

    expect([status, body.code]).toEqual([403, 'plan_upgrade_required'])
  })
})

test('a change of plan is felt by the next request, in both directions', async () => {
  const { key, email } = await app.signUp()
  const change = (plan: string) => app.operate('put', `/operator/accounts/${email}/plan`, { plan })
  const statuses: number[] = []
  for (const plan of ['pro', 'developer', 'pro', 'free']) {
    await change(plan)
    statuses.push((await run(key, { trials: 100 })).status, (await run(key, { trials: 20_000 })).status)
  }
  expect(statuses).toEqual([200, 403, 200, 200, 200, 403, 403, 403])
  expect((await usage(key)).daily.used).toBe(4)
})

test('a run costs one unit whatever its size, a refused one none', async () => {
  const { key } = await app.signUp('developer')
  await run(key, { trials: 100 })
  await run(key, { trials: 50_000 })
  await run(key, { trials: 1 })

  const { daily, monthly } = await usage(key)
  expect([daily.used, monthly.used]).toEqual([2, 2])
})

function run(key: string, simulation: object) {
  return app.call('post', '/v1/calculate/monte-carlo', { key, body: { ...threeNumbers, simulation } })
}

async function usage(key: string) {
  const { body } = await app.call('get', '/v1/account/usage', { key })
  return body.data.windows
}
