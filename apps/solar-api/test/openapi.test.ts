import type { TestApp } from '@hearth/account/testing/test-app'
import type { OpenApiDocument } from '@hearth/chassis/openapi'
import { indexRoutes, type MountedOperation } from '@hearth/chassis/routes'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Express } from 'express'
import fc from 'fast-check'
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
    expect(routes.toSorted()).toEqual(
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
        const owner = await app.signUp()
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
    fc.assert(
      fc.property(mutationsOf(examples.map((example) => example.body as object)), (body) => {
        fc.pre(!cannotBeShown(id, body))
        const accepted = joi.validate(body, { convert: false }).error === undefined
        seen[accepted ? 'accepted' : 'refused'] += 1
        expect({ body, accepted: ajv(body) }).toEqual({ body, accepted })
      }),
      { numRuns },
    )
    // A generator that only makes one kind would show nothing.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(numRuns / 25)
  })

  test('every operation that takes a body is among those compared', () => {
    const compared = ['calculate', 'changePassword', 'createKey', 'signIn', 'signUp']
    expect(
      operations
        .filter(({ hasBody }) => hasBody)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(compared)
  })
})

/**
 * What JSON Schema cannot say: names without control characters that are not blank, the form of e-mail addresses,
 * ISO 8601 dates in forms that RFC 3339 lacks, and lengths of texts beyond the basic plane (joi counts UTF-16 units).
 */
function cannotBeShown(id: string, body: unknown): boolean {
  const texts = collectTexts(body)
  if (texts.some((text) => /[\u{10000}-\u{10FFFF}]/u.test(text))) return true
  if (id === 'calculate' || !isObject(body)) return false
  const { name, email, expiresAt } = body
  const isOddName = typeof name === 'string' && (name.trim() === '' || /[\p{Cc}\p{Cs}]/u.test(name))
  const isOddAddress = typeof email === 'string' && !/^[\w.]+@example\.com$/.test(email)
  const isOddDate = typeof expiresAt === 'string'
  return isOddName || isOddAddress || isOddDate
}

/** Valid bodies with one to three changes: other values, missing fields, unknown fields, changes inside objects. */
function mutationsOf(bodies: readonly object[]): fc.Arbitrary<unknown> {
  const optional = {
    ...{ systemSizeKW: 6, panelWatts: 430, taxCreditCap: null, loan: {}, inverterReplacementYears: [12, 24] },
    ...{
      analysisYears: 20,
      degradationRate: 0.01,
      discountRate: 0.05,
      include: ['cashFlow'],
      maxSystemSizeKW: 9,
    },
  }
  const isCalculation = bodies.some((body) => 'utilityRate' in body)
  const start = fc.constantFrom(...bodies, ...(isCalculation ? [{ ...bodies[0], ...optional }] : []))
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown>(...edges) },
    { weight: isCalculation ? 1 : 5, arbitrary: fc.constantFrom(...texts) },
    { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
  )
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('set', 'set', 'set', 'inside', 'delete', 'add'),
    value,
  })
  const changes = fc.array(change, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { weight: 30, arbitrary: fc.tuple(start, changes).map(([body, list]) => list.reduce(apply, body)) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
}

const texts = [
  ...['ann@example.com', 'bob.b@example.com', 'production', 'a long password', 'x', ''],
  ...['x'.repeat(200), 'x'.repeat(201), 'x'.repeat(1024), 'x'.repeat(1025)],
]

const edges = [
  ...[
    null,
    true,
    '',
    '5',
    'free',
    [],
    {},
    [1],
    [1, 1],
    [0],
    ['cashFlow'],
    [null],
    { apr: 0.05 },
    { apr: null },
  ],
  ...[
    -1, -0.99, -0.5, -0.500001, 0, 1e-9, 0.5, 0.9, 0.900001, 1, 1.000001, 2, 3, 4, 12, 26, 27, 50, 51, 52,
    1.5,
  ],
  ...[10, 10.000001, 100, 1000, 2000, 3000, 3000.001, 10_000, 1e6, 1e9, 1e12, 1e13, 2 ** 53, 1e300, -0],
]

function apply(body: object, { at, how, value }: { at: number; how: string; value: unknown }): object {
  const names = Object.keys(body)
  const name = names[at % Math.max(1, names.length)]
  if (how === 'add' || name === undefined) return { ...body, [`extra${at % 3}`]: value }
  if (how === 'delete') return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
  const old: unknown = body[name as keyof typeof body]
  const inner =
    how === 'inside' && isObject(old) && !Array.isArray(old) ? { ...old, ...insideLoan(at, value) } : value
  return { ...body, [name]: inner }
}

function insideLoan(at: number, value: unknown): object {
  const names = ['fraction', 'apr', 'termYears', 'paymentsPerYear', 'feeRate', 'interestTaxRate', 'years']
  return { [names[at % names.length] ?? '']: value }
}

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

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...collectTexts(inner)])
    : []
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
