import type Joi from 'joi'
import {
  answerHeaders,
  headersOfStatus,
  type AnswerHeader,
  type HeaderDescription,
} from './answer-headers.ts'
import { takesNoQuery, type ResponseDescription } from './endpoint.ts'
import { httpProblems, type ProblemKind } from './errors.ts'
import type { MountedOperation } from './routes.ts'

/** What the description of a service needs besides its operations. */
export type OpenApiOptions = {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly publicUrl: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** Security schemes by name, and which of them (any one) opens an operation. */
  readonly securitySchemes: Readonly<Record<string, object>>
  readonly security: (operation: MountedOperation) => readonly string[]
  /** Problems that an operation can have by its access, in addition to its own. */
  readonly commonProblems: (operation: MountedOperation) => readonly ProblemKind[]
  /** Headers of every answer, by name. */
  readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: object }>>
  /** By code of a problem, headers that it has besides those of its status. */
  readonly problemHeaders?: Readonly<Record<string, readonly AnswerHeader[]>>
  /** Further members of problem bodies, as JSON Schema properties. */
  readonly problemProperties: Readonly<Record<string, object>>
  readonly problemRequired?: readonly string[]
  /**
   * By id of an operation, the body that its first example with a success (or, without such an example, a request that
   * succeeds) is answered with: shown as its example.
   */
  readonly answers?: Readonly<Record<string, unknown>>
}

/** What the pages outside /v1 show. */
export type DocsOptions = OpenApiOptions & {
  /** Every problem the service can answer with: the closed list of codes. */
  readonly problems: readonly ProblemKind[]
}

/** A joi schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function toJsonSchema(schema: Joi.Schema): JsonSchema {
  return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
}

/**
 * The OpenAPI 3.1 document of a service, made from what its endpoints say of themselves: the joi schemas that check
 * requests are the schemas that the document shows.
 */
export function openApiDocument(
  operations: readonly MountedOperation[],
  options: DocsOptions,
): OpenApiDocument {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = pathTemplate(operation.path)
    paths[path] ??= {}
    paths[path][operation.method] = describeOperation(operation, options)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.publicUrl }],
    tags: options.tags,
    paths,
    components: {
      securitySchemes: options.securitySchemes,
      headers: headerComponents(paths, options),
      responses: { AnyRequest: describeAnyProblem(options) },
      schemas: { Problem: problemSchema(options) },
    },
  }
}

/** A path as OpenAPI writes it: `/v1/account/keys/{id}`. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, '{$1}')
}

function describeOperation(operation: MountedOperation, options: OpenApiOptions): object {
  const { id, summary, description, tag, body, examples = [] } = operation
  return {
    operationId: id,
    summary,
    description: [description, requirementsOf(operation), priceOf(operation)]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    tags: [tag],
    security: options.security(operation).map((scheme) => ({ [scheme]: [] })),
    parameters: [
      ...parameters(operation.params, 'path', operation),
      ...parameters(operation.query, 'query', operation),
      ...parameters(operation.headers, 'header', operation),
      ...(operation.responses[304] === undefined ? [] : [ifNoneMatch]),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: toJsonSchema(body),
            examples: Object.fromEntries(examples.map(({ name, body: value }) => [name, { value }])),
          },
        },
      },
    }),
    responses: describeResponses(operation, options),
  }
}

function requirementsOf({ requires }: MountedOperation): string | undefined {
  return requires.length === 0 ? undefined : `Only on plans with ${requires.join(' and ')}.`
}

function priceOf({ access = 'metered', path }: MountedOperation): string | undefined {
  if (!path.startsWith('/v1')) return undefined
  return access === 'metered'
    ? 'A success costs one unit of quota; anything else costs nothing.'
    : 'Costs no quota.'
}

function parameters(schema: Joi.Schema | undefined, place: string, operation: MountedOperation): object[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = toJsonSchema(schema) as ObjectSchema
  const example = operation.examples?.find(({ status }) => status < 300)
  const values: Readonly<Record<string, string>> = { ...example?.params, ...example?.query }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
    ...(values[name] !== undefined && { example: typed(values[name], property) }),
  }))
}

/** A value as it stands in an address, as the type that its schema names. */
function typed(value: string, { type }: JsonSchema): unknown {
  if (type === 'integer' || type === 'number') return Number(value)
  return type === 'boolean' ? value === 'true' : value
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of an answer that the client has, or several, or `*`: 304 when it is still the same.',
  schema: { type: 'string' },
}

function describeResponses(operation: MountedOperation, options: OpenApiOptions): Record<string, object> {
  const [first] = Object.keys(operation.responses)
  const answered = operation.examples?.find(({ status }) => status < 300)?.status ?? Number(first)
  const successes = Object.entries(operation.responses).map(
    ([status, { description, schema, mediaType, headers: own = [] }]) => {
      const answer = Number(status) === answered ? options.answers?.[operation.id] : undefined
      const content = schema && contentOf(schema, mediaType, answer)
      const tagged: readonly AnswerHeader[] = operation.responses[304] === undefined ? [] : ['ETag']
      const headers = headersWith([...tagged, ...own], options)
      return [status, { description, headers, ...(content !== undefined && { content }) }]
    },
  )
  const failures = [...Map.groupBy(problemsOf(operation, options), (kind) => kind.status)].map(
    ([status, kinds]) => [status, describeProblem(kinds, options)],
  )
  const described = Object.fromEntries([...successes, ...failures]) as Record<string, object>
  return { ...described, default: { $ref: '#/components/responses/AnyRequest' } }
}

