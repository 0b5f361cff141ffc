import { createLogger } from '@hearth/chassis/logger'
import { openDatabase, waitUntilReady } from '@hearth/chassis/database'
import { migrate } from '@hearth/chassis/migrate'
import { createDatabase, startPostgres } from '@hearth/infra/test-servers'
import { sql, type Kysely } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { wildfireMigrations } from '../migrations/index.ts'
import { openCountyData } from '../src/county-data.ts'
import { publish } from '../src/publish.ts'
import { loadShippedData } from '../src/shipped-data.ts'

const log = createLogger({ level: 'silent', service: 'test' })
const opened: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

test('a snapshot is replaced as a whole when another data version is published', async () => {
  const { database, data } = await open()
  await data.refresh()
  const before = data.snapshot()
  await publishRanks(database.db, '2027-01-01')

  expect(data.snapshot()).toBe(before)
  await data.refresh()

  const after = data.snapshot()
  expect([before.version, after.version]).toEqual([1, 2])
  expect([before.counties.get('06061')?.hazard.score, after.counties.get('06061')?.hazard.score]).toEqual([
    97.7, 50,
  ])
  expect(after.counties.get('06057')?.hazard.score).toBeNull()
  expect(after.releases.wrc).toBe('2027-01-01')
})

test('it is kept while nothing is published, and looked after by itself', async () => {
  const { database, data } = await open({ pollMs: 20 })
  for (const end = Date.now() + 10_000; !data.isLoaded() && Date.now() < end;) await sleep(10)
  const first = data.snapshot()
  await sleep(100)
  expect(data.snapshot()).toBe(first)

  await publishRanks(database.db, '2027-01-01')
  for (const end = Date.now() + 10_000; data.snapshot() === first && Date.now() < end;) await sleep(10)
  expect(data.snapshot().version).toBe(2)
})

test('before the first one is loaded, requests are told to come back', async () => {
  const { data } = await open()
  expect(data.isLoaded()).toBe(false)
  expect(() => data.snapshot()).toThrow(/not loaded yet/)
})

test('it is served while the database is away, and followed again when it is back', async () => {
  // The servers of tests may lose their last commits when they are killed; this one may not.
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } })
  opened.push(() => server.stop())
  const { database, data } = await open({ url: await createDatabase(server.url) })
  await data.refresh()

  await server.kill()
  await expect(data.refresh()).rejects.toThrow()
  expect(data.snapshot().counties.size).toBe(3233)

  await server.restart()
  await waitUntilReady(database, { deadlineMs: 15_000 })
  await publishRanks(database.db, '2027-01-01')
  await data.refresh()
  expect(data.snapshot().version).toBe(2)
}, 40_000)

test('loading the shipped data again changes nothing, and never replaces a newer release', async () => {
  const { database, data } = await open()
  await loadShippedData(database.db)
  await publishRanks(database.db, '2027-01-01')
  await loadShippedData(database.db)
  await data.refresh()

  expect(data.snapshot()).toMatchObject({ version: 2, releases: { wrc: '2027-01-01' } })
})

test('of each source, the rows of the release before are kept, older ones go', async () => {
  const { database } = await open()
  for (const release of ['2027-01-01', '2028-01-01', '2029-01-01']) await publishRanks(database.db, release)

  const { rows } = await sql<{ release: string; rows: number }>`
    select release, (select count(*) from wrc_county where dataset = dataset.id) as rows
    from dataset order by id`.execute(database.db)
  expect(rows.map(({ rows: count }) => count)).toEqual([0, 0, 1, 1])
})

async function open({ url, pollMs = 3_600_000 }: { url?: string; pollMs?: number } = {}) {
  const database = await openDatabase({
    url: url ?? (await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')),
    ...{ dataDir: '', schema: 'wildfire', log, queryTimeoutMs: 10_000 },
  })
  opened.push(database.close)
  await migrate(database, [wildfireMigrations], log)
  const data = openCountyData({ database, log, pollMs })
  opened.push(data.close)
  return { database, data }
}

/** Publishes a table that has Placer County in the middle and nothing else. */
function publishRanks(db: Kysely<unknown>, release: string): Promise<number> {
  const rows = [{ code: '06061', risk_national_rank: 0.5 }]
  const table = { kind: 'wrc' as const, release, source: 'test', sha256: release, licence: 'none', rows }
  return db.transaction().execute((trx) => publish(trx, [table]))
}
