import { endAll, send } from '@hearth/chassis/testing/service-process'
import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import supertest from 'supertest'
import { columns, indexes, tableShape } from '../src/data-tables.ts'
import { dropUnused } from '../src/import/tables.ts'
import { generatedLines, recallLines } from './import-files.ts'
import { openDeployment, signUp } from './import-process.ts'
import { openImporting, type Importing } from './importing.ts'

let importing: Importing | undefined

afterEach(async () => {
  await importing?.close()
  importing = undefined
  await endAll()
})

/** Makes published versions those of other code, in all versions or in one. */
async function reshape({ app }: Importing, shape: number | null, version?: number): Promise<void> {
  await sql`update data_version set shape = ${shape} where id = coalesce(${version ?? null}, id)`.execute(
    app.database.db,
  )
}

async function open(): Promise<{ importing: Importing; complaints: string; recalls: string }> {
  importing = await openImporting()
  const { workshop } = importing
  const complaints = workshop.file('complaints.txt', generatedLines(800).join(''))
  const recalls = workshop.file('recalls.txt', recallLines(20).join(''))
  await importing.publish('--complaints', complaints, '--recalls', recalls)
  return { importing, complaints, recalls }
}

async function ask({ app }: Importing) {
  const { key } = await app.signUp()
  return app.call('get', '/v1/vehicles', { key })
}

test('the number is raised with the tables', () => {
  const tables = Object.entries(columns).map(([name, definition]) => [name, definition.toOperationNode()])
  const shape = createHash('sha256')
    .update(JSON.stringify([tables, indexes]))
    .digest('hex')
    .slice(0, 16)
  // When this fails: raise tableShape unless tables of before can still be read, and write down the new pair.
  expect([tableShape, shape]).toEqual([1, '3c21fb6460df61cf'])
})

test.each([
  ['another shape', tableShape + 1],
  ['no number, as before there were any', null],
])(
  'data of %s are not served, and say how they come back',
  async (_, shape) => {
    const { importing: it, complaints, recalls } = await open()
    await reshape(it, shape)
    await it.app.data.refresh()

    expect(await ask(it)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: {
        code: 'temporarily_unavailable',
        detail: expect.stringMatching(/another version of this service.*npm run import.*--complaints FILE/),
      },
    })
    const { status, body } = await supertest(it.app.server).get('/readyz')
    expect([status, body]).toEqual([503, { status: 'unavailable', checks: { importedData: 'failed' } }])

    await it.publish('--complaints', complaints, '--recalls', recalls)
    expect((await ask(it)).body.meta).toMatchObject({ data_version: 2, sample: false })
    expect((await supertest(it.app.server).get('/readyz')).status).toBe(200)
  },
  60_000,
)

test('a kind that cannot be taken over is not left out unnoticed', async () => {
  const { importing: it, complaints, recalls } = await open()
  await reshape(it, null)

  const without = await it.run('--complaints', complaints)
  expect(without).toMatchObject({
    ...{ code: 1, stderr: expect.stringMatching(/Give --recalls \(it was recalls\.txt\).*--allow-fewer/) },
  })
  expect(await it.run('--recalls', recalls, '--allow-fewer')).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('Give --complaints (it was complaints.txt)') },
  })
  await it.publish('--complaints', complaints, '--allow-fewer')
  expect((await it.get('/v1/datasets')).data.datasets).toHaveLength(1)
}, 60_000)

test('an instance goes on with its version while newer instances get theirs, until the import after that', async () => {
  const { importing: it, complaints, recalls } = await open()
  // The newer instance's import.
  await it.publish('--complaints', complaints, '--recalls', recalls, '--sales', sales(it))
  await reshape(it, tableShape + 1, 2)
  await it.app.data.refresh()
  expect((await ask(it)).body.meta).toMatchObject({ data_version: 1 })

  await dropUnused(it.app.database.db)
  expect((await ask(it)).body.meta).toMatchObject({ data_version: 1 })

  await it.run('--complaints', complaints, '--recalls', recalls, '--allow-fewer')
  await reshape(it, tableShape + 1, 3)
  await it.app.data.refresh()
  expect((await ask(it)).status).toBe(503)
}, 60_000)

test('a sample of another shape is made anew, as nobody has to import it', async () => {
  const deployment = await openDeployment()
  const first = await deployment.start()
  const get = await signUp(first, deployment.environment)
  expect((await get('/v1/vehicles')).body.meta).toMatchObject({ sample: true, data_version: 1 })
  await first.stop()
  await sql`update data_version set shape = null`.execute(deployment.database.db)

  const second = await deployment.start()
  const { body } = await send(`${second.baseUrl}/readyz`)
  expect(body).toMatchObject({ status: 'ok' })
  expect(second.output()).toContain('"dataVersion":2,"sample":true')
  await deployment.database.close()
}, 120_000)

function sales({ workshop }: Importing): string {
  return workshop.file('sales.csv', 'make,model,year,units\nAldera,Corvane,2016,90000\n')
}
