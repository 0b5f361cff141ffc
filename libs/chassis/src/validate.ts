import type Joi from 'joi'
import { HttpError, httpProblems, type FieldProblem } from './errors.ts'
import { nearest } from './suggest.ts'

/** The part of a request that a schema describes. */
export type RequestPart = 'body' | 'path' | 'query' | 'header'

/**
 * Checks one part of a request against its schema and returns the typed value, defaults filled in.
 *
 * JSON bodies are taken as they are (`"5"` is not a number); path, query and header values arrive as text and are
 * converted. Unknown fields are refused.
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
  const result: Joi.ValidationResult<T> = schema.validate(value, {
    convert: part !== 'body',
    abortEarly: false,
    allowUnknown: part === 'header',
    errors: { wrap: { label: false, array: false }, label: 'path' },
  })
  if (result.error === undefined) return result.value
  throw invalid(result.error.details.map((detail) => fieldProblem(detail, part, schema)))
}

/** The error for fields that were found wrong by other means than a schema. */
export function invalid(errors: readonly FieldProblem[]): HttpError {
  const [first] = errors
  const detail =
    errors.length === 1 && first !== undefined
      ? first.detail
      : `${errors.length} values are not valid; \`errors\` says what each of them should be. The first: ${first?.detail ?? ''}`
  return new HttpError(httpProblems.validation_failed, detail, { errors })
}

function fieldProblem(detail: Joi.ValidationErrorItem, part: RequestPart, schema: Joi.Schema): FieldProblem {
  const code = fieldCodes[detail.type] ?? detail.type.replace('.', '_')
  const said = sentence(detail, schema)
  const text = said.endsWith('?') ? said : `${said}.`
  const name = detail.path.join('.')
  if (part === 'body') return { pointer: toPointer(detail.path), code, detail: text }
  return part === 'header' ? { header: name, code, detail: text } : { parameter: name, code, detail: text }
}

function sentence(detail: Joi.ValidationErrorItem, schema: Joi.Schema): string {
  const value: unknown = detail.context?.value
  switch (detail.type) {
    case 'object.unknown': {
      const near = nearest(String(detail.path.at(-1)), keysAt(schema, detail.path.slice(0, -1)))
      return `${detail.path.join('.')} is not a known field${near === undefined ? '' : `; did you mean ${near}?`}`
    }
    case 'number.base':
      return `${detail.message}${typeof value === 'string' ? ', not text: JSON numbers are written without quotes' : ''}`
    case 'object.base':
      return detail.path.length === 0 ? 'The body must be a JSON object' : detail.message
    default:
      return detail.message
  }
}

function keysAt(schema: Joi.Schema, path: readonly (string | number)[]): string[] {
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
  'number.unsafe': 'too_large',
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
  'array.base': 'not_an_array',
  'array.max': 'too_many',
  'array.min': 'too_few',
  'boolean.base': 'not_a_boolean',
}
