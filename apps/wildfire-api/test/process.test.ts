import { openDatabase, type Database } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import { createDatabase } from '@hearth/infra/test-servers'
import { sql } from 'kysely'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nriCsv, nriRows } from './nri-file.ts'
import {
  endAll,
  freePorts,
  launch,
  newDirectory,
  newSecret,
  runProcess,
  send,
  startProcess,
  untilStatus,
  type ServiceProcess,
} from '@hearth/chassis/testing/service-process'

const table = nriCsv(nriRows())
const opened: { close: () => Promise<void> }[] = []

afterEach(async () => {
  await endAll()
  for (const one of opened.splice(0)) await one.close()
})

test('three processes that start at once on an empty database load the shipped data once', async () => {
  const { environment, database } = await onPostgres()
  const services = await Promise.all(
    [1, 2, 3].map(async () => startProcess({ ...environment, ...(await instance()) })),
  )

  for (const service of services) await untilStatus(`${service.baseUrl}/readyz`, 200)
  const key = await signUp(services[0])
  const stats = await sql<{ counties: number; ranks: number; versions: number }>`
    select (select count(*) from county) as counties, (select count(*) from wrc_county) as ranks,
      (select count(*) from data_version) as versions`.execute(database.db)

  expect(stats.rows).toEqual([{ counties: 3233, ranks: 3143, versions: 1 }])
  const { status, body } = await ask(services[1], key)
  expect([status, body.data.hazard.score]).toEqual([200, 97.7])
}, 60_000)

test('running instances serve an import within seconds, all of them, without a restart', async () => {
  const { environment } = await onPostgres()
  const first = await startProcess({ ...environment, ...(await instance()) })
  const second = await startProcess({ ...environment, ...(await instance()) })
  await untilStatus(`${second.baseUrl}/readyz`, 200)
  const key = await signUp(first)

  const outcome = await runProcess(['import', '--nri', fileWith(table)], environment)
  expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('as data version 2') })

  const account = { EMAIL: 'ann@example.com' }
  await runProcess(['account', 'set-plan', account.EMAIL, 'pro'], { ...environment, ...portsOf(first) })
  for (const service of [first, second]) await untilVersion(service, key, 2)
}, 60_000)

describe('an import that is killed', () => {
  test('while its file arrives, leaves what was served, and can be repeated at once', async () => {
    const { environment, database } = await onPostgres()
    await runProcess(['migrate'], environment)
    const { url, asked, release } = await slowServer(table)

    const { child, outcome } = launch(['import', '--nri', url], environment)
    await asked
    child.kill('SIGKILL')
    expect((await outcome).code).toBeNull()

    expect(await versionOf(database)).toEqual({ version: 1, nri: null })
    release()
    await untilImported(['import', '--nri', fileWith(table)], environment)
    expect(await versionOf(database)).toEqual({ version: 2, nri: expect.any(Number) })
  }, 60_000)

  test('in the middle of its transaction, leaves what was served, and can be repeated', async () => {
    const { environment, database } = await onPostgres()
    await runProcess(['migrate'], environment)
    const path = fileWith(table)

    // The import has stored its dataset and waits for the table of the counties.
    const { child, outcome } = await database.db.transaction().execute(async (trx) => {
      await sql`lock table nri_county in access exclusive mode`.execute(trx)
      const started = launch(['import', '--nri', path], { ...environment })
      await untilWaiting(database, started)
      started.child.kill('SIGKILL')
      return started
    })
    expect([child.killed, (await outcome).code]).toEqual([true, null])

    await untilImported(['import', '--nri', path], environment)
    const { rows } = await sql<{ datasets: number; rows: number }>`
      select (select count(*) from dataset where kind = 'nri') as datasets, count(*) as rows from nri_county`.execute(
      database.db,
    )
    expect(rows).toEqual([{ datasets: 1, rows: 3222 }])
  }, 60_000)
})

test('of two imports at once, the second is told to wait, and the first is published', async () => {
  const { environment, database } = await onPostgres()
  await runProcess(['migrate'], environment)
  const { url, asked, release } = await slowServer(table)

  const first = launch(['import', '--nri', url], environment)
  await asked
  const second = await runProcess(['import', '--nri', fileWith(table)], {
    ...environment,
    DATA_DIR: newDirectory(),
  })
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another import into this database is under way'),
  })
  release()

  expect(await first.outcome).toMatchObject({ code: 0 })
  expect(await versionOf(database)).toEqual({ version: 2, nri: expect.any(Number) })
}, 60_000)

test('an import into a database that is not migrated is refused where starting does not migrate', async () => {
  const { environment } = await onPostgres()

  const outcome = await runProcess(['import', '--nri', fileWith(table)], {
    ...environment,
    MIGRATE_ON_START: 'false',
  })

  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('run the migrate command') })
})

test('paths start where npm was called, and the report may not take the place of the file', async () => {
  const { environment } = await onPostgres()
  const directory = dirname(fileWith(table))
  const asNpm = { ...environment, npm_lifecycle_event: 'import', INIT_CWD: directory }
  const importTo = (report: string, variables: Readonly<Record<string, string>>) =>
    runProcess(['import', '--nri', 'NRI_Table_Counties.csv', '--report', report], variables)

  expect(await importTo('./NRI_Table_Counties.csv', asNpm)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('would take the place of the file') },
  })
  const notByNpm = { ...asNpm, npm_lifecycle_event: 'test', DATA_DIR: newDirectory() }
  expect(await importTo(join(newDirectory(), 'report.csv'), notByNpm)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('NRI_Table_Counties.csv cannot be read') },
  })
  expect(await importTo('mine.csv', asNpm)).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('as data version 2') },
  })
  expect(existsSync(join(directory, 'mine.csv'))).toBe(true)
}, 60_000)

