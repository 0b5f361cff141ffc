import { createLogger } from '@hearth/chassis/logger'
import { indexRoutes, type MountedOperation } from '@hearth/chassis/routes'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Express } from 'express'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import supertest from 'supertest'
import { offerSample } from '../src/sample.ts'
import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

/*
 * The example answers of the API description are those of the sample. When an answer has changed on purpose, write them
 * anew: WRITE_EXAMPLES=1 node ../../infra/jest.ts example-answers
 */

const file = fileURLToPath(new URL('../data/example-answers.json', import.meta.url))

let app: VehicleApp
let operations: readonly MountedOperation[]

beforeAll(async () => {
  let express: Express | undefined
  const settings = { burstPerSecond: 0 }
  app = await startVehicle({
    ...{ fixture: null, plans: roomyPlans, settings, inspect: (made) => (express = made) },
  })
  const log = createLogger({ level: 'silent', service: 'test' })
  const end = await offerSample(app.database, log)
  end()
  await app.data.refresh()
  if (express === undefined) throw new Error('The app was not made.')
  operations = indexRoutes(express).operations.filter(({ access = 'metered' }) => access === 'metered')
}, 60_000)
afterAll(() => app.close())

test('the example of every answer is what the sample is answered with', async () => {
  const { key } = await app.signUp()
  const answers: Record<string, unknown> = {}
  for (const { id, method, path, examples = [] } of operations) {
    const { params = {}, query = {} } = examples.find(({ status }) => status === 200) ?? {}
    const target = path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '')
    const search = new URLSearchParams(query).toString()
    const { status, body } = await app.call(method, `${target}${search && '?'}${search}`, { key })
    expect([id, status]).toEqual([id, 200])
    answers[id] = shortened(body)
  }
  if (process.env['WRITE_EXAMPLES'] === '1') {
    writeFileSync(file, await format(JSON.stringify(answers), { parser: 'json', printWidth: 110 }))
  }
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(answers)
})

test('every example fits the schema that it stands beside', async () => {
  const { body: document } = await supertest(app.server).get('/openapi.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  for (const { id, method, path } of operations) {
    const { responses } = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method]
    const { schema, example } = responses['200'].content['application/json']
    const isValid = ajv.validate(schema, example)
    expect([id, ajv.errorsText(), isValid]).toEqual([id, 'No errors', true])
    expect(example).toMatchObject({ success: true, meta: { sample: true } })
  }
})

/** Lists of objects have their first two entries, and what is another time with every import is one of them. */
function shortened(value: unknown, name = ''): unknown {
  if (name === 'published_at' || name === 'imported_at') return '2025-01-01T00:00:00.000Z'
  if (Array.isArray(value)) {
    const isOfObjects = typeof value[0] === 'object'
    return (isOfObjects ? value.slice(0, 2) : value).map((entry) => shortened(entry))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shortened(field, key)]))
}
