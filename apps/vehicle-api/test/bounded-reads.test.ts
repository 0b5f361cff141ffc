import { CompiledQuery, type Kysely } from 'kysely'
import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

/*
 * That a read looks up what it answers, however many complaints there are: what its statements examine is counted by
 * Postgres itself. The plans are those for any parameters, which connections keep for prepared statements.
 */

const times = 60
const plans: PlanNode[] = []
let app: VehicleApp
let key: string

beforeAll(async () => {
  const settings = { burstPerSecond: 0 }
  app = await startVehicle({ plans: roomyPlans, settings, fixture: { times }, reads: (db) => explained(db) })
  key = (await app.signUp()).key
}, 120_000)
afterAll(() => app.close())

const ofModelYear = 70 * times
const list = '/v1/complaints/aldera/corvane/2018'

describe('a page of complaints examines little more than it shows', () => {
  test.each([
    [''],
    ['limit=100'],
    ['page=3'],
    ['sort=date_asc'],
    ['category=engine'],
    ['category=engine&sort=mileage_asc'],
    ['sort=mileage_desc&page=2'],
    ['sort=mileage_asc&min_mileage=20000&max_mileage=30000'],
    ['sort=mileage_desc&category=brakes&max_mileage=30000'],
  ])('%s', async (search) => {
    const { limit, data } = await ask(`${list}?${search}`)
    const page = Number(new URLSearchParams(search).get('page') ?? 1)
    expect(data.complaints).toHaveLength(limit)
    expect(examined()).toBeLessThan((page + 1) * limit + 30)
  })

  test.each(['date_desc', 'mileage_asc'])('after a cursor, sorted by %s', async (sort) => {
    const { meta } = await ask(`${list}?sort=${sort}&page=100`)
    plans.length = 0
    await ask(`${list}?sort=${sort}&cursor=${meta.nextCursor}`)
    expect(examined()).toBeLessThan(2 * 20 + 30)
  })

  test.each([
    ['date_desc', 100],
    ['date_asc', 100],
    // Complaints without a mileage are found among those by date; here 60 neighbours have one or have none.
    ['mileage_desc', 300],
    ['mileage_asc', 300],
  ])('at the end as much as at the start, sorted by %s', async (sort, most) => {
    const { data } = await ask(`${list}?sort=${sort}&page=${ofModelYear / 20}`)
    expect(data.complaints).toHaveLength(20)
    expect(examined()).toBeLessThan(most)
  })

  test('in the middle what lies between it and the nearer end', async () => {
    for (const page of [30, ofModelYear / 20 - 30]) {
      await ask(`${list}?page=${page}`)
      expect(examined()).toBeLessThan(32 * 20 + 60)
      plans.length = 0
    }
  })

  test('by date of a span of mileages at most the entries of the model year in an index', async () => {
    await ask(`${list}?min_mileage=59000`)
    expect(examined()).toBeLessThan(ofModelYear + 60)
  })
})

test.each([
  ['/v1/statistics/aldera/corvane', 50],
  ['/v1/statistics/aldera/corvane?year_from=2015&year_to=2018', 50],
  ['/v1/statistics/aldera/corvane/trends', 5],
  ['/v1/statistics/compare?vehicles=aldera/corvane/2018,vw/golf/2017,ford/f-150/2017', 50],
  ['/v1/vehicles/aldera/corvane', 100],
  ['/v1/vehicles/aldera/corvane/2018', 20],
  ['/v1/vehicles/aldera/corvane/2018?include=complaints,recalls,ratings', 60],
  [`${list}/categories`, 20],
  ['/v1/complaints/cmp_90000001-7', 5],
])('%s examines at most %i rows', async (path, most) => {
  await ask(path)
  expect(examined()).toBeLessThanOrEqual(most)
})

async function ask(path: string) {
  plans.length = 0
  const { status, body } = await app.call('get', path, { key })
  expect(status).toBe(200)
  expect(plans.length).toBeGreaterThan(0)
  return { data: body.data, meta: body.meta, limit: body.meta.limit as number }
}

/** Rows of tables and entries of indexes that all statements since the last request have looked at. */
function examined(): number {
  return plans.reduce((sum, plan) => sum + examinedBy(plan), 0)
}

function examinedBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + examinedBy(child), 0)
  if (!node['Node Type'].endsWith('Scan') || node['Relation Name'] === undefined) return below
  const perLoop =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return below + perLoop * node['Actual Loops']
}

/** A node of `explain (format json)`. */
type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The database, which notes the plan of each statement with parameters before it runs it. */
function explained(db: Kysely<unknown>): Kysely<unknown> {
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== 'executeQuery') return typeof value === 'function' ? value.bind(target) : value
      return async (query: CompiledQuery) => {
        if (query.parameters.length > 0) plans.push(await planOf(target, query))
        return target.executeQuery(query)
      }
    },
  })
}

function planOf(db: Kysely<unknown>, { sql, parameters }: CompiledQuery): Promise<PlanNode> {
  return db.connection().execute(async (connection) => {
    const run = (text: string) => connection.executeQuery<Explained>(CompiledQuery.raw(text))
    // Tables with few rows are scanned, which says nothing about larger ones.
    await run('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
    await run(`prepare looked_at as ${sql}`)
    try {
      const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
      const { rows } = await run(`explain (analyze, format json) execute looked_at${values}`)
      const [plan] = rows[0]?.['QUERY PLAN'] ?? []
      if (plan === undefined) throw new Error('Postgres has no plan.')
      return plan.Plan
    } finally {
      await run('deallocate looked_at; reset plan_cache_mode; reset enable_seqscan')
    }
  })
}

type Explained = { readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const text = Array.isArray(value) ? `{${value.join()}}` : String(value)
  return `'${text.replaceAll("'", "''")}'`
}
