import {
  endAll,
  freePorts,
  launch,
  newDirectory,
  runProcess,
  send,
  startProcess,
  untilStatus,
  type Environment,
  type ServiceProcess,
} from '@hearth/chassis/testing/service-process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { complaintLine } from './complaint-lines.ts'
import { generatedLines } from './import-files.ts'
import { fileWith } from './import-process.ts'

afterEach(endAll)

/** Complaints about a make that the sample does not have. */
const real = Array.from({ length: 60 }, (_, at) =>
  complaintLine({ odi: String(11_000_000 + at), narrative: `The hose leaked on day ${at}.` }),
)

const sampleMakes = ['Aldera', 'Castellan', 'Norrvik', 'Okumi']

test('the sample says so in every answer, and is gone for good when real data are imported', async () => {
  const environment = { DATA_DIR: newDirectory(), ...(await freePorts()), BURST_PER_SECOND: '0' }
  const service = await startReady(environment)
  const { get, key } = await signUp(service)
  for (const path of samplePaths) expect([path, (await get(path)).meta.sample]).toEqual([path, true])
  expect((await get('/v1/datasets')).data.version).toMatchObject({ number: 1, sample: true })
  expect(makesIn(await get('/v1/vehicles'))).toEqual(sampleMakes)
  expect((await get('/v1/vehicles/aldera/corvane/2016?include=recalls,ratings')).data).toMatchObject({
    ...{ recall_count: 1, exposure_basis: 'sales', ratings: expect.any(Object) },
  })
  expect(await csvOf(service, key)).toMatch(/,sample\r\n(?:[^\n]*,true\r\n)+$/)

  const command = ['import', '--complaints', fileWith(real), '--report', join(newDirectory(), 'report.csv')]
  expect(await runProcess(command, environment, 60_000)).toMatchObject({
    ...{
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('stop the service, import, and start it again'),
    },
  })
  expect(makesIn(await get('/v1/vehicles'))).toEqual(sampleMakes)
  expect(await service.stop()).toBe(0)

  expect(await runProcess(command, environment, 60_000)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /Published complaints as data version 2 .*\. The service serves it when it is started\./,
    ),
  })
  for (let restart = 0; restart < 2; restart++) {
    const again = await startReady(environment)
    const own = clientOf(again, key)
    const makes = await own('/v1/vehicles')
    expect([makesIn(makes), makes.meta]).toMatchObject([['Corvane'], { sample: false, data_version: 2 }])
    expect((await own('/v1/datasets')).data).toMatchObject({
      version: { number: 2, sample: false },
      datasets: [{ kind: 'complaints', sample: false, rows: 60 }],
    })
    const missing = await send(`${again.baseUrl}/v1/vehicles/okumi`, { headers: bearer(key) })
    expect([missing.status, missing.body.code]).toEqual([404, 'vehicle_not_found'])
    expect(await csvOf(again, key, 'corvane/aldera/2018')).not.toContain('sample')
    expect(again.output()).not.toContain('generated sample data')
    expect(await again.stop()).toBe(0)
  }
}, 240_000)

test.each([
  ['before the sample is read', 'vehicle/001_data_versions'],
  ['when its complaints are there', '"complaints: '],
])(
  'a start that is killed %s leaves the next one to load it',
  async (_, sign) => {
    const environment = { DATA_DIR: newDirectory(), ...(await freePorts()), LOG_LEVEL: 'debug' }
    const { child, outcome, output } = launch([], environment)
    await untilWritten(output, sign)
    child.kill('SIGKILL')
    expect((await outcome).code).toBeNull()
    expect(output()).not.toContain('generated sample data are served')

    const service = await startReady(environment)
    const { get } = await signUp(service)
    const makes = await get('/v1/vehicles')
    expect([makesIn(makes), makes.meta]).toMatchObject([sampleMakes, { sample: true, data_version: 1 }])
  },
  180_000,
)

test('an import that is killed leaves the embedded database as it was', async () => {
  const environment = { DATA_DIR: newDirectory(), ...(await freePorts()) }
  const complaints = fileWith(real)
  expect(await runProcess(['import', '--complaints', complaints], environment, 60_000)).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('as data version 1') },
  })
  const more = ['--complaints', fileWith([...real, ...generatedLines(2_500)])]
  for (const sign of ['making indexes', 'looking for common issues']) {
    const { child, outcome, output } = launch(['import', ...more], environment)
    await untilWritten(output, sign)
    child.kill('SIGKILL')
    expect([(await outcome).code, output()]).toEqual([null, expect.not.stringContaining('Published')])
  }
  const service = await startReady(environment)
  const { get } = await signUp(service)
  expect((await get('/v1/vehicles/corvane/aldera')).data.total_complaints).toBe(60)
  expect(await service.stop()).toBe(0)

  expect(await runProcess(['import', ...more], environment, 60_000)).toMatchObject({
    ...{ code: 0, stdout: expect.stringMatching(/interrupted[^]*as data version 2/) },
  })
}, 240_000)

const samplePaths = [
  '/v1/vehicles',
  '/v1/vehicles/aldera',
  '/v1/vehicles/aldera/corvane',
  '/v1/vehicles/aldera/corvane/2016?include=complaints,recalls,ratings',
  '/v1/statistics/aldera/corvane',
  '/v1/statistics/aldera/corvane/trends',
  '/v1/statistics/compare?vehicles=aldera/corvane/2016,okumi/senka/2015',
  '/v1/complaints/aldera/corvane/2016',
  '/v1/complaints/aldera/corvane/2016/categories',
  '/v1/complaints/cmp_90000001',
  '/v1/methodology',
  '/v1/datasets',
]

async function untilWritten(output: () => string, sign: string): Promise<void> {
  for (const end = Date.now() + 60_000; !output().includes(sign) && Date.now() < end;) await sleep(2)
  expect(output()).toContain(sign)
}

async function startReady(environment: Environment): Promise<ServiceProcess> {
  const service = await startProcess(environment)
  await untilStatus(`${service.baseUrl}/readyz`, 200, 60_000)
  return service
}

type Body = { data: any; meta: any } // eslint-disable-line @typescript-eslint/no-explicit-any -- whatever the service says

async function signUp(
  service: ServiceProcess,
): Promise<{ get: (path: string) => Promise<Body>; key: string }> {
  const account = { name: 'Ann', email: 'ann@example.com', password: 'a long password of mine' }
  const { body } = await send(`${service.baseUrl}/v1/signup`, { body: account })
  const key: string = body.data.apiKey
  return { key, get: clientOf(service, key) }
}

function clientOf(service: ServiceProcess, key: string): (path: string) => Promise<Body> {
  return async (path) => {
    const { status, body } = await send(`${service.baseUrl}${path}`, { headers: bearer(key) })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body as Body
  }
}

function bearer(key: string) {
  return { Authorization: `Bearer ${key}` }
}

async function csvOf(service: ServiceProcess, key: string, vehicle = 'aldera/corvane/2016'): Promise<string> {
  const headers = { ...bearer(key), Accept: 'text/csv' }
  return (await send(`${service.baseUrl}/v1/complaints/${vehicle}?limit=5`, { headers })).body as string
}

function makesIn({ data }: Body): string[] {
  return (data.makes as { name: string }[]).map(({ name }) => name)
}
