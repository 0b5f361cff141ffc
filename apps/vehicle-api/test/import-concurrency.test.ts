import { endAll, launch, runProcess, untilStatus, type Reply } from '@hearth/chassis/testing/service-process'
import { startPostgres, type TestServer } from '@hearth/infra/test-servers'
import { sql } from 'kysely'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { complaintLine } from './complaint-lines.ts'
import { generatedLines, readLine } from './import-files.ts'
import {
  fileWith,
  importFiles,
  installHold,
  inTheMiddle,
  openDeployment,
  signUp,
  type Deployment,
} from './import-process.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  await endAll()
  for (const close of opened.splice(0)) await close()
})

async function open(server?: TestServer): Promise<Deployment> {
  const deployment = await openDeployment(server?.url)
  opened.unshift(() => deployment.database.close())
  return deployment
}

test('of two imports at once the second is told to wait, and spoils nothing of the first', async () => {
  const { database, environment } = await open()
  await runProcess(['migrate'], environment, 60_000)
  const hold = await installHold(database)
  const tyres = complaintLine({ odi: '9', product: 'T' })
  const complaints = fileWith([tyres, ...generatedLines(600)])

  await hold.at('create table "make_')
  const first = launch(['import', '--complaints', complaints], environment)
  await hold.untilReached(first)
  const second = await runProcess(
    ['import', '--complaints', fileWith(generatedLines(500, 3))],
    environment,
    60_000,
  )
  await hold.release()

  expect(second).toMatchObject({
    ...{
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/Another import .* is under way.*Nothing was changed/),
    },
  })
  expect(await first.outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('as data version 1') })
  expect(readFileSync(join(environment['DATA_DIR'] ?? '', 'import-report.csv'), 'utf8')).toBe(
    'table,line,vehicle,kind,reason\r\ncomplaints,1,CORVANE ALDERA 2018,left out,"It is about tyres, not a vehicle."\r\n',
  )
  const { rows } = await sql<{ n: number }>`select count(*) as n from data_version`.execute(database.db)
  expect(rows).toEqual([{ n: 1 }])
}, 120_000)

test('while three versions are published one after another, no answer fails or mixes two of them', async () => {
  const { environment, start } = await open()
  const files = [1, 2, 3, 4].map((seed) => generatedLines(900 + 60 * seed, seed))
  await importFiles(environment, '--complaints', fileWith(files[0] ?? []))
  const service = await start()
  const ask = await signUp(service, environment)
  const seen: (Reply & { readonly path: string })[] = []
  let isDone = false
  const readers = paths.map(async (path) => {
    while (!isDone) {
      seen.push({ path, ...(await ask(path)) })
      await sleep(25)
    }
  })

  for (const [at, lines] of files.slice(1).entries()) {
    const options = ['--complaints', fileWith(lines), '--allow-fewer']
    expect(await importFiles(environment, ...options)).toMatchObject({ code: 0 })
    for (const end = Date.now() + 20_000; seen.at(-1)?.body.meta.data_version !== at + 2;) {
      await sleep(20)
      expect(Date.now()).toBeLessThan(end)
    }
  }
  isDone = true
  await Promise.all(readers)

  expect(seen.filter(({ status }) => status !== 200)).toEqual([])
  const told = seen.map(({ path, body, headers }) => {
    const version = body.meta.data_version as number
    return { path, version, data: JSON.stringify(body.data), etag: headers.get('etag') ?? '' }
  })
  expect([...new Set(told.map(({ version }) => version))].toSorted()).toEqual([1, 2, 3, 4])
  for (const own of Map.groupBy(told, ({ path }) => path).values()) {
    const versions = own.map(({ version }) => version)
    expect(versions).toEqual(versions.toSorted())
    // One text and one tag for each version, and no tag for two.
    const answers = new Set(own.map(({ version, data, etag }) => `${version} ${etag} ${data}`))
    const tags = new Set(own.map(({ etag }) => etag))
    expect([answers.size, tags.size]).toEqual([new Set(versions).size, new Set(versions).size])
  }
  for (const { path, body } of seen.filter((reply) => reply.path === paths[0])) {
    const { total, latest } = expectedOf(files[body.meta.data_version - 1] ?? [])
    expect([path, body.data.complaint_summary.total]).toEqual([path, total])
    expect((body.data.complaints as { id: string }[]).map(({ id }) => id)).toEqual(latest)
  }
}, 180_000)

const vehicle = 'aldera/corvane/2016'
const paths = [
  `/v1/vehicles/${vehicle}?include=complaints`,
  `/v1/complaints/${vehicle}?limit=50`,
  `/v1/statistics/compare?vehicles=${vehicle},okumi/senka/2015`,
]

/** What a file says about the vehicle. */
function expectedOf(lines: readonly string[]): { total: number; latest: string[] } {
  const own = lines.map(readLine).filter(({ make, model, year }) => {
    return `${make}/${model}/${year}`.replace(' HYBRID', '') === vehicle.toUpperCase()
  })
  const complaints = [...new Map(own.map(({ odi, received }) => [odi, received]))]
  const newest = complaints.toSorted(([a, on], [b, other]) => (`${on} ${a}` < `${other} ${b}` ? 1 : -1))
  return { total: complaints.length, latest: newest.slice(0, 10).map(([odi]) => `cmp_${odi}`) }
}

test('a Postgres that crashes ends an import with a sentence, and changes nothing that is served', async () => {
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } })
  opened.push(() => server.stop())
  const { database, environment, start } = await open(server)
  await importFiles(environment, '--complaints', fileWith(generatedLines(700)))
  const service = await start()
  const ask = await signUp(service, environment)
  const before = (await ask(paths[0] ?? '')).body
  const newer = ['--complaints', fileWith(generatedLines(800, 3))]
  const hold = await installHold(database)

  for (const point of [
    inTheMiddle,
    'copy "similar_',
    'index on "issue_',
    'copy "model_',
    'insert into data_version',
  ]) {
    await hold.at(point)
    const running = launch(['import', ...newer], environment)
    await hold.untilReached(running)
    await server.kill()
    expect({ point, ...(await running.outcome) }).toMatchObject({
      ...{ point, code: 1, stderr: expect.stringMatching(sentence) },
    })
    await server.restart()
    await untilStatus(`${service.baseUrl}/readyz`, 200, 30_000)
    await hold.release()
    expect((await ask(paths[0] ?? '')).body).toEqual(before)
  }

  expect(await importFiles(environment, ...newer)).toMatchObject({
    ...{ code: 0, stdout: expect.stringMatching(/interrupted[^]*as data version 2/) },
  })
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    await sleep(50)
    if ((await ask(paths[0] ?? '')).body.meta.data_version === 2) return
  }
  throw new Error('Version 2 was never served.')
}, 180_000)

/** The last line, after the progress: no stack follows. */
const sentence =
  /(?:^|\n)The database did not take it: [^\n]*\. What was served before is still served; import again\.\n$/
