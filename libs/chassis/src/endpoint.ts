import Joi from 'joi'
import type { Request, RequestHandler, Response } from 'express'
import type { AnswerHeader } from './answer-headers.ts'
import type { ProblemKind } from './errors.ts'
import { quickCheck } from './quick-check.ts'
import { validate } from './validate.ts'

/**
 * What an endpoint says of itself. The same object validates requests, feeds /openapi.json and tells the meter what
 * a call costs, so none of them can drift from the others. Method and path come from where it is mounted.
 */
export type Operation<Body = unknown, Params = unknown, Query = unknown, Headers = unknown> = {
  /** Unique camelCase name, for generated clients. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /**
   * Who may call it and what it costs: `public` needs no credentials; `account` needs a key or a session and is
   * never charged; `key` needs a key and is never charged; `metered` (the default) needs a key and costs one unit.
   */
  readonly access?: 'public' | 'account' | 'session' | 'key' | 'metered'
  readonly body?: Joi.Schema<Body>
  /** Whether most bodies are objects of numbers: these are checked in front of the schema; see quick-check.ts. */
  readonly bodyOfNumbers?: boolean
  readonly params?: Joi.Schema<Params>
  /** Without one, an operation under /v1 refuses every query parameter; others, such as health, ignore them. */
  readonly query?: Joi.Schema<Query>
  readonly headers?: Joi.Schema<Headers>
  /** Success answers by status. */
  readonly responses: Readonly<Record<number, ResponseDescription>>
  /** Problems beyond those that every operation with this access and these inputs can have. */
  readonly problems?: readonly ProblemKind[]
  /** Ready-to-send requests; tests execute them. */
  readonly examples?: readonly OperationExample[]
}

/** A success answer: its media types (application/json unless named) and the schema of its body. */
export type ResponseDescription = {
  readonly description: string
  readonly schema?: Joi.Schema
  readonly mediaType?: string | readonly string[]
  /** Headers that not every answer has. ETag is not named: it follows from a 304 beside this answer. */
  readonly headers?: readonly AnswerHeader[]
}

/** The same answers, a success with these headers. */
export function withHeaders(
  answers: Readonly<Record<number, ResponseDescription>>,
  headers: readonly AnswerHeader[],
): Record<number, ResponseDescription> {
  const entries = Object.entries(answers)
  return Object.fromEntries(
    entries.map(([status, answer]) => [status, Number(status) < 300 ? { ...answer, headers } : answer]),
  )
}

/** A request that can be sent as it is, and the status that it is answered with. */
export type OperationExample = {
  readonly name: string
  readonly status: number
  readonly body?: unknown
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

/** An Express handler that carries its description. */
export type Endpoint = RequestHandler & { readonly operation: Operation }

/** The checked inputs of a request. */
export type Input<Body, Params, Query, Headers> = {
  readonly body: Body
  readonly params: Params
  readonly query: Query
  readonly headers: Headers
}

/**
 * Makes an Express handler from a description and a function of checked inputs.
 *
 * @throws HttpError validation_failed (from the handler) when an input does not fit its schema
 */
export function endpoint<Body, Params, Query, Headers>(
  operation: Operation<Body, Params, Query, Headers>,
  handle: (input: Input<Body, Params, Query, Headers>, req: Request, res: Response) => unknown,
): Endpoint {
  const { body, bodyOfNumbers = false, params, query, headers } = operation
  const quick = body && bodyOfNumbers ? quickCheck(body) : undefined
  function handler(req: Request, res: Response): unknown {
    // What was looked up by path decided who may call and what it costs; Express must have come to the same place.
    const mounted = res.locals.operation
    if (mounted?.id !== operation.id) throw new Error(`${operation.id} was reached by another route.`)
    if (takesNoQuery(mounted) && req.url.includes('?')) {
      validate(noQuery, { ...req.query }, 'query')
    }
    if (body === undefined) refuseFields(req)
    const input = {
      params: params && validate(params, req.params, 'path'),
      query: query && validate(query, { ...req.query }, 'query'),
      headers: headers && validate(headers, req.headers, 'header'),
      body: body && (quick?.(req.body) ?? validate(body, req.body as unknown, 'body')),
    } as Input<Body, Params, Query, Headers> // what has no schema is undefined, as its type says
    return handle(input, req, res)
  }
  return Object.assign(handler, { operation })
}

/** Whether an operation refuses query parameters: all under /v1 that describe none. */
export function takesNoQuery({ query, path }: Pick<Operation, 'query'> & { readonly path: string }): boolean {
  return query === undefined && path.startsWith('/v1/')
}

/** What comes with a POST that describes no body would be ignored, which its sender does not expect. */
function refuseFields({ method, body }: { readonly method: string; readonly body?: unknown }): void {
  if (method === 'POST' && body !== undefined) validate(noFields, body, 'body')
}

const noQuery = Joi.object({})
const noFields = Joi.object({})

/**
 * The schema of an object whose fields are always there: how success answers are described. A field that can be
 * left out says `.optional()`; one that can be unknown says `.allow(null)`.
 */
export function record(fields: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema {
  const required = Object.entries(fields).map(([name, schema]) => {
    const isOptional = schema.$_getFlag('presence') === 'optional' // describe() would take a fifth of a start
    return [name, isOptional ? schema : schema.required()] as const
  })
  return Joi.object(Object.fromEntries(required))
}
