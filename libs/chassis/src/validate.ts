import type Joi from 'joi'
import { HttpError, httpProblems, type FieldProblem } from './errors.ts'
import { nearest } from './suggest.ts'

/** The part of a request that a schema describes. */
export type RequestPart = 'body' | 'path' | 'query' | 'header'

/**
 * Checks one part of a request against its schema and returns the typed value, defaults filled in.
 *
 * JSON bodies are taken as they are (`"5"` is not a number); path, query and header values arrive as text and are
 * converted. Unknown fields and query parameters are refused.
 *
 * @throws HttpError validation_failed with every field at fault
 */
export function validate<T>(schema: Joi.Schema<T>, value: unknown, part: RequestPart): T {
  if (part === 'body' && value === undefined) {
    throw new HttpError(
      httpProblems.validation_failed,
      'This request needs a JSON object as its body, sent with `Content-Type: application/json`.',
      { errors: [{ pointer: '', code: 'required', detail: 'A JSON object is expected as the body.' }] },
    )
  }
  if (part === 'body') refuseHostileNames(value)
  if (part === 'query' && Object.hasOwn(value as object, '__proto__')) {
    throw invalid([unknownField(['__proto__'], undefined, part)])
  }
  const result: Joi.ValidationResult<T> = schema.validate(value, {
    convert: part !== 'body',
    abortEarly: false,
    allowUnknown: part === 'header',
    errors: { wrap: { label: false, array: false }, label: 'path' },
  })
  if (result.error === undefined) return result.value
  const details = part === 'query' ? result.error.details.filter(isFirstOfRepeated) : result.error.details
  throw invalid(details.slice(0, mostProblems).map((detail) => fieldProblem(detail, part, schema)))
}

/** An answer names at most so many problems: finding near names costs time for each. */
const mostProblems = 20

/** The error for fields that were found wrong by other means than a schema. */
export function invalid(errors: readonly FieldProblem[]): HttpError {
  const [first] = errors
  const detail =
    errors.length === 1 && first !== undefined
      ? first.detail
      : `${errors.length} values are not valid; \`errors\` says what each of them should be. The first: ${first?.detail ?? ''}`
  return new HttpError(httpProblems.validation_failed, detail, { errors })
}

/**
 * Refuses bodies that would keep joi busy or deceive it: with very many fields, and with a field that joi, which
 * copies objects by assignment, would take for their prototype.
 */
function refuseHostileNames(body: unknown): void {
  let fields = 0
  const open: { path: readonly string[]; value: unknown }[] = [{ path: [], value: body }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      fields += 1
      if (name === '__proto__') throw invalid([unknownField([...path, name], undefined)])
      if (fields > mostFields) throw invalid([tooManyFields])
      if (typeof inner === 'object') open.push({ path: [...path, name], value: inner })
    }
  }
}

/** No schema has as many fields and list entries. */
const mostFields = 500
const tooManyFields: FieldProblem = {
  pointer: '',
  code: 'too_many',
  detail: `The body has more than ${mostFields} fields and list entries; no request of this service needs as many.`,
}

function fieldProblem(detail: Joi.ValidationErrorItem, part: RequestPart, schema: Joi.Schema): FieldProblem {
  if (detail.type === 'object.unknown') {
    const near = nearest(String(detail.path.at(-1)), keysAt(schema, detail.path.slice(0, -1)))
    return unknownField(detail.path, near, part)
  }
  if (part === 'query' && isRepeated(detail)) {
    const name = String(detail.path[0])
    return { parameter: name, code: 'repeated', detail: `${name} is given more than once; give it once.` }
  }
  if (detail.type === 'number.unsafe') detail = outOfRange(detail, schema)
  const code = fieldCodes[detail.type] ?? detail.type.replace('.', '_')
  const said = { code, detail: `${clipped(sentence(detail, part))}.` }
  const name = nameOf(detail.path)
  if (part === 'body') return { pointer: toPointer(detail.path), ...said }
  return part === 'header' ? { header: name, ...said } : { parameter: clipped(name), ...said }
}

/** A query parameter that is given more than once arrives as a list of its values. */
function isRepeated(detail: Joi.ValidationErrorItem): boolean {
  return detail.type !== 'object.unknown' && detail.path.length === 1 && Array.isArray(detail.context?.value)
}

/** Joi may find several faults in such a list; that it is one is all there is to say. */
function isFirstOfRepeated(
  detail: Joi.ValidationErrorItem,
  at: number,
  all: readonly Joi.ValidationErrorItem[],
): boolean {
  return !isRepeated(detail) || all.findIndex(({ path }) => path[0] === detail.path[0]) === at
}