/** The headers of every answer and these. */
function headersWith(names: readonly AnswerHeader[], { headers }: OpenApiOptions): Record<string, object> {
  return Object.fromEntries(
    [...Object.keys(headers), ...names].map((name) => [name, { $ref: headerRef(name) }]),
  )
}

function headerRef(name: string): string {
  return `#/components/headers/${name}`
}

/** What headers are: those of every answer, and those of the others that an operation refers to. */
function headerComponents(paths: object, { headers }: OpenApiOptions): Record<string, HeaderDescription> {
  const text = JSON.stringify(paths)
  const everywhere = Object.entries(headers).map(([name, header]) => [name, { ...header, required: true }])
  const others = Object.entries(answerHeaders).filter(([name]) => text.includes(`"${headerRef(name)}"`))
  return Object.fromEntries([...everywhere, ...others]) as Record<string, HeaderDescription>
}

function contentOf(
  schema: Joi.Schema,
  mediaType: ResponseDescription['mediaType'] = 'application/json',
  answer?: unknown,
) {
  const content = { schema: toJsonSchema(schema) }
  const withExample = { ...content, example: answer }
  return Object.fromEntries(
    [mediaType]
      .flat()
      .map((type) => [type, answer !== undefined && type === 'application/json' ? withExample : content]),
  )
}

function describeProblem(kinds: readonly ProblemKind[], options: OpenApiOptions): object {
  const always = kinds.flatMap(({ status }) => headersOfStatus[status] ?? [])
  const own = kinds.flatMap(({ code }) => options.problemHeaders?.[code] ?? [])
  const sometimes = own.filter((name) => !always.includes(name))
  return {
    description: kinds.map(({ code, title }) => `\`${code}\`: ${title}.`).join('\n\n'),
    headers: { ...headersWith(always, options), ...optional(sometimes) },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { code: { enum: kinds.map(({ code }) => code) } } },
          ],
        },
      },
    },
  }
}

/** What any request can be answered with, where its operation does not say it itself. */
function describeAnyProblem(options: OpenApiOptions): object {
  const { description, ...rest } = describeProblem(problemsOfAnyRequest, options) as { description: string }
  const sometimes = problemsOfAnyRequest.flatMap(({ status }) => headersOfStatus[status] ?? [])
  return {
    description: `What any request can be answered with:\n\n${description}`,
    ...rest,
    headers: { ...headersWith([], options), ...optional(sometimes) },
  }
}

/** Headers that are there with one problem and not with another of the same description. */
function optional(names: readonly AnswerHeader[]): Record<string, HeaderDescription> {
  return Object.fromEntries(names.map((name) => [name, { ...answerHeaders[name], required: false }]))
}

const problemsOfAnyRequest = [
  httpProblems.malformed_request,
  httpProblems.method_not_allowed,
  httpProblems.request_timeout,
  httpProblems.body_too_large,
  httpProblems.unsupported_media_type,
  httpProblems.headers_too_large,
  httpProblems.internal_error,
  httpProblems.temporarily_unavailable,
]

function problemsOf(operation: MountedOperation, options: OpenApiOptions): ProblemKind[] {
  const { body, params, query, headers, problems = [] } = operation
  const hasInput =
    [body, params, query, headers].some((schema) => schema !== undefined) || takesNoQuery(operation)
  const ofInput = hasInput ? [httpProblems.validation_failed] : []
  const own = [...new Set([...options.commonProblems(operation), ...ofInput, ...problems])]
  // Where a status is described, `default` does not speak for it.
  const statuses = new Set(own.map(({ status }) => status))
  const ofAny = problemsOfAnyRequest.filter((kind) => statuses.has(kind.status) && !own.includes(kind))
  return [...own, ...ofAny]
}

function problemSchema(options: DocsOptions): object {
  const text = { type: 'string' }
  return {
    type: 'object',
    description: 'An RFC 9457 problem. `code` is stable; `detail` is for people.',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId', ...(options.problemRequired ?? [])],
    properties: {
      type: { type: 'string', description: 'Address of the page that explains the code.' },
      title: text,
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What was wrong, what was expected, what to do.' },
      instance: { type: 'string', description: 'Path of the request.' },
      code: { type: 'string', enum: options.problems.map(({ code }) => code) },
      requestId: text,
      errors: {
        type: 'array',
        description: 'The fields at fault.',
        items: {
          type: 'object',
          required: ['code', 'detail'],
          properties: { pointer: text, parameter: text, header: text, code: text, detail: text },
          additionalProperties: false,
        },
      },
      ...options.problemProperties,
    },
    additionalProperties: false,
  }
}

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = {
  readonly openapi: string
  readonly info: object
  readonly servers: readonly object[]
  readonly tags: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: Readonly<Record<string, object>>
}

/** A JSON Schema. */
export type JsonSchema = Record<string, unknown>

type ObjectSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema & { readonly description?: string }>>
  readonly required?: readonly string[]
}
