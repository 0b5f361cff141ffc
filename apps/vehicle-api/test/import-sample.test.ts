import {
  endAll,
  freePorts,
  launch,
  newDirectory,
  runProcess,
  send,
  startProcess,
} from '@hearth/chassis/testing/service-process'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { complaintLine } from './complaint-lines.ts'
import {
  fileWith,
  importFiles,
  installHold,
  openDeployment,
  signUp,
  type Deployment,
} from './import-process.ts'

let deployment: Deployment

beforeEach(async () => {
  deployment = await openDeployment()
})
afterEach(async () => {
  await endAll()
  await deployment.database.close()
})

/** How often something was published, and how many complaint tables there are. */
async function published() {
  const { rows } = await sql<{ versions: number; tables: number }>`
    select (select count(*) from data_version) as versions,
      (select count(*) from pg_tables where tablename ~ '^complaint_\\d+$' and schemaname = current_schema()) as tables`.execute(
    deployment.database.db,
  )
  return rows[0]
}

test('instances that start at once on an empty database serve the sample, which one of them loads', async () => {
  const services = await Promise.all([1, 2, 3].map(() => deployment.start()))
  const ask = await signUp(services[0] ?? fail(), deployment.environment)
  expect(await published()).toEqual({ versions: 1, tables: 1 })
  expect((await ask('/v1/vehicles')).body.meta).toMatchObject({ sample: true, data_version: 1, total: 4 })
  const loaded = services.filter((service) => service.output().includes('generated sample data are served'))
  expect(loaded.length).toBe(1)
}, 120_000)

test('an instance that can write nowhere but to its database serves the sample', async () => {
  const nowhere = { TMPDIR: '/dev/null/nowhere', DATA_DIR: '/dev/null/nowhere' }
  const service = await startProcess({ ...deployment.environment, ...nowhere, ...(await freePorts()) })
  const ask = await signUp(service, deployment.environment)
  expect((await ask('/v1/vehicles')).body.meta).toMatchObject({ sample: true, total: 4 })
}, 60_000)

test('an instance that is killed while it loads the sample leaves that to another one', async () => {
  await runProcess(['migrate'], deployment.environment, 60_000)
  const hold = await installHold(deployment.database)
  await hold.at('copy "issue_')
  const first = launch([], { ...deployment.environment, DATA_DIR: newDirectory(), ...(await freePorts()) })
  await hold.untilReached(first)
  const second = await startProcess({
    ...deployment.environment,
    DATA_DIR: newDirectory(),
    ...(await freePorts()),
  })
  expect((await send(`${second.baseUrl}/readyz`)).status).toBe(503)

  first.child.kill('SIGKILL')
  await hold.release()
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    await sleep(100)
    if ((await send(`${second.baseUrl}/readyz`)).status === 200) break
  }
  const ask = await signUp(second, deployment.environment)
  expect((await ask('/v1/vehicles')).body.meta).toMatchObject({ sample: true, data_version: 1 })
  expect(await published()).toEqual({ versions: 1, tables: 1 })
}, 120_000)

test('an instance that starts before the migrations loads the sample after them', async () => {
  const environment = { ...deployment.environment, MIGRATE_ON_START: 'false' }
  const service = await startProcess({ ...environment, DATA_DIR: newDirectory(), ...(await freePorts()) })
  expect((await send(`${service.baseUrl}/readyz`)).status).toBe(503)

  expect(await runProcess(['migrate'], environment, 60_000)).toMatchObject({ code: 0 })
  for (const end = Date.now() + 40_000; Date.now() < end;) {
    await sleep(100)
    if ((await send(`${service.baseUrl}/readyz`)).status === 200) break
  }
  const ask = await signUp(service, environment)
  expect((await ask('/v1/vehicles')).body.meta).toMatchObject({ sample: true, data_version: 1 })
}, 120_000)

test('real data take the place of the sample in running instances, and are not taken for it', async () => {
  const service = await deployment.start()
  const ask = await signUp(service, deployment.environment)
  const before = await ask('/v1/vehicles')
  const lines = Array.from({ length: 40 }, (_, at) => {
    return complaintLine({ odi: String(11_000_000 + at), narrative: `The hose leaked on day ${at}.` })
  })
  expect(await importFiles(deployment.environment, '--complaints', fileWith(lines))).toMatchObject({
    code: 0,
  })

  let now = before
  for (const end = Date.now() + 20_000; now.body.meta.sample && Date.now() < end;) {
    await sleep(50)
    now = await ask('/v1/vehicles')
  }
  expect(now.body).toMatchObject({
    data: { makes: [{ name: 'Corvane', model_count: 1 }] },
    meta: { sample: false, data_version: 2, total: 1 },
  })
  expect(now.headers.get('etag')).not.toBe(before.headers.get('etag'))
  expect((await ask('/v1/vehicles/aldera')).status).toBe(404)

  await service.stop()
  const again = await deployment.start()
  expect(again.output()).toContain('"dataVersion":2,"sample":false')
  expect(await published()).toMatchObject({ versions: 2 })
}, 120_000)

function fail(): never {
  throw new Error('There is no instance.')
}
