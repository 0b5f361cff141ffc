import { complaintLine } from './complaint-lines.ts'
import { openImporting, type Importing } from './importing.ts'

let importing: Importing

/** Complaints of two vehicles about two components: five of them name what the engine cost, four the steering. */
const lines = [
  ...[400, 500, 600, 700, 800].map((cost) => costing(cost, 'ENGINE')),
  ...[100, 200, 300, 400].map((cost) => costing(cost, 'STEERING')),
  ...['ENGINE', 'STEERING', 'STEERING', 'STEERING'].map((component) => ({ component, model: 'BORVO' })),
].map((columns, index) =>
  complaintLine({ ...columns, cmplid: String(index + 1), odi: String(11_000_001 + index) }),
)

function costing(cost: number, component: string) {
  return { component, narrative: `I PAID $${cost}.00 TO HAVE IT REPAIRED.` }
}

beforeAll(async () => {
  importing = await openImporting()
  const file = importing.workshop.file('complaints.txt', lines.join(''))
  await importing.publish('--complaints', file, '--max-empty', '100')
}, 60_000)
afterAll(() => importing.close())

test('a repair cost is estimated where five complaints of the category name an amount, and not from fewer', async () => {
  const { data } = await importing.get('/v1/complaints/corvane/borvo/2018/categories')
  const categories = data.categories as Record<string, unknown>[]
  const costs = categories
    .filter(({ count }) => count !== 0)
    .map(({ name, avg_repair_cost: cost, repair_cost_estimated: estimated }) => [name, cost, estimated])
  expect(costs.toSorted()).toEqual([
    ['engine', 600, true],
    ['steering', null, false],
  ])
})

test('nor is the cost of an issue', async () => {
  const { data } = await importing.get('/v1/vehicles/corvane/borvo/2018')
  expect(data.common_issues).toMatchObject([{ category: 'steering', avg_repair_cost: null }])
})
