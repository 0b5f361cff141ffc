import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parseList } from 'structured-headers'
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
 * The description of a service as a judge of its answers: documented status, media type, body schema, the
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

  function validatorFor(template: string, method: string, status: number, type: string): ValidateFunction {
    const escape = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')
    const pointer = ['paths', template, method, 'responses', String(status), 'content', type, 'schema']
    const ref = `openapi#/${pointer.map((part) => encodeURIComponent(escape(part))).join('/')}`
    const known = validators.get(ref) ?? ajv.compile({ $ref: ref })
    validators.set(ref, known)
    return known
  }

  function check(method: string, path: string, answer: Answer): void {
    checkHeaders(answer)
    const found = operationAt(method, path)
    if (found === undefined) {
      checkProblem(ajv, answer)
      return
    }
    const { template, operation } = found
    const response = operation.responses[answer.status]
    if (answer.status === 405 || (answer.status === 404 && response === undefined)) {
      checkProblem(ajv, answer)
      return
    }
    const name = `${method} ${template} ${answer.status}`
    if (response === undefined) throw new Error(`${name} is not documented: ${JSON.stringify(answer.body)}`)
    seen.add(name)
    if (response.content === undefined || answer.status === 304) return
    const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? ''
    if (response.content[type] === undefined) throw new Error(`${name} has media type ${type}.`)
    const valid = validatorFor(template, method, answer.status, type)
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
  if (
    (status === 429 || status === 503) &&
    !/^\d+$/.test(headers['retry-after'] ?? '') &&
    headers['content-type']?.startsWith('application/problem')
  ) {
    throw new Error(`${status} without Retry-After.`)
  }
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
  // Codes of routes that do not exist belong to no operation.
  const known = { ...(body as { code: string }) }
  if (known.code === 'method_not_allowed') known.code = 'not_found'
  if (valid === undefined || !valid(known))
    throw new Error(`${status}: ${ajv.errorsText(valid?.errors)} ${JSON.stringify(body)}`)
}

type DocumentedOperation = {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>
}
