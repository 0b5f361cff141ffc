import { endAll, launch, type Reply } from '@hearth/chassis/testing/service-process'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { tableName, tablesOf, tablesOfVersion } from '../src/data-tables.ts'
import { datasetKinds } from '../src/database.ts'
import { generatedLines, recallLines } from './import-files.ts'
import {
  fileWith,
  importFiles,
  installHold,
  inTheMiddle,
  openDeployment,
  signUp,
  type Deployment,
  type Hold,
} from './import-process.ts'

const path = '/v1/vehicles/aldera/corvane/2016?include=complaints'

let deployment: Deployment
let hold: Hold
let ask: (path: string) => Promise<Reply>
let seen: Reply[]
let isDone = false
let polling: Promise<void>
let neverServed: string[]

beforeAll(async () => {
  deployment = await openDeployment()
  const service = await deployment.start()
  hold = await installHold(deployment.database)
  neverServed = [...newComplaints(2), '--recalls', fileWith(recallLines(40), 'FLAT_RCL.txt')]
  expect(await importFiles(deployment.environment, ...newComplaints(1))).toMatchObject({ code: 0 })
  ask = await signUp(service, deployment.environment)
  while ((await ask(path)).body.meta.data_version !== 2) await sleep(50)
  seen = []
  polling = poll()
}, 120_000)
afterAll(async () => {
  isDone = true
  await polling
  await endAll()
  await deployment.database.close()
})

/** Asks all the time, whatever happens. */
async function poll(): Promise<void> {
  while (!isDone) {
    seen.push(await ask(path))
    await sleep(40)
  }
}

const points: readonly (readonly [string, string])[] = [
  ['before it reads', 'create table "complaint_'],
  ['while it reads', 'copy "complaint_'],
  ['in the middle of the rows', inTheMiddle],
  ['while it makes indexes', 'index on "complaint_.*category'],
  ['while it writes the issues that it has found', 'copy "issue_'],
  ['before it reads the recalls', 'create table "recall_'],
  ['while it reads the recalls', 'copy "recall_'],
  ['before it builds the version', 'create table "make_'],
  ['while it writes the categories', 'copy "category_'],
  ['while it writes the model years', 'copy "model_year_'],
  ['while it makes the last index', 'index on "category_'],
  ['when it has begun to publish', 'insert into dataset'],
  ['in the last moment before it is published', 'insert into data_version'],
]

test.each(points)(
  'an import that is killed %s leaves what was served',
  async (_, pattern) => {
    const [last, before] = [await lastVersion(), seen.length]
    await killAt(pattern, neverServed)

    expect(await lastVersion()).toBe(last)
    while (seen.length < before + 3) await sleep(20)
    const [expected, ...replies] = seen.slice(Math.max(0, before - 1))
    expect(expected?.body.meta.data_version).toBe(last)
    for (const { status, headers, body } of replies) {
      expect({ status, body }).toEqual({ status: 200, body: expected?.body })
      expect(headers.get('etag')).toBe(expected?.headers.get('etag'))
    }
  },
  90_000,
)

test('what the killed ones have left is dropped by the next one, which is published', async () => {
  const last = await lastVersion()
  await killAt('create table "make_', neverServed)
  const used = await usedTables()
  expect((await dataTables()).length).toBeGreaterThan(used.length)

  const { code, stdout } = await importFiles(deployment.environment, ...newComplaints(3))
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /\d+ tables of an import that was interrupted[^]*Published complaints as data version/,
    ),
  })
  await untilServed(last + 1)
  // Those of the version before stay for instances that have not noticed yet.
  expect(await dataTables()).toEqual(await usedTables())
}, 90_000)

test('an import that is killed when it has published is one that was published', async () => {
  const last = await lastVersion()
  const files = newComplaints(4)
  await importFiles(deployment.environment, ...newComplaints(5))
  await killAt('drop table', files)

  expect(await lastVersion()).toBe(last + 2)
  await untilServed(last + 2)
  const again = await importFiles(deployment.environment, ...files)
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already served') })
}, 90_000)

test('no answer failed all the while, and each is of the version that it names', async () => {
  const last = await lastVersion()
  expect(await importFiles(deployment.environment, ...newComplaints(6))).toMatchObject({ code: 0 })
  await untilServed(last + 1)

  expect(seen.filter(({ status }) => status !== 200)).toEqual([])
  const answers = Map.groupBy(seen, ({ body }) => body.meta.data_version as number)
  expect([...answers.keys()]).toEqual([...answers.keys()].toSorted((a, b) => a - b))
  expect(answers.size).toBeGreaterThan(1)
  for (const replies of answers.values()) {
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  }
  expect(new Set([...answers.values()].map(([reply]) => JSON.stringify(reply?.body.data))).size).toBe(
    answers.size,
  )
}, 90_000)

test('a service that is killed serves the same when it is started again', async () => {
  const other = await deployment.start()
  await other.stop('SIGKILL')
  const again = await deployment.start()
  expect(again.output()).toContain(`"dataVersion":${await lastVersion()}`)
  await again.stop()
}, 90_000)

async function killAt(pattern: string, files: readonly string[]): Promise<void> {
  await hold.at(pattern)
  const running = launch(['import', ...files], deployment.environment)
  await hold.untilReached(running)
  running.child.kill('SIGKILL')
  expect((await running.outcome).code).toBeNull()
  await hold.release()
  await hold.untilGone()
}

/** Options with a file of complaints that differs from all others in the model year that is asked for. */
function newComplaints(seed: number): string[] {
  return ['--allow-fewer', '--complaints', fileWith(generatedLines(1_200 + 40 * seed, seed))]
}

async function lastVersion(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select max(id) as id from data_version`.execute(
    deployment.database.db,
  )
  return rows[0]?.id ?? 0
}

async function dataTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = 'vehicle' and tablename ~ '_\\d+$'`.execute(deployment.database.db)
  return rows.map(({ name }) => name).toSorted()
}

/** The tables of the last two versions. */
async function usedTables(): Promise<string[]> {
  const { rows } = await sql<Record<string, number | null>>`
    select id, complaints_dataset as complaints, recalls_dataset as recalls, ratings_dataset as ratings,
      sales_dataset as sales
    from data_version order by id desc limit 2`.execute(deployment.database.db)
  const names = rows.flatMap((row) => [
    ...tablesOfVersion.map((table) => tableName(table, row['id'] ?? 0)),
    ...datasetKinds.flatMap((kind) => tablesOf[kind].map((table) => tableName(table, row[kind] ?? 0))),
  ])
  return [...new Set(names)].filter((name) => !name.endsWith('_0')).toSorted()
}

async function untilServed(version: number): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    if (seen.at(-1)?.body.meta?.data_version === version) return
    await sleep(40)
  }
  throw new Error(`Version ${version} was never served.`)
}
