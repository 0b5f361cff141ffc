import { sql } from 'kysely'
import { tablesOfVersion } from '../src/data-tables.ts'
import { generatedLines } from './import-files.ts'
import { openImporting, type Importing } from './importing.ts'

let importing: Importing

beforeEach(async () => {
  importing = await openImporting()
})
afterEach(() => importing.close())

const file = (seed: number) => importing.workshop.file(`${seed}.txt`, generatedLines(400, seed).join(''))
const publish = (seed: number) => importing.publish('--complaints', file(seed), '--allow-fewer')

/** Does something while tables are read, as a backup does: in a transaction that lasts. */
function whileRead<T>(tables: readonly string[], work: () => Promise<T>): Promise<T> {
  return importing.app.database.db.transaction().execute(async (backup) => {
    for (const table of tables) await sql`lock table ${sql.id(table)} in access share mode`.execute(backup)
    return work()
  })
}

test('tables of old versions that a backup reads are dropped by a later import', async () => {
  await publish(1)
  await publish(2)
  const old = (await importing.dataTables()).filter(
    (name) => name.endsWith('_1') && !name.startsWith('spelling'),
  )
  expect(old.length).toBeGreaterThan(5)

  await whileRead(old, () => publish(3))
  expect((await importing.get('/v1/datasets')).data.version.number).toBe(3)
  expect(await importing.dataTables()).toEqual(expect.arrayContaining(old))

  await publish(4)
  const left = await importing.dataTables()
  expect(left.filter((name) => old.includes(name))).toEqual([])
}, 120_000)

test('tables that an interrupted import has left, and whose names are needed, are told of', async () => {
  await publish(1)
  for (const table of tablesOfVersion) {
    await sql`create table ${sql.id(`${table}_2`)} (left_over integer)`.execute(importing.app.database.db)
  }
  const { code, stderr } = await whileRead(['model_2'], () => importing.run('--complaints', file(2)))
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/model_2, which an interrupted import has left, is being read.*Import again/),
  ])

  const again = await importing.run('--complaints', file(2))
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 tables of an import/) })
  expect((await importing.get('/v1/datasets')).data.version.number).toBe(2)
}, 60_000)
