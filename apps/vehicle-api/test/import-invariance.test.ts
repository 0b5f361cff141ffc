import { seededRandom } from '@hearth/infra/seeded-random'
import { sql } from 'kysely'
import { servedTables, type TableNames } from './import-tables.ts'
import { generatedLines, wave } from './import-files.ts'
import { openImporting, type Importing } from './importing.ts'

const lines = generatedLines(16_000)

let importing: Importing
let answers: Answers
let tables: TableNames

beforeAll(async () => {
  importing = await openImporting()
  await importing.publish('--complaints', importing.workshop.file('FLAT_CMPL.txt', lines.join('')))
  answers = await answersOf(importing)
  tables = await servedTables(importing.app)
}, 120_000)
afterAll(() => importing.close())

const variants: readonly (readonly [string, () => readonly string[]])[] = [
  ['in any other order', () => [shuffled(lines, 5).join('')]],
  ['with every row twice, one behind the other', () => [lines.map((line) => line + line).join('')]],
  ['in two files with every row in both', () => [lines.join(''), lines.toReversed().join('')]],
  [
    'in two files that part a complaint',
    () => [lines.filter((_, at) => at % 2 === 0).join(''), lines.filter((_, at) => at % 2 === 1).join('')],
  ],
]

test.each(variants)(
  'the same rows %s make the same tables and the same answers',
  async (name, make) => {
    const files = make().map((text, at) => importing.workshop.file(`${name.slice(0, 20)}-${at}.txt`, text))
    await importing.publish(...files.flatMap((file) => ['--complaints', file]))

    const now = await servedTables(importing.app)
    expect(await differences(importing, tables, now)).toEqual({})
    expect(await answersOf(importing)).toEqual(answers)
    tables = now
  },
  180_000,
)

test('the comparison sees one row that is not the same', async () => {
  const { db } = importing.app.database
  await sql`create table other as table ${sql.id(tables['category'] ?? '')}`.execute(db)
  await sql`update other set complaints = complaints + 1
    where ctid = (select min(ctid) from other)`.execute(db)
  expect(await differences(importing, tables, { ...tables, category: 'other' })).toEqual({ category: 2 })
})

/** How many rows each table has that the other one has not; tables that agree are left out. */
async function differences(
  { app }: Importing,
  before: TableNames,
  after: TableNames,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  expect(Object.keys(after)).toEqual(Object.keys(before))
  for (const [table, name] of Object.entries(before)) {
    const [one, other] = [sql.id(name), sql.id(after[table] ?? '')]
    const { rows } = await sql<{ different: number; rows: number }>`
      select (select count(*) from ${one}) as rows, count(*) as different from (
        (select one::text from ${one} as one except all select other::text from ${other} as other)
        union all
        (select other::text from ${other} as other except all select one::text from ${one} as one)
      ) as difference`.execute(app.database.db)
    expect(rows[0]?.rows).toBeGreaterThan(0)
    if (rows[0]?.different !== 0) found[table] = rows[0]?.different ?? NaN
  }
  return found
}

type Answers = Record<string, unknown>

const vehicle = wave.vehicle
const paths = [
  ...['', '/aldera', '/aldera/corvane', `/${vehicle}?include=complaints`].map(
    (path) => `/v1/vehicles${path}`,
  ),
  ...['/aldera/corvane', '/aldera/corvane/trends', '/okumi/senka'].map((path) => `/v1/statistics${path}`),
  `/v1/statistics/compare?vehicles=${vehicle},okumi/senka/2018,aldera/pinnock-1500/2012`,
  ...['date_desc', 'date_asc', 'mileage_desc', 'mileage_asc'].map(
    (sort) => `/v1/complaints/${vehicle}?limit=100&page=2&sort=${sort}`,
  ),
  `/v1/complaints/${vehicle}/categories`,
  `/v1/complaints/cmp_20000001`,
  '/v1/methodology',
]

async function answersOf({ get }: Importing): Promise<Answers> {
  const found: Answers = {}
  for (const path of paths) found[path] = (await get(path)).data
  return found
}

/** Fisher and Yates. */
function shuffled(values: readonly string[], seed: number): string[] {
  const random = seededRandom(seed)
  const all = [...values]
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[all[at], all[other]] = [all[other] ?? '', all[at] ?? '']
  }
  return all
}
