import { save, textOf } from './saved.ts'
import { databaseOf, startSolar, threeNumbers, type SolarApp } from './support.ts'

let app: SolarApp
let key: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0, signupsPerHour: 0 } })
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

const rerun = (id: string) => app.call('post', `/v1/calculations/${id}/rerun`, { key })
const read = async (path: string) => (await app.call('get', `/v1/calculations/${path}`, { key })).body.data

describe('a result of an older model', () => {
  test('is shown as it was stored, with its version, and never computed anew by reading', async () => {
    const { id } = await save(app, key)
    const old = await age(id)

    const data = await read(id)
    expect(data).toMatchObject({ model: 'solar-v0', revision: 1, result: old })
    const { body } = await app.call('get', '/v1/calculations?limit=1', { key })
    expect(body.data.calculations).toMatchObject([{ id, model: 'solar-v0' }])
  })

  test('stays beside the new one when it is run again', async () => {
    const saved = await save(app, key)
    const { id } = saved
    const old = await age(id)

    const { status, body } = await rerun(id)

    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        data: {
          changed: true,
          calculation: { id, model: 'solar-v1', revision: 2, name: saved.name },
          previous: { revision: 1, model: 'solar-v0', result: old },
          current: { revision: 2, model: 'solar-v1', result: saved.result },
        },
      },
    })
    const latest = await read(id)
    expect(latest).toMatchObject({ revision: 2, model: 'solar-v1', createdAt: saved.createdAt })
    expect(latest.revisions).toMatchObject([
      { revision: 2, model: 'solar-v1' },
      { revision: 1, model: 'solar-v0' },
    ])
    expect(await read(`${id}?revision=1`)).toMatchObject({ revision: 1, model: 'solar-v0', result: old })
    expect((await textOf(app, `/v1/calculations/${id}/cash-flow.csv?revision=1`, key)).text).toBe('\r\n')
    expect((await textOf(app, `/v1/calculations/${id}/cash-flow.csv`, key)).text).toMatch(/^year,/)
    for (const path of [`${id}?revision=3`, `${id}/cash-flow.csv?revision=3`]) {
      expect((await app.call('get', `/v1/calculations/${path}`, { key })).status).toBe(404)
    }
    expect((await app.call('get', `/v1/calculations/${id}?revision=0`, { key })).status).toBe(400)
  })

  test('is replaced once when it is run again ten times at once', async () => {
    const { id } = await save(app, key)
    await age(id)

    const answers = await Promise.all(Array.from({ length: 10 }, () => rerun(id)))

    expect(answers.map(({ body }) => body.data.current.revision)).toEqual(Array(10).fill(2))
    expect((await read(id)).revisions).toHaveLength(2)
  })
})

describe('a result of the present model', () => {
  test('run again is the same, and nothing is stored', async () => {
    const saved = await save(app, key)
    const { body } = await rerun(saved.id)

    const { revision, model, calculatedAt, result } = saved
    const same = { revision, model, calculatedAt, result }
    expect(body.data).toMatchObject({ changed: false, previous: same, current: same })
    expect(await read(saved.id)).toEqual(saved)
  })

  test.each([{}, { simulation: { trials: 300, method: 'random' } }, { simulation: { trials: 1000 } }])(
    'of a simulation without a seed takes the seed of the first run: %j',
    async (change) => {
      const saved = await save(app, key, { kind: 'monteCarlo', input: { ...threeNumbers, ...change } })
      const { body } = await rerun(saved.id)

      expect(body.data.changed).toBe(false)
      expect(body.data.current.result).toEqual(saved.result)
      const another = await save(app, key, { kind: 'monteCarlo', input: { ...threeNumbers, ...change } })
      expect(another.result.simulation.seed).not.toBe(saved.result.simulation.seed)
    },
  )
})

test('an input that is no longer accepted is said to be wrong, and the result stays', async () => {
  const { id, result } = await save(app, key)
  const db = databaseOf(app)
  const input = JSON.stringify({ ...threeNumbers, utilityRate: 11, colour: 'red' })
  await db.updateTable('calculation').set({ input }).where('id', '=', id).execute()

  const { status, body } = await rerun(id)
  expect({ status, body }).toMatchObject({
    status: 400,
    body: {
      code: 'validation_failed',
      errors: [{ pointer: '/input/utilityRate' }, { pointer: '/input/colour' }],
    },
  })
  expect(await read(id)).toMatchObject({ revision: 1, result })
})

test('a simulation that the plan no longer runs is refused, and can still be read', async () => {
  const owner = await app.signUp('developer')
  const input = { ...threeNumbers, simulation: { trials: 20_000 } }
  const { id } = await save(app, owner.key, { kind: 'monteCarlo', input })
  await app.operate('put', `/operator/accounts/${owner.email}/plan`, { plan: 'pro' })

  const { status, body } = await app.call('post', `/v1/calculations/${id}/rerun`, { key: owner.key })
  expect([status, body.code, body.requiredPlans?.[0]]).toEqual([403, 'plan_upgrade_required', 'developer'])
  expect((await app.call('get', `/v1/calculations/${id}`, { key: owner.key })).status).toBe(200)
})

/** Makes the stored result one of an older model, with other numbers and no table, and returns it. */
async function age(id: string) {
  const db = databaseOf(app)
  const { result } = await db
    .selectFrom('calculation_result')
    .select('result')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const text = result.replace('"npv":542.68', '"npv":500.01').replace('"solar-v1"', '"solar-v0"')
  const old = JSON.parse(text) as object
  await db
    .updateTable('calculation_result')
    .set({ model: 'solar-v0', result: text, cash_flow: '[]' })
    .where('id', '=', id)
    .execute()
  return old
}
