import type { TestApp } from '@hearth/account/testing/test-app'
import { accountProblems, operatorProblems } from '@hearth/account'
import { httpProblems } from '@hearth/chassis/errors'
import type { OpenApiDocument } from '@hearth/chassis/openapi'
import { indexRoutes, type MountedOperation } from '@hearth/chassis/routes'
import { faultsOfDescription } from '@hearth/chassis/testing/description'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Express } from 'express'
import fc from 'fast-check'
import { solarProblems } from '../src/problems.ts'
import { cannotBeShown, mutationsOf } from './body-mutations.ts'
import { openApiOf, operationsOf, signIn, type DocumentedOperation } from './operations.ts'
import { startSolar } from './support.ts'

let app: TestApp
let express: Express | undefined
let mounted: readonly MountedOperation[]
let document: OpenApiDocument
let operations: readonly DocumentedOperation[]

beforeAll(async () => {
  app = await startSolar({ settings: { signupsPerHour: 0 }, inspect: (made) => (express = made) })
  if (express === undefined) throw new Error('The app was not made.')
  mounted = indexRoutes(express).operations
  document = await openApiOf(app)
  operations = await operationsOf(app)
})
afterAll(() => app.close())

describe('/openapi.json', () => {
  test('describes OpenAPI 3.1 with a title, a version, a server, and tags that are used', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({
      title: expect.any(String),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    expect(document.servers).toEqual([{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1/) }])
    const declared = document.tags.map((tag) => (tag as { name: string }).name)
    const used = new Set(operations.flatMap(({ document: { tags = [] } }) => tags))
    expect(declared.toSorted()).toEqual([...used].toSorted())
  })

  test('has the closed list of problems, what any request can be answered with, and examples that fit', () => {
    const problems = { ...httpProblems, ...accountProblems, ...operatorProblems, ...solarProblems }
    expect(faultsOfDescription(document, Object.values(problems))).toEqual([])
  })

  test('names the headers that answers have', () => {
    const headersOf = (id: string, status: string) => {
      const { responses } = operations.find((one) => one.id === id)?.document ?? {}
      return Object.keys(responses?.[status]?.headers ?? {}).filter(
        (name) => !/RateLimit|Request-Id/.test(name),
      )
    }
    expect(headersOf('signUp', '201')).toEqual(['Location'])
    expect(headersOf('signUp', '409')).toEqual(['Retry-After'])
    expect(headersOf('saveCalculation', '201')).toEqual(['Location'])
    expect(headersOf('listCalculations', '200')).toEqual(['ETag', 'Link'])
    expect(headersOf('listCalculations', '304')).toEqual(['ETag'])
    expect(headersOf('getCashFlowCsv', '200')).toEqual(['ETag', 'Content-Disposition'])
    expect(headersOf('calculate', '401')).toEqual(['WWW-Authenticate'])
    expect(headersOf('calculate', '415')).toEqual(['Accept'])
    expect(headersOf('calculate', '429')).toEqual(['Retry-After'])
    expect(headersOf('getReadiness', '503')).toEqual(['Retry-After'])
    expect(document.components['responses']).toMatchObject({
      AnyRequest: { headers: { Allow: { required: false }, 'Retry-After': { required: false } } },
    })
  })

  test('refers only to what it contains', () => {
    const refs = collect(document, '$ref') as string[]
    expect(refs.length).toBeGreaterThan(100)
    expect([...new Set(refs)].filter((ref) => resolvePointer(document, ref) === undefined)).toEqual([])
  })

  test('gives every operation its own id, a summary, one tag, security and answers', () => {
    const ids = operations.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const incomplete = operations.filter(
      ({ id, document: { summary, tags, security, responses } }) =>
        !/^[a-z][A-Za-z]+$/.test(id) ||
        !summary ||
        tags?.length !== 1 ||
        !Array.isArray(security) ||
        !has2xx(responses),
    )
    expect(incomplete.map(({ id }) => id)).toEqual([])
  })

  test('declares every security scheme that it uses', () => {
    const used = operations.flatMap(({ document: { security } }) =>
      security.flatMap((entry) => Object.keys(entry)),
    )
    expect([...new Set(used)].toSorted()).toEqual(
      Object.keys(document.components['securitySchemes'] ?? {}).toSorted(),
    )
  })

  test('declares every path parameter, each as required, and no other', () => {
    for (const {
      template,
      document: { parameters },
    } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(template.match(/\{\w+\}/g) ?? [])
      expect(inPath.every(({ required }) => required)).toBe(true)
    }
  })

  test('has only schemas that compile, with descriptions for all fields of requests', () => {
    const ajv = newAjv()
    for (const {
      id,
      document: { requestBody, parameters },
    } of operations) {
      for (const { schema } of parameters) ajv.compile(schema)
      const schema = requestBody?.content['application/json']?.schema as
        { properties: Record<string, { description?: string }> } | undefined
      if (schema === undefined) continue
      ajv.compile(schema)
      const undescribed = Object.entries(schema.properties).filter(([, { description }]) => !description)
      expect([id, undescribed.map(([name]) => name)]).toEqual([id, []])
    }
  })

  test('documents exactly the routes that Express has', () => {
    const routes = (express?.router.stack ?? []).flatMap(({ route }) =>
      route === undefined
        ? []
        : route.stack.map(({ method }) => `${method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`),
    )
    // Middleware before an endpoint is on its route too.
    expect([...new Set(routes)].toSorted()).toEqual(
      operations.map(({ method, template }) => `${method} ${template}`).toSorted(),
    )
  })
})

