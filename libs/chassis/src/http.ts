import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { HttpError, httpProblems, unavailable } from './errors.ts'
import { logPlainly, maskCredentials } from './logger.ts'
import { problemBody, toHttpError } from './problems.ts'
import { indexRoutes, type MountedOperation, type RouteIndex } from './routes.ts'

/** What http.ts needs to know of the service, and the two points where others take part in every answer. */
export type HttpOptions = {
  readonly log: Logger
  /** Base of the links in answers, without a slash at the end. */
  readonly publicUrl: string
  /** Number of proxies in front of the service whose X-Forwarded-For entries are believed. */
  readonly trustProxy: number
  /** Members that every problem body gets besides those of RFC 9457, such as `success: false`. */
  readonly problemMembers?: Readonly<Record<string, unknown>>
  /** Further headers of every answer (flat list of names and values). */
  readonly limitHeaders: (res: Response) => readonly string[]
  /** Called once before an answer is written; a promise delays the answer until it is fulfilled. */
  readonly settle: (res: Response, status: number) => Promise<void> | undefined
  /** While it says no, requests under /v1 are answered with 503. */
  readonly isStarted?: () => boolean
  /** Called when an answer is finished. */
  readonly observe?: (method: string, route: string, status: number, seconds: number) => void
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express types its locals by this namespace
  namespace Express {
    interface Locals {
      http: HttpOptions
      requestId: string
      /** The operation that method and path name, if there is one. */
      operation: MountedOperation | undefined
      /** Methods of the path when the path exists, else undefined. */
      allow: readonly string[] | undefined
      /** Fields that others add to the line of this request in the access log. */
      logFields: Record<string, string> | undefined
    }
  }
}

/**
 * An Express app on which services mount endpoints, built the fast way: no ETag guess, no query parser of its own,
 * one writeHead per answer. Order: createHttpApp, the service's middleware and endpoints, closeHttpApp.
 */
export function createHttpApp(options: HttpOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.set('strict routing', true)
  app.set('case sensitive routing', true)
  app.set('trust proxy', options.trustProxy)
  let routes: RouteIndex | undefined
  app.use((req, res, next) => {
    begin(options, (routes ??= indexRoutes(app)), req, res)
    checkHost(req)
    if (req.method === 'OPTIONS') answerOptions(res)
    else if (options.isStarted?.() === false && req.path.startsWith('/v1/'))
      throw unavailable('The service is starting.')
    else next()
  })
  return app
}

/**
 * Adds what comes after all routes: 404, 405 and the one place where errors become answers.
 *
 * @throws Error when a route is mounted in a way that cannot be described
 */
export function closeHttpApp(app: Express): Express {
  indexRoutes(app)
  app.use(noSuchRoute)
  app.use(problemMapper)
  return app
}

/**
 * Answers with JSON (or with text or bytes when the body is a string or a Buffer and Content-Type is given).
 * Every answer of every route goes through here: it is what makes "on every response" true.
 */
export function send(
  res: Response,
  status: number,
  body: unknown,
  headers: readonly string[] = [],
): Promise<void> | undefined {
  // First: a body that cannot be written as JSON is a bug, and must not have been charged as a success.
  const content = contentOf(body)
  const settled = res.locals.http.settle(res, status)
  if (settled === undefined) {
    write(res, status, content, headers)
    return undefined
  }
  return settled.then(() => {
    write(res, status, content, headers)
  })
}

function contentOf(body: unknown): Content {
  return typeof body === 'string' || Buffer.isBuffer(body) || body === undefined ? body : JSON.stringify(body)
}

/** What is written; nothing when undefined. */
type Content = string | Buffer | undefined

/** The header of bodies that are JSON text already. */
export const jsonText: readonly string[] = ['Content-Type', 'application/json; charset=utf-8']

/** Constant headers of every answer: helmet's set, with framing forbidden and scripts allowed nowhere. */
export const securityHeaders: readonly string[] = [
  'Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy', 'same-origin',
  'Cross-Origin-Resource-Policy', 'same-origin',
  'Origin-Agent-Cluster', '?1',
  'Referrer-Policy', 'no-referrer',
  'Strict-Transport-Security', 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options', 'nosniff',
  'X-DNS-Prefetch-Control', 'off',
  'X-Download-Options', 'noopen',
  'X-Frame-Options', 'DENY',
  'X-Permitted-Cross-Domain-Policies', 'none',
  'X-XSS-Protection', '0',
] // prettier-ignore

