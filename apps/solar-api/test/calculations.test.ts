import fc from 'fast-check'
import { anyInputs } from './any-inputs.ts'
import { signIn } from './operations.ts'
import { requestsFor, save, saveRequest, textOf } from './saved.ts'
import { databaseOf, startSolar, threeNumbers, type SolarApp } from './support.ts'

let app: SolarApp
let key: string
let other: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0, signupsPerHour: 0 } })
  key = (await app.signUp('api_business')).key
  other = (await app.signUp('pro')).key
})
afterAll(() => app.close())

const ask = (method: string, path: string, body?: object) =>
  app.call(method, path, { key, ...(body !== undefined && { body }) })

describe('POST /v1/calculations', () => {
  test('answers with what was saved and where it is', async () => {
    const { status, headers, body } = await ask('post', '/v1/calculations', saveRequest)

    expect(status).toBe(201)
    const { data } = body
    expect(headers['location']).toBe(`/v1/calculations/${data.id}`)
    expect(data).toMatchObject({
      ...{ id: expect.stringMatching(/^calc_[0-9a-z]{26}$/), name: 'South roof', kind: 'calculate' },
      ...{ model: 'solar-v1', revision: 1, input: threeNumbers },
      revisions: [{ revision: 1, model: 'solar-v1', calculatedAt: data.calculatedAt }],
    })
    expect(data.result.metrics.npv).toBe(542.68)
    expect(data.createdAt).toBe(data.calculatedAt)
    expect((await ask('get', headers['location'] ?? '')).body.data).toEqual(data)
  })

  test('costs one unit, and so does reading', async () => {
    const { key: own } = await app.signUp('pro')
    const first = await app.call('post', '/v1/calculations', { key: own, body: saveRequest })
    const second = await app.call('get', `/v1/calculations/${first.body.data.id}`, { key: own })
    expect([first, second].map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['499', '498'])
  })

  test('keeps what /v1/calculate answers byte for byte, whatever the inputs', async () => {
    await fc.assert(
      fc.asyncProperty(anyInputs, async (input) => {
        const body = JSON.stringify(input)
        const asked = await textOf(app, '/v1/calculate', key, { method: 'POST', body })
        const [, answer = ''] = /^\{"data":(.*),"meta":\{"timestamp":"[^"]*"\}\}$/.exec(asked.text) ?? []
        expect(answer).toMatch(/^\{"model":"solar-v1".*\}$/)

        const { id } = await save(app, key, { input })
        const { text } = await textOf(app, `/v1/calculations/${id}`, key)
        expect(text).toContain(`"input":${body},"result":${answer},"revisions":`)
      }),
      { numRuns: 40 },
    )
  })

  test('keeps what a simulation with the same seed answers byte for byte', async () => {
    const input = { ...threeNumbers, simulation: { trials: 500, seed: '18446744073709551615' } }
    const body = JSON.stringify(input)
    const asked = await textOf(app, '/v1/calculate/monte-carlo', key, { method: 'POST', body })
    const [, answer = ''] = /^\{"data":(.*),"meta":/.exec(asked.text) ?? []
    const { id } = await save(app, key, { kind: 'monteCarlo', input })

    const { text } = await textOf(app, `/v1/calculations/${id}`, key)
    expect(text).toContain(`"input":${body},"result":${answer},"revisions":`)
  })

  test.each([
    ['quotes and semicolons', `'; drop table calculation; --`],
    ['a backslash and a dollar quote', `\\'; $$ select 1 $$ %s ? $1 :name`],
    ['letters beyond the basic plane', '屋根 🏠 سقف ñ é'],
    ['markup', '<script>alert("x")</script>'],
    ['200 characters', 'é'.repeat(200)],
    ['a formula', '=1+1'],
  ])('takes %s as a name and gives it back', async (_, name) => {
    const { id } = await save(app, key, { name })
    expect((await ask('get', `/v1/calculations/${id}`)).body.data.name).toBe(name)
    const { body } = await ask('patch', `/v1/calculations/${id}`, { name: `${name.slice(0, 199)}!` })
    expect(body.data.name).toBe(`${name.slice(0, 199)}!`)
  })

  test('takes spaces around a name off', async () => {
    expect((await save(app, key, { name: '  roof ' })).name).toBe('roof')
  })

  test.each<[string, object, string, string]>([
    ['no name', { name: undefined }, '/name', 'required'],
    ['an empty name', { name: '' }, '/name', 'empty'],
    ['a name of spaces', { name: '  ' }, '/name', 'empty'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, '/name', 'too_long'],
    ['a name with a zero byte', { name: 'a\u0000b' }, '/name', 'wrong_format'],
    ['half a letter', { name: '\ud83c' }, '/name', 'wrong_format'],
    ['an unknown kind', { kind: 'compare' }, '/kind', 'not_allowed'],
    ['no input', { input: undefined }, '/input', 'required'],
    ['an input out of range', { input: { ...threeNumbers, utilityRate: 11 } }, '/input/utilityRate', 'too_large'],
    ['an unknown input', { input: { ...threeNumbers, rate: 1 } }, '/input/rate', 'unknown_field'],
    ['a simulation of a calculation', { input: { ...threeNumbers, simulation: {} } }, '/input/simulation', 'unknown_field'],
    ['a table of a simulation', { kind: 'monteCarlo', input: { ...threeNumbers, include: [] } }, '/input/include', 'unknown_field'],
    ['a distribution that cannot be', { kind: 'monteCarlo', input: { ...threeNumbers, simulation: { distributions: { cost: { distribution: 'uniform', min: 4, max: 3 } } } } }, '/input/simulation/distributions/cost', 'inconsistent'],
  ])('%s is refused with its place', async (_, change, pointer, code) => {
    const { status, body } = await ask('post', '/v1/calculations', { ...saveRequest, ...change })
    expect({ status, errors: body.errors }).toMatchObject({ status: 400 })
    expect(body.errors[0]).toMatchObject({ pointer: expect.stringContaining(pointer), code })
  }) // prettier-ignore

  test('a simulation larger than the plan runs is not run and not saved', async () => {
    const input = { ...threeNumbers, simulation: { trials: 10_001 } }
    const body = { ...saveRequest, kind: 'monteCarlo', input }
    const answer = await app.call('post', '/v1/calculations', { key: other, body })
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'plan_upgrade_required', requiredPlans: ['developer', 'api_starter', 'api_business'] },
    })
    expect((await app.call('get', '/v1/calculations', { key: other })).body.data.total).toBe(0)
  })
})