describe('examples', () => {
  test('every operation that takes a body shows one', () => {
    const without = operations.filter(
      ({ document: { requestBody } }) =>
        requestBody !== undefined &&
        Object.keys(requestBody.content['application/json']?.examples ?? {}).length === 0,
    )
    expect(without.map(({ id }) => id)).toEqual([])
  })

  test('every example, sent as it is, is answered with its status', async () => {
    const inOrder = mounted.toSorted((a, b) => Number(b.id === 'signUp') - Number(a.id === 'signUp'))
    const answers: string[] = []
    const expected: string[] = []
    for (const { id, method, path, access = 'metered', examples = [] } of inOrder) {
      for (const { name, status, body, params = {}, query = {} } of examples) {
        const owner = await app.signUp('pro')
        const credentials =
          access === 'public'
            ? {}
            : access === 'session'
              ? { session: await signIn(app, owner) }
              : { key: owner.key }
        const target = path.replaceAll(/:(\w+)/g, (_, parameter: string) => params[parameter] ?? '')
        const search = new URLSearchParams(query).toString()
        const sent = { ...credentials, ...(body !== undefined && { body }) }
        const { status: given } = await app.call(method, search === '' ? target : `${target}?${search}`, sent)
        answers.push(`${id}, ${name}: ${given}`)
        expected.push(`${id}, ${name}: ${status}`)
      }
    }
    expect(expected.length).toBeGreaterThanOrEqual(7)
    expect(answers).toEqual(expected)
  })
})

describe('the schema that checks and the schema that is shown', () => {
  test.each([
    ['calculate', 3000],
    ['monteCarlo', 3000],
    ['compareScenarios', 3000],
    ['analyseSensitivity', 3000],
    ['saveCalculation', 3000],
    ['renameCalculation', 300],
    ['signUp', 600],
    ['signIn', 300],
    ['createKey', 600],
    ['changePassword', 300],
  ])('%s: agree on %i bodies made from valid ones', (id, numRuns) => {
    const { body: joi, examples = [] } = mounted.find((operation) => operation.id === id) ?? {}
    if (joi === undefined) throw new Error(`${id} has no body.`)
    const shown = operations.find((operation) => operation.id === id)?.document.requestBody
    const ajv: ValidateFunction = newAjv().compile(shown?.content['application/json']?.schema ?? {})
    const seen = { accepted: 0, refused: 0 }
    const valid = examples.filter(({ status }) => status !== 400).map((example) => example.body as object)
    fc.assert(
      fc.property(mutationsOf(valid), (body) => {
        fc.pre(!cannotBeShown(id, body))
        const accepted = joi.validate(body, { convert: false }).error === undefined
        seen[accepted ? 'accepted' : 'refused'] += 1
        expect({ body, accepted: ajv(body) }).toEqual({ body, accepted })
      }),
      { numRuns },
    )
    // A generator that only makes one kind would show nothing. The rarer kind is 4.8 % at least, give or take 0.5.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(numRuns / 50)
  })

  test('every operation that takes a body is among those compared', () => {
    const compared = [
      ...['analyseSensitivity', 'calculate', 'changePassword', 'compareScenarios', 'createKey'],
      ...['monteCarlo', 'renameCalculation', 'saveCalculation', 'signIn', 'signUp'],
    ]
    expect(
      operations
        .filter(({ hasBody }) => hasBody)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(compared)
  })
})

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  return ajv
}

function has2xx(responses: object): boolean {
  return Object.keys(responses).some((status) => /^2\d\d$/.test(status))
}

/** All values of a member, at any depth. */
function collect(value: unknown, member: string): unknown[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === member ? [inner] : collect(inner, member),
  )
}

function resolvePointer(root: unknown, ref: string): unknown {
  const steps = ref
    .replace(/^#\//, '')
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
