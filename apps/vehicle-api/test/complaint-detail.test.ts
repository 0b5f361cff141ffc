import type { FixtureComplaint } from './fixture-data.ts'
import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

let app: VehicleApp
let key: string

beforeAll(async () => {
  app = await startVehicle({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp()).key
})
afterAll(() => app.close())

const ask = (id: string) => app.call('get', `/v1/complaints/${id}`, { key })

test('every complaint is answered with what was filed', async () => {
  const some = app.complaints.filter((_, at) => at % 9 === 0)
  for (const complaint of some) {
    const { status, body } = await ask(complaint.id)
    expect([status, body.data]).toEqual([200, expected(complaint)])
  }
  // The fixture has both kinds of each.
  expect(new Set(some.map(({ repair_cost }) => repair_cost === null)).size).toBe(2)
  expect(new Set(some.map(({ response }) => response === null)).size).toBe(2)
})

test('similar complaints are counted and named', async () => {
  expect((await ask('cmp_90000001')).body.data).toMatchObject({
    similar_complaints: 12,
    similar_complaint_ids: ['cmp_90000002', 'cmp_90000003'],
  })
  expect((await ask('cmp_90000002')).body.data).toMatchObject({
    similar_complaints: 0,
    similar_complaint_ids: [],
  })
})

test('ids in a list lead to the complaint', async () => {
  const { body } = await app.call('get', '/v1/complaints/ford/f-150/2017?sort=mileage_desc&limit=1', { key })
  const [listed] = body.data.complaints
  expect((await ask(listed.id)).body.data).toMatchObject(listed)
})

test('an unknown id is not found; of a known ODI number the ids are named', async () => {
  const { status, body } = await ask('cmp_89999999')
  expect([status, body.code, body.suggestions]).toEqual([404, 'complaint_not_found', undefined])
  expect((await ask('cmp_90000001-3')).body).toMatchObject({
    ...{ status: 404, success: false, code: 'complaint_not_found' },
    suggestions: ['cmp_90000001'],
  })
})

test.each(['90000001', 'cmp_', 'cmp_abc', 'CMP_90000001', 'cmp_99999999999', 'cmp_1%00', "cmp_1'--"])(
  'id %s is refused, because no id looks like it',
  async (id) => {
    const { status, body } = await ask(id)
    expect([status, body.errors[0]]).toMatchObject([400, { parameter: 'id', code: 'wrong_format' }])
    expect(body.detail).toContain('cmp_11512345')
  },
)

function expected(complaint: FixtureComplaint) {
  const { model, year, trim, odi, response, vin, repair_cost } = complaint
  const filed = Object.entries(complaint).filter(([name]) => !notShown.has(name))
  return {
    ...Object.fromEntries(filed),
    vehicle: { ...shownAs.get(model), year, trim },
    ...{ regulator_id: odi, nhtsa_id: odi, manufacturer_response: response, vin_prefix: vin },
    repair_cost: repair_cost ?? 0,
    similar_complaints: expect.any(Number),
    similar_complaint_ids: expect.any(Array),
  }
}

/** Columns that are not shown, or under other names. */
const notShown = new Set([
  'make',
  'model',
  'year',
  'trim',
  'odi',
  'response',
  'vin',
  'severity',
  'weight',
  'listed_on',
])

const shownAs = new Map(
  [
    ['corvane', 'Aldera', 'Corvane', 'aldera', 'corvane'],
    ['tessaro', 'Aldera', 'Tessaro', 'aldera', 'tessaro'],
    ['minnow', 'Aldera', 'Minnow', 'aldera', 'minnow'],
    ['rarissimo200', 'Aldera', 'Rarissimo-200', 'aldera', 'rarissimo-200'],
    ['silverado1500', 'Chevrolet', 'Silverado 1500', 'chevrolet', 'silverado-1500'],
    ['f150', 'Ford', 'F-150', 'ford', 'f-150'],
    ['cclass', 'Mercedes-Benz', 'C-Class', 'mercedes-benz', 'c-class'],
    ['golf', 'Volkswagen', 'Golf', 'volkswagen', 'golf'],
  ].map(([key, make, model, make_slug, model_slug]) => [key, { make, model, make_slug, model_slug }]),
)
