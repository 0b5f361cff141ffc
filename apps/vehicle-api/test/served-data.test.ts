import type { Database } from '@hearth/chassis/database'
import { openDatabase, waitUntilReady } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import { migrate } from '@hearth/chassis/migrate'
import { createDatabase, startPostgres } from '@hearth/infra/test-servers'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import supertest from 'supertest'
import { vehicleMigrations } from '../migrations/index.ts'
import type { VehicleTables } from '../src/database.ts'
import { dropUnused } from '../src/import/tables.ts'
import { categories } from '../src/model/category.ts'
import { openServedData } from '../src/served-data.ts'
import { fixtureComplaints } from './fixture-data.ts'
import { publishFixture, roomyPlans, startVehicle, type FixtureOptions, type VehicleApp } from './support.ts'

const opened: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

describe('while newer data are published', () => {
  test('every answer is made from one version, and none fails', async () => {
    const { app, ask } = await start({ pollMs: 5 })
    const seeds = [1]
    const seen = new Set<number>()
    let isDone = false
    const readers = Array.from({ length: 4 }, async () => {
      while (!isDone) {
        const { status, body } = await ask('/v1/vehicles/aldera/corvane/2018?include=complaints')
        expect(status).toBe(200)
        const version: number = body.meta.data_version
        seen.add(version)
        expect(summaryOf(body.data)).toEqual(expectedOf(seeds[version - 1] ?? 0))
      }
    })
    for (const seed of [2, 3, 4, 5]) {
      seeds.push(seed)
      await publishAndDrop(app, { seed })
    }
    for (const end = Date.now() + 15_000; !seen.has(5) && Date.now() < end;) await sleep(10)
    isDone = true
    await Promise.all(readers)
    expect(seen.has(5)).toBe(true)
    expect(seen.size).toBeGreaterThanOrEqual(2)
  }, 60_000)

  test('an instance that has not noticed answers from the newest, as its tables have gone', async () => {
    const { app, ask } = await start()
    await publishAndDrop(app, { seed: 2 })
    expect((await ask('/v1/complaints/aldera/corvane/2018')).body.meta.data_version).toBe(1)
    await publishAndDrop(app, { seed: 3 })
    await publishAndDrop(app, { seed: 4, without: ['recalls'] })

    const { status, body } = await ask('/v1/vehicles/aldera/corvane/2018?include=complaints')
    expect([status, body.meta.data_version]).toEqual([200, 4])
    expect(summaryOf(body.data)).toEqual(expectedOf(4))
    expect(body.data.recall_count).toBeNull()
  })

  test('what a client has is current until then, and no longer', async () => {
    const { app, ask } = await start()
    const path = '/v1/complaints/aldera/corvane/2018'
    const { headers } = await ask(path)
    const known = { 'If-None-Match': headers['etag'] ?? '' }
    expect((await ask(path, known)).status).toBe(304)

    await publishFixture(app.database, { seed: 1 })
    await app.data.refresh()

    const { status, headers: newer, body } = await ask(path, known)
    expect([status, body.meta.data_version]).toEqual([200, 2])
    expect(newer['etag']).not.toBe(headers['etag'])
  })

  test('a page is gone on from by its cursor', async () => {
    const { app, ask } = await start()
    const { body } = await ask('/v1/complaints/aldera/corvane/2018?limit=35')
    await publishAndDrop(app, { seed: 1 })
    await app.data.refresh()
    const { body: next } = await ask(
      `/v1/complaints/aldera/corvane/2018?limit=35&cursor=${body.meta.nextCursor}`,
    )
    const ids = [...body.data.complaints, ...next.data.complaints].map(({ id }: { id: string }) => id)
    expect([ids.length, new Set(ids).size, next.meta.hasMore]).toEqual([70, 70, false])
  })
})

test('the sample says so in every answer, also in CSV', async () => {
  const { app, ask } = await start({ fixture: { sample: true } })
  for (const path of everyPath) expect((await ask(path)).body.meta).toMatchObject({ sample: true })
  const { port } = app.server.address() as { port: number }
  const { key } = await app.signUp()
  const response = await fetch(`http://127.0.0.1:${port}/v1/complaints/aldera/corvane/2018?limit=1`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
  })
  const [header, line] = (await response.text()).split('\r\n')
  expect([header?.endsWith(',sample'), line?.endsWith(',true')]).toEqual([true, true])
})

test('real data are not called a sample, and say what they were made from', async () => {
  const { ask } = await start()
  for (const path of everyPath) {
    expect((await ask(path)).body.meta).toMatchObject({
      ...{ sample: false, data_version: 1, data_vintage: '2024-12-31' },
    })
  }
  const { body } = await ask('/v1/datasets')
  expect(body.data.version).toMatchObject({ number: 1, sample: false })
  expect((body.data.datasets as { kind: string }[]).map(({ kind }) => kind)).toEqual([
    ...['complaints', 'recalls', 'ratings', 'sales'],
  ])
  expect(body.data.datasets[0]).toMatchObject({
    ...{ source: 'complaints.txt', rows: 80, lines_read: 100, lines_taken: 90, lines_refused: 4 },
    vintage: { from: null, to: '2024-12-31' },
  })
})

