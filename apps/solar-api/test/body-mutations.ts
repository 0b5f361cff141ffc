import fc from 'fast-check'

/**
 * What JSON Schema cannot say: names without control characters that are not blank, the form of e-mail addresses,
 * ISO 8601 dates in forms that RFC 3339 lacks, lengths of texts beyond the basic plane (joi counts UTF-16 units),
 * entries of a list that differ in one field, and a field whose form depends on another one.
 */
export function cannotBeShown(id: string, body: unknown): boolean {
  const texts = collectTexts(body)
  if (texts.some((text) => /[\u{10000}-\u{10FFFF}]/u.test(text))) return true
  if (['calculate', 'monteCarlo'].includes(id) || !isObject(body)) return false
  if (id === 'compareScenarios') return areOddNames(valuesOf(body['scenarios'], 'name'))
  if (id === 'analyseSensitivity') return hasDuplicates(valuesOf(body['vary'], 'input'))
  if (id === 'saveCalculation' && isOfOtherKind(body)) return true
  const { name, email, expiresAt } = body
  const isOddName = areOddNames([name])
  const isOddAddress = typeof email === 'string' && !/^[\w.]+@example\.com$/.test(email)
  const isOddDate = typeof expiresAt === 'string'
  return isOddName || isOddAddress || isOddDate
}

function areOddNames(names: readonly unknown[]): boolean {
  const trimmed = names.filter((name) => typeof name === 'string').map((name) => name.trim())
  return hasDuplicates(trimmed) || trimmed.some((name) => name === '') || names.some(hasControls)
}

function hasControls(name: unknown): boolean {
  return typeof name === 'string' && /[\p{Cc}\p{Cs}]/u.test(name)
}

function hasDuplicates(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length
}

/** What the entries of a list, if it is one, have under a name. */
function valuesOf(list: unknown, name: string): unknown[] {
  return Array.isArray(list)
    ? list.flatMap((item) => (isObject(item) && name in item ? [item[name]] : []))
    : []
}

/** An input that would be one of the other kind. */
function isOfOtherKind({ kind, input }: Readonly<Record<string, unknown>>): boolean {
  return isObject(input) && (kind === 'monteCarlo' ? 'include' in input : 'simulation' in input)
}

/** Valid bodies with one to three changes: other values, missing fields, unknown fields, changes inside objects. */
export function mutationsOf(bodies: readonly object[]): fc.Arbitrary<unknown> {
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
    how: fc.constantFrom('set', 'set', 'set', 'inside', 'inside', 'delete', 'add'),
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
  return { ...body, [name]: how === 'inside' ? changeInside(name, old, at, value) : value }
}

/** Changes a field of an object, or of one object of a list; what is neither is replaced. */
function changeInside(name: string, old: unknown, at: number, value: unknown): unknown {
  if (!isObject(old)) return value
  if (name === 'loan') return { ...old, ...insideLoan(at, value) }
  const how = at % 5 === 0 ? 'delete' : 'set'
  if (!Array.isArray(old)) return apply(old, { at, how, value })
  const list: readonly unknown[] = old
  const index = at % Math.max(1, list.length)
  const item = list[index]
  return isObject(item) ? list.with(index, apply(item, { at: at >> 3, how, value })) : value
}

function insideLoan(at: number, value: unknown): object {
  const names = ['fraction', 'apr', 'termYears', 'paymentsPerYear', 'feeRate', 'interestTaxRate', 'years']
  return { [names[at % names.length] ?? '']: value }
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...collectTexts(inner)])
    : []
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