function unknownField(
  path: readonly (string | number)[],
  near: string | undefined,
  part: RequestPart = 'body',
): FieldProblem {
  const name = clipped(nameOf(path))
  const hint = near === undefined ? '.' : `; did you mean ${near}?`
  if (part === 'query') {
    const detail = `${name} is not a known query parameter${hint}`
    return { parameter: name, code: 'unknown_parameter', detail }
  }
  const place = part === 'body' ? { pointer: clipped(toPointer(path)) } : { parameter: name }
  return { ...place, code: 'unknown_field', detail: `${name} is not a known field${hint}` }
}

function sentence({ type, path, message, context }: Joi.ValidationErrorItem, part: RequestPart): string {
  const value: unknown = context?.value
  if (type === 'number.base' && part === 'body' && typeof value === 'string') {
    return `${message}, not text: JSON numbers are written without quotes`
  }
  if (type.startsWith('string.pattern') && message.includes('fails to match')) {
    // Joi's own sentence repeats the value, which may be long, or a key in the wrong place.
    return `${nameOf(path)} has the wrong form${typeof context?.name === 'string' ? `; expected ${context.name}` : ''}`
  }
  return type === 'object.base' && path.length === 0 ? 'The body must be a JSON object' : message
}

/** A number that joi refuses for not being exact, as what its field has against it. */
function outOfRange(detail: Joi.ValidationErrorItem, schema: Joi.Schema): Joi.ValidationErrorItem {
  const { path, context } = detail
  const name = nameOf(path)
  const value = Number(context?.value)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
    return {
      ...detail,
      type: 'number.base',
      message: `${name} has more digits than a number can hold; round it`,
    }
  }
  const side = value > 0 ? 'max' : 'min'
  const limit = limitAt(schema, path, side) ?? Math.sign(value) * Number.MAX_SAFE_INTEGER
  const bound = value > 0 ? 'less than or equal to' : 'greater than or equal to'
  return { ...detail, type: `number.${side}`, message: `${name} must be ${bound} ${limit}` }
}

/** The limit of a number's range by its schema; undefined where there is none, or inside a list. */
function limitAt(
  schema: Joi.Schema,
  path: readonly (string | number)[],
  side: 'max' | 'min',
): number | undefined {
  try {
    const { rules = [] } = schema.extract(path.map(String)).describe() as NumberDescription // joi types describe() too widely
    return rules.find(({ name }) => name === side)?.args?.limit
  } catch {
    return undefined
  }
}

type NumberDescription = {
  readonly rules?: readonly { readonly name: string; readonly args?: { readonly limit?: number } }[]
}

/** How a field is called in sentences: `loan.rate`, `scenarios[1].name`. */
export function nameOf(path: readonly (string | number)[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('')
}

/** Names are the caller's; an answer repeats no more of them than helps. */
function clipped(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** The field names of a schema at a path. Asked only for fields that are unknown, so kept per schema and path. */
function keysAt(schema: Joi.Schema, path: readonly (string | number)[]): readonly string[] {
  const known = keysBySchema.get(schema) ?? new Map<string, readonly string[]>()
  keysBySchema.set(schema, known)
  const place = path.filter((step) => typeof step === 'string').join('.')
  const keys = known.get(place) ?? describeKeys(schema, path)
  if (keys.length > 0) known.set(place, keys)
  return keys
}

const keysBySchema = new WeakMap<Joi.Schema, Map<string, readonly string[]>>()

function describeKeys(schema: Joi.Schema, path: readonly (string | number)[]): readonly string[] {
  try {
    const target = path.length === 0 ? schema : schema.extract(path.map(String))
    const { keys = {} } = target.describe() as { keys?: object } // Joi's type for this leaves objects' keys out
    return Object.keys(keys)
  } catch {
    return [] // inside an array or a pattern there is nothing to suggest from
  }
}

function toPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

const fieldCodes: Readonly<Record<string, string>> = {
  'any.required': 'required',
  'any.only': 'not_allowed',
  'any.unknown': 'not_allowed',
  'object.unknown': 'unknown_field',
  'object.base': 'not_an_object',
  'number.base': 'not_a_number',
  'number.integer': 'not_an_integer',
  'number.infinity': 'not_finite',
  'number.min': 'too_small',
  'number.greater': 'too_small',
  'number.positive': 'too_small',
  'number.max': 'too_large',
  'number.less': 'too_large',
  'string.base': 'not_a_string',
  'string.empty': 'empty',
  'string.min': 'too_short',
  'string.max': 'too_long',
  'string.email': 'not_an_email_address',
  'string.pattern.base': 'wrong_format',
  'string.pattern.name': 'wrong_format',
  'string.isoDate': 'wrong_format',
  'array.unique': 'repeated',
  'alternatives.types': 'wrong_type',
  'alternatives.match': 'wrong_type',
  'array.base': 'not_an_array',
  'array.max': 'too_many',
  'array.min': 'too_few',
  'boolean.base': 'not_a_boolean',
}