test('before there are data, requests and probes are told to come back', async () => {
  const { app, ask } = await start({ fixture: null, pollMs: 20 })
  expect(await ask('/v1/vehicles')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { code: 'temporarily_unavailable', success: false },
  })
  expect((await supertest(app.server).get('/readyz')).status).toBe(503)

  await publishFixture(app.database)
  for (const end = Date.now() + 10_000; !app.data.isLoaded() && Date.now() < end;) await sleep(10)
  expect((await ask('/v1/vehicles')).status).toBe(200)
  expect((await supertest(app.server).get('/readyz')).status).toBe(200)
})

test('a fault in an answer is not tried again', async () => {
  const { app } = await start()
  let tries = 0
  await expect(
    app.data.read(async (_version, db) => {
      tries += 1
      await sql`select 1 / 0`.execute(db)
    }),
  ).rejects.toMatchObject({ code: '22012' })
  await expect(
    app.data.read(async (_version, db) => {
      tries += 1
      await sql`select * from no_table_of_any_version`.execute(db)
    }),
  ).rejects.toMatchObject({ code: '42P01' })
  expect(tries).toBe(2)
})

test('the last version stays while the database is away, and is followed again when it is back', async () => {
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } })
  opened.push(() => server.stop())
  const database = await openDatabase<VehicleTables>({
    ...{ url: await createDatabase(server.url), dataDir: '', schema: 'vehicle', log },
    queryTimeoutMs: 10_000,
  })
  opened.push(database.close)
  await migrate(database, [vehicleMigrations], log)
  const published = database as unknown as VehicleApp['database'] // the account tables are not looked at
  await publishFixture(published)
  const data = openServedData({ database, log, pollMs: 3_600_000 })
  opened.push(data.close)
  await data.refresh()

  await server.kill()
  await expect(data.refresh()).rejects.toThrow()
  expect(await data.read(async ({ catalogue }) => catalogue.makes.size)).toBe(5)

  await server.restart()
  await waitUntilReady(database, { deadlineMs: 15_000 })
  await publishFixture(published, { seed: 2 })
  await data.refresh()
  expect(await data.read(async ({ number }) => number)).toBe(2)
}, 40_000)

const log = createLogger({ level: 'silent', service: 'test' })

const everyPath = [
  '/v1/vehicles',
  '/v1/vehicles/aldera',
  '/v1/vehicles/aldera/corvane',
  '/v1/vehicles/aldera/corvane/2018',
  '/v1/statistics/aldera/corvane',
  '/v1/statistics/aldera/corvane/trends',
  '/v1/statistics/compare?vehicles=aldera/corvane/2018,aldera/tessaro/2018',
  '/v1/complaints/aldera/corvane/2018',
  '/v1/complaints/aldera/corvane/2018/categories',
  '/v1/complaints/cmp_90000001',
  '/v1/methodology',
  '/v1/datasets',
]

async function start(options: Pick<Parameters<typeof startVehicle>[0] & object, 'pollMs' | 'fixture'> = {}) {
  const app = await startVehicle({ log, plans: roomyPlans, settings: { burstPerSecond: 0 }, ...options })
  opened.push(app.close)
  const { key } = await app.signUp()
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    app.call('get', path, { key, headers })
  return { app, ask }
}

/** As an import does: the tables of the version before the last one go. */
async function publishAndDrop(app: VehicleApp, fixture: FixtureOptions): Promise<void> {
  await publishFixture(app.database, fixture)
  const database = app.database as unknown as Database<VehicleTables>
  await database.bulk(({ db }) => dropUnused(db))
}

/** What two tables of a version say, which must fit together. */
function summaryOf(data: {
  complaint_summary: { categories: Record<string, number> }
  complaints: readonly { id: string; mileage: number | null }[]
}) {
  return {
    counts: data.complaint_summary.categories,
    latest: data.complaints.map(({ id, mileage }) => [id, mileage]),
  }
}

function expectedOf(seed: number) {
  const own = fixtureComplaints(seed).filter(({ model, year }) => model === 'corvane' && year === 2018)
  const latest = own
    .toSorted((a, b) => (a.date_reported + a.id < b.date_reported + b.id ? 1 : -1))
    .slice(0, 10)
  return {
    counts: Object.fromEntries(
      categories.map((name) => [name, own.filter(({ category }) => category === name).length]),
    ),
    latest: latest.map(({ id, mileage }) => [id, mileage]),
  }
}