test('an import says when the database is away', async () => {
  const environment = { DATA_DIR: newDirectory(), DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' }

  const outcome = await runProcess(['import', '--nri', fileWith(table)], environment)

  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('still served') })
})

test('on the embedded database an import asks for the service to be stopped, and works when it is', async () => {
  const environment = { DATA_DIR: newDirectory(), ...(await freePorts()) }
  const service = await startProcess(environment)
  await untilStatus(`${service.baseUrl}/readyz`, 200)
  const key = await signUp(service)
  const command = ['import', '--nri', fileWith(table), '--report', join(newDirectory(), 'report.csv')]

  const refused = await runProcess(command, environment, 60_000)
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('stop the service, import, and start it again'),
  })
  expect((await send(`${service.baseUrl}/readyz`)).status).toBe(200)
  expect(await service.stop()).toBe(0)

  expect(await runProcess(command, environment, 60_000)).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('The service serves it when it is started.') },
  })
  const again = await startProcess(environment)
  await untilStatus(`${again.baseUrl}/readyz`, 200)
  const { body } = await ask(again, key)
  expect(body.data).toMatchObject({ nri: { rating: 'Relatively Low' }, dataVintage: { dataVersion: 2 } })
}, 150_000)

async function onPostgres() {
  const url = await createDatabase(process.env['TEST_DATABASE_URL'] ?? '')
  const log = createLogger({ level: 'silent', service: 'test' })
  const database = await openDatabase({ url, dataDir: '', schema: 'wildfire', log, queryTimeoutMs: 10_000 })
  opened.push(database)
  const secrets = { KEY_PEPPER: newSecret(), JWT_SECRET: newSecret(), OPERATOR_TOKEN: newSecret() }
  return {
    database,
    environment: { DATABASE_URL: url, DATA_DIR: newDirectory(), SHUTDOWN_DEADLINE_MS: '2000', ...secrets },
  }
}

async function instance() {
  return { DATA_DIR: newDirectory(), ...(await freePorts()) }
}

function portsOf({ baseUrl, internalUrl }: ServiceProcess) {
  return { PORT: new URL(baseUrl).port, INTERNAL_PORT: new URL(internalUrl).port }
}

function fileWith(text: string): string {
  const path = join(newDirectory(), 'NRI_Table_Counties.csv')
  writeFileSync(path, text)
  return path
}

/** Sends half of a text, then the rest when it is released. */
async function slowServer(text: string) {
  const responses: ServerResponse[] = []
  const first = Promise.withResolvers<undefined>()
  const server: Server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Length': Buffer.byteLength(text) })
    res.write(text.slice(0, text.length / 2), () => {
      first.resolve(undefined)
    })
    responses.push(res)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  opened.push({
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => {
          done()
        })
      }),
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  const release = () => responses.forEach((res) => res.end(text.slice(text.length / 2)))
  return { url: `http://127.0.0.1:${port}/NRI_Table_Counties.csv`, asked: first.promise, release }
}

async function versionOf({ db }: Database<unknown>) {
  const { rows } = await sql<{ version: number; nri: number | null }>`
    select id as version, nri_dataset as nri from data_version order by id desc limit 1`.execute(db)
  return rows[0]
}

async function untilWaiting(
  { db }: Database<unknown>,
  { output }: Pick<ReturnType<typeof launch>, 'output'>,
) {
  const end = Date.now() + 15_000
  while (Date.now() < end) {
    await sleep(20)
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into "nri_county"%'`.execute(
      db,
    )
    if (rows.length > 0) return
  }
  throw new Error(`The import did not come to its transaction: ${output()}`)
}

/** A killed import holds its turn until Postgres has noticed. */
async function untilImported(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const end = Date.now() + 20_000
  while (Date.now() < end) {
    await sleep(100)
    const { code, stderr } = await runProcess(args, environment)
    if (code === 0) return
    expect(stderr).toContain('under way')
  }
  throw new Error('The import was never let in.')
}

async function untilVersion(service: ServiceProcess, key: string, version: number) {
  const end = Date.now() + 15_000
  while (Date.now() < end) {
    await sleep(100)
    const { status, body } = await ask(service, key)
    expect({ status, body }).toMatchObject({ status: 200 })
    if (body.data.dataVintage.dataVersion === version) return
  }
  throw new Error(`Data version ${version} was never served.`)
}

async function signUp(service: ServiceProcess | undefined): Promise<string> {
  const body = { name: 'Ann', email: 'ann@example.com', password: newSecret() }
  const reply = await send(`${service?.baseUrl ?? ''}/v1/signup`, { body })
  expect(reply).toMatchObject({ status: 201 })
  return reply.body.data.apiKey
}

function ask(service: ServiceProcess | undefined, key: string) {
  return send(`${service?.baseUrl ?? ''}/v1/risk/county/06061`, { headers: { 'X-API-Key': key } })
}