/** Pages name the policy they need themselves. */
const securityHeadersOfPages = securityHeaders.slice(2)

/** A request id: unique over processes, cheap to make. */
export const newRequestId: () => string = (() => {
  const processPart = randomBytes(9).toString('base64url').replaceAll(/[-_]/g, '0')
  let count = 0
  return () => `req_${processPart}${(count++).toString(36).padStart(6, '0')}`
})()

const noStore = ['Cache-Control', 'no-store']

function begin(options: HttpOptions, routes: RouteIndex, req: Request, res: Response): void {
  const startedAt = performance.now()
  const { locals } = res
  locals.http = options
  locals.requestId = newRequestId()
  const match = routes.find(req.method, req.path)
  locals.operation = match.operation
  locals.allow = match.allow
  res.on('close', () => {
    const seconds = (performance.now() - startedAt) / 1000
    const route = match.operation?.path ?? 'unmatched'
    const status = res.writableFinished ? res.statusCode : clientClosedRequest
    options.observe?.(req.method, route, status, seconds)
    logPlainly(
      options.log,
      {
        requestId: locals.requestId,
        method: req.method,
        route,
        status,
        ms: round(seconds),
        ...locals.logFields,
      },
      'request',
    )
  })
}

/** Not a status that is ever sent: how nginx and others log a client that went away first. */
const clientClosedRequest = 499

function round(seconds: number): number {
  return Math.round(seconds * 1e5) / 100
}

function write(res: Response, status: number, content: Content, headers: readonly string[]): void {
  const { http, requestId } = res.locals
  const base = headers.includes('Content-Security-Policy') ? securityHeadersOfPages : securityHeaders
  const all = [...base, 'X-Request-Id', requestId, ...http.limitHeaders(res)]
  if (content !== undefined) {
    all.push('Content-Length', String(Buffer.byteLength(content)))
    if (!headers.includes('Content-Type')) all.push(...jsonText)
  }
  if (!headers.includes('Cache-Control')) all.push(...noStore)
  all.push(...headers)
  res.writeHead(status, all)
  res.end(content)
}

function answerOptions(res: Response): void {
  const { allow } = res.locals
  void send(res, 204, undefined, allow === undefined ? [] : ['Allow', allow.join(', ')])
}

/**
 * Two lines of Host are two opinions of where a request goes, and a proxy may share the other one: RFC 9112 §3.2 has
 * them refused. Node keeps the first one, so they are counted in what was sent.
 *
 * @throws HttpError malformed_request
 */
function checkHost({ rawHeaders, httpVersion }: Request): void {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1) {
    throw new HttpError(
      httpProblems.malformed_request,
      `The request has ${hosts} headers Host; it may have one. Send one, and look for a proxy that adds another.`,
    )
  }
  if (hosts === 0 && httpVersion === '1.1') {
    throw new HttpError(
      httpProblems.malformed_request,
      'The header Host is missing; HTTP/1.1 requests need it.',
    )
  }
}

const noSuchRoute: RequestHandler = (req, res) => {
  const { allow } = res.locals
  if (allow === undefined) {
    throw new HttpError(
      httpProblems.not_found,
      `There is nothing at ${req.path.slice(0, 200)}. The paths of this service are listed at ${res.locals.http.publicUrl}/openapi.json.`,
    )
  }
  throw new HttpError(
    httpProblems.method_not_allowed,
    `${req.method} is not allowed on ${req.path.slice(0, 200)}; it has ${allow.join(', ')}.`,
    { headers: ['Allow', allow.join(', ')] },
  )
}

const problemMapper: ErrorRequestHandler = async (error: unknown, req, res, _next) => {
  const { http, requestId, operation } = res.locals
  const problem = toHttpError(error)
  if (problem.kind === httpProblems.internal_error) {
    http.log.error({ err: error, requestId, route: operation?.path }, 'unexpected error')
  }
  if (res.headersSent) {
    res.destroy()
    return
  }
  const body = problemBody(http, problem.kind, problem.message, {
    instance: req.path.slice(0, 200),
    requestId,
    members: { ...problem.members, ...(problem.errors.length > 0 ? { errors: problem.errors } : {}) },
  })
  // A key in the wrong place, such as the path, is not repeated: problem bodies end up in the logs of clients.
  await send(res, problem.kind.status, maskCredentials(JSON.stringify(body)), [
    'Content-Type',
    'application/problem+json; charset=utf-8',
    ...problem.headers,
  ])
}
