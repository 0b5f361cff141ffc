import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parseList } from 'structured-headers'
import { answerHeaders, headersOfStatus, type HeaderDescription } from '../src/answer-headers.ts'
import type { OpenApiDocument } from '../src/openapi.ts'

/** An answer as any HTTP client gives it. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Checks answers against the API description and counts what has been seen. */
export type Contract = {
  /** @throws when the answer is not one that the description allows for this operation */
  check(method: string, path: string, answer: Answer): void
  /** Documented pairs of operation and status that no answer has had yet, such as `post /v1/signup 409`. */
  unseen(): string[]
}

/**
 * The description of a service as a judge of its answers: documented status, media type, body schema, headers, the
 * rate-limit headers, and a problem body for everything that is not a success.
 */
export function createContract(document: OpenApiDocument): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'openapi', ...document })
  const validators = new Map<string, ValidateFunction>()
  const seen = new Set<string>()
  const paths = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))

  function operationAt(method: string, path: string) {
    const bare = path.split('?')[0] ?? ''
    const exact =
      paths.find(({ template }) => template === bare) ?? paths.find(({ pattern }) => pattern.test(bare))
    const template = exact?.template
    const operation = template === undefined ? undefined : document.paths[template]?.[method]
    return operation === undefined
      ? undefined
      : { template: template ?? '', operation: operation as DocumentedOperation }
  }

  function validatorFor(response: string, type: string): ValidateFunction {
    const ref = `openapi#${response}/content/${pointerTo(type)}/schema`
    const known = validators.get(ref) ?? ajv.compile({ $ref: ref })
    validators.set(ref, known)
    return known
  }

  function check(method: string, path: string, answer: Answer): void {
    checkHeaders(answer)
    const found = operationAt(method, path)
    const own = found?.operation.responses[answer.status]
    const name = `${method} ${found?.template ?? path} ${answer.status}`
    if (found === undefined || own === undefined) {
      checkUndescribed(name, found === undefined, answer)
      return
    }
    seen.add(name)
    checkAnswerHeaders(name, document, own, answer)
    if (own.content === undefined || answer.status === 304) return
    const response = ['paths', found.template, method, 'responses', String(answer.status)].map(pointerTo)
    checkBody(name, own, `/${response.join('/')}`, answer)
  }

  /** An answer of no operation, or one that any request can have. */
  function checkUndescribed(name: string, isOfNone: boolean, answer: Answer): void {
    if (isOfNone) {
      checkProblem(ajv, answer)
      if (answer.status >= 400) checkHeadersOfStatus(name, answer)
      return
    }
    const { AnyRequest } = document.components['responses'] as { AnyRequest: DocumentedResponse }
    checkAnswerHeaders(name, document, AnyRequest, answer)
    checkBody(name, AnyRequest, '/components/responses/AnyRequest', answer)
  }

  function checkBody(name: string, { content = {} }: DocumentedResponse, pointer: string, answer: Answer) {
    const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? ''
    if (content[type] === undefined) {
      throw new Error(`${name} is not documented with media type ${type}: ${JSON.stringify(answer.body)}`)
    }
    const valid = validatorFor(pointer, type)
    if (type.endsWith('json') && !valid(answer.body)) {
      throw new Error(`${name}: ${ajv.errorsText(valid.errors)}\n${JSON.stringify(answer.body)}`)
    }
  }

  return {
    check,
    unseen: () =>
      Object.entries(document.paths).flatMap(([template, operations]) =>
        Object.entries(operations).flatMap(([method, operation]) =>
          Object.keys((operation as DocumentedOperation).responses)
            .filter((status) => status !== 'default')
            .map((status) => `${method} ${template} ${status}`)
            .filter((name) => !seen.has(name)),
        ),
      ),
  }
}

/** What every answer carries. */
function checkHeaders({ headers, status }: Answer): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    if (!/^\d{1,10}$/.test(headers[name] ?? '')) throw new Error(`${status}: ${name} is ${headers[name]}.`)
  }
  const policies = quotaNames(headers['ratelimit-policy'], ['q', 'w'])
  const states = quotaNames(headers['ratelimit'], ['r', 't'])
  if (policies.join() !== states.join())
    throw new Error(`RateLimit names ${states.join()}, its policy ${policies.join()}.`)
  if (!/^req_\w+$/.test(headers['x-request-id'] ?? ''))
    throw new Error(`x-request-id is ${headers['x-request-id']}.`)
  if (headers['date'] === undefined) throw new Error('There is no Date.')
  if ((status === 429 || status === 503) && !/^\d+$/.test(headers['retry-after'] ?? ''))
    throw new Error(`${status} without Retry-After.`)
}

/** Parses a list of RFC 9651 strings with integer parameters and returns the strings. */
function quotaNames(value: string | undefined, parameters: readonly string[]): string[] {
  const list = parseList(value ?? '')
  if (list.length === 0) throw new Error('A RateLimit field is empty.')
  return list.map(([name, given]) => {
    for (const parameter of parameters) {
      const number = given.get(parameter)
      if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) {
        throw new Error(`${String(name)} has ${parameter}=${String(number)}.`)
      }
    }
    return String(name)
  })
}

function checkProblem(ajv: Ajv2020, { status, headers, body }: Answer): void {
  if (status < 400) return
  if (!headers['content-type']?.startsWith('application/problem+json')) {
    throw new Error(`${status} has media type ${headers['content-type']}.`)
  }
  const valid = ajv.getSchema('openapi#/components/schemas/Problem')
  if (valid === undefined || !valid(body))
    throw new Error(`${status}: ${ajv.errorsText(valid?.errors)} ${JSON.stringify(body)}`)
}

/** An answer has the headers that it is described with, and none of those that others are described with. */
function checkAnswerHeaders(
  name: string,
  { components }: OpenApiDocument,
  { headers: described = {} }: DocumentedResponse,
  answer: Answer,
): void {
  const everywhere = components['headers'] as Readonly<Record<string, HeaderDescription>>
  for (const header of new Set([...Object.keys(everywhere), ...Object.keys(answerHeaders)])) {
    const isSent = answer.headers[header.toLowerCase()] !== undefined
    const entry = described[header]
    if (isSent && entry === undefined) throw new Error(`${name} has an undocumented ${header}.`)
    const { required } = (entry && '$ref' in entry ? everywhere[header] : entry) ?? { required: false }
    if (required && !isSent) throw new Error(`${name} is documented with ${header} and has none.`)
  }
}

/** A problem of no operation has the headers of its status. */
function checkHeadersOfStatus(name: string, { status, headers }: Answer): void {
  const sent = Object.keys(answerHeaders).filter((header) => headers[header.toLowerCase()] !== undefined)
  const expected = headersOfStatus[status] ?? []
  if (sent.join() !== expected.join()) throw new Error(`${name} has ${sent.join()}, not ${expected.join()}.`)
}

/** A part of a JSON Pointer in a URI. */
function pointerTo(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}

type DocumentedOperation = { readonly responses: Readonly<Record<string, DocumentedResponse>> }

type DocumentedResponse = {
  readonly content?: Readonly<Record<string, object>>
  readonly headers?: Readonly<Record<string, { readonly $ref: string } | HeaderDescription>>
}