describe('the yearly table', () => {
  test('is CSV with the rows of the calculation, also when they were not in the answer', async () => {
    const asked = await ask('post', '/v1/calculate', { ...threeNumbers, include: ['cashFlow'] })
    const { id } = await save(app, key)
    const { status, headers, text } = await textOf(app, `/v1/calculations/${id}/cash-flow.csv`, key)

    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="cash-flow-${id}.csv"`)
    const rows = rowsOf(text)
    expect(rows).toEqual(asked.body.data.cashFlow)
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      Object.keys(rows[0] ?? {}).join(','),
      // the price is a number, not text that begins with a minus
      '0,0,0,0,0,0,0,0,24300,0,0,0,0,0,-24300,0,0,0,-24300,-24300,-24300,-24300,-24300',
    ])
  })

  test('of a simulation is that of its inputs', async () => {
    const input = { ...threeNumbers, utilityRate: 0.2, simulation: { trials: 100 } }
    const { id } = await save(app, key, { kind: 'monteCarlo', input })
    const { text } = await textOf(app, `/v1/calculations/${id}/cash-flow.csv`, key)
    const rows = rowsOf(text)
    expect([rows.length, rows[1]?.['savings']]).toEqual([26, 2160])
  })
})

describe('renaming and deleting', () => {
  test('a name changes and nothing else', async () => {
    const before = await save(app, key)
    const { status, body } = await ask('patch', `/v1/calculations/${before.id}`, { name: 'North roof' })
    const { id, kind, model, revision, createdAt, calculatedAt } = before
    const line = { id, name: 'North roof', kind, model, revision, createdAt, calculatedAt }
    expect([status, body.data]).toEqual([200, line])
    expect((await ask('get', `/v1/calculations/${before.id}`)).body.data).toEqual({
      ...before,
      name: 'North roof',
    })
  })

  test.each([[{}], [{ name: '' }], [{ name: 1 }], [{ name: 'x', kind: 'monteCarlo' }]])(
    '%j is no change',
    async (body) => {
      const { id } = await save(app, key)
      expect((await ask('patch', `/v1/calculations/${id}`, body)).status).toBe(400)
    },
  )

  test('what is deleted is gone, once', async () => {
    const { id } = await save(app, key)
    expect((await ask('delete', `/v1/calculations/${id}`)).body.data).toEqual({ id, deleted: true })
    for (const [method, path, body] of requestsFor(id)) {
      expect(await ask(method, path, body)).toMatchObject({
        status: 404,
        body: { code: 'calculation_not_found' },
      })
    }
  })

  test('an account takes its calculations along', async () => {
    const owner = await app.signUp('pro')
    await save(app, owner.key)
    const session = await signIn(app, owner)
    expect((await app.call('delete', '/v1/account', { session })).status).toBe(200)
    const db = databaseOf(app)
    for (const table of ['calculation', 'calculation_result'] as const) {
      const rows = await db.selectFrom(table).select('id').where('tag', '=', owner.tag).execute()
      expect([table, rows]).toEqual([table, []])
    }
  })
})

/** A table of numbers, which need no quotes. */
function rowsOf(csv: string): Readonly<Record<string, number>>[] {
  const [header = '', ...lines] = csv.split('\r\n')
  expect(lines.pop()).toBe('')
  const names = header.split(',')
  return lines.map((line) => {
    const cells = line.split(',').map(Number)
    expect(cells).toHaveLength(names.length)
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? NaN]))
  })
}
