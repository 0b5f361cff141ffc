import { indexRoutes, type MountedOperation } from '@hearth/chassis/routes'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Express } from 'express'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import supertest from 'supertest'
import type { TestApp } from './test-app.ts'

/** Where the example answers of a service come from. */
export type ExampleAnswersOptions = {
  /** Starts the service with the data of the examples, and shows the Express app that it serves. */
  readonly start: (inspect: (app: Express) => void) => Promise<TestApp>
  /** The JSON file of the answers by id of their operation. */
  readonly file: URL
  /** Who asks; the plan of a signup unless given. */
  readonly plan?: string
  /** The path parameters of a request that succeeds, where no example of the operation does. */
  readonly prepare?: (app: TestApp, key: string) => Promise<Readonly<Record<string, string>>>
  /** What takes the place of a value that is another one each time; the value itself where it is not. */
  readonly fixed: (name: string, value: unknown) => unknown
}

/**
 * Tests that the example answers in a service's API description are what it answers, with lists of objects cut to two
 * entries. When an answer has changed on purpose, write them anew, in the folder of the service:
 * `WRITE_EXAMPLES=1 node ../../infra/jest.ts example-answers`
 */
export function testExampleAnswers(options: ExampleAnswersOptions): void {
  const file = fileURLToPath(options.file)
  let app: TestApp
  let operations: readonly MountedOperation[]

  beforeAll(async () => {
    let express: Express | undefined
    app = await options.start((made) => (express = made))
    if (express === undefined) throw new Error('The app was not made.')
    operations = indexRoutes(express).operations.filter(isShown)
  }, 60_000)
  afterAll(() => app.close())

  test('the example of every answer is what the service answers', async () => {
    const { key } = await app.signUp(options.plan)
    const answers: Record<string, unknown> = {}
    for (const operation of operations) {
      const { status, body } = await ask(app, key, operation, options)
      expect([operation.id, status]).toEqual([operation.id, answeredStatus(operation)])
      answers[operation.id] = shown(body, '', options.fixed)
    }
    if (process.env['WRITE_EXAMPLES'] === '1') {
      writeFileSync(file, await format(JSON.stringify(answers), { parser: 'json', printWidth: 110 }))
    }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(answers)
  }, 60_000)

  test('every example fits the schema that it stands beside', async () => {
    const { body: document } = await supertest(app.server).get('/openapi.json')
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    expect(operations).not.toHaveLength(0)
    for (const operation of operations) {
      const { id, method, path } = operation
      const { responses } = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method]
      const { schema, example } = responses[answeredStatus(operation)].content['application/json']
      const isValid = ajv.validate(schema, example)
      expect([id, typeof example, ajv.errorsText(), isValid]).toEqual([id, 'object', 'No errors', true])
    }
  })
}

/** The operations that answer JSON, but for those about accounts, which every service has. */
function isShown(operation: MountedOperation): boolean {
  const { access = 'metered', path, responses } = operation
  const types = [responses[answeredStatus(operation)]?.mediaType ?? 'application/json'].flat()
  return path.startsWith('/v1/') && access === 'metered' && types.includes('application/json')
}

/** As the description chooses it: see OpenApiOptions. */
function answeredStatus({ examples = [], responses }: MountedOperation): number {
  return examples.find(({ status }) => status < 300)?.status ?? Number(Object.keys(responses)[0])
}

async function ask(
  app: TestApp,
  key: string,
  { method, path, examples = [] }: MountedOperation,
  { prepare }: ExampleAnswersOptions,
) {
  const good = examples.find(({ status }) => status < 300)
  const { query = {}, body } = good ?? examples[0] ?? {}
  const params = (good === undefined ? await prepare?.(app, key) : good.params) ?? {}
  const target = path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const search = new URLSearchParams(query).toString()
  return app.call(method, `${target}${search && '?'}${search}`, { key, body })
}

function shown(value: unknown, name: string, fixed: ExampleAnswersOptions['fixed']): unknown {
  if (Array.isArray(value)) {
    const isOfObjects = typeof value[0] === 'object' && !Array.isArray(value[0])
    return (isOfObjects ? value.slice(0, 2) : value).map((entry) => shown(entry, name, fixed))
  }
  if (typeof value !== 'object' || value === null) return fixed(name, value)
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shown(field, key, fixed)]))
}
