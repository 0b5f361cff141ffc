import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import type { RequestListener } from 'node:http'
import { pathPattern, stackOf } from './routes.ts'

/**
 * A listener that takes requests for fixed paths straight to their handlers, in the order in which Express would come
 * to them. Express looks through its whole stack for every request; here that is done once. Everything else (paths
 * with parameters or a query, HEAD, OPTIONS, unknown paths) goes through Express.
 */
export function directRoutes(app: Express): RequestListener {
  let chains: Chains | undefined
  return (req, res) => {
    // Not before the first request: routes may be mounted until then.
    chains ??= chainsOf(app)
    const chain = chains.get(req.url ?? '')?.get(req.method ?? '')
    if (chain === undefined) app(req, res)
    else walk(chain, req as Request, res as Response) // the constructors of createServer have made them so
  }
}

/** Handlers of a route and all middleware before it, by path and method. */
type Chains = ReadonlyMap<string, ReadonlyMap<string, Chain>>
type Chain = { readonly handlers: readonly RequestHandler[]; readonly onError: ErrorRequestHandler }

/** Only middleware that takes every path is understood; an app with other middleware is left to Express. */
function chainsOf(app: Express): Chains {
  const stack = stackOf(app)
  const onError = stack.map(({ handle }) => handle).find(isErrorHandler)
  if (onError === undefined || stack.some(({ route, slash }) => route === undefined && !slash))
    return new Map()
  const chains = new Map<string, Map<string, Chain>>()
  const before: RequestHandler[] = []
  const patterns: RegExp[] = []
  for (const { route, handle } of stack) {
    if (route === undefined) {
      if (!isErrorHandler(handle)) before.push(handle)
    } else if (/[:*{]/.test(route.path)) {
      patterns.push(pathPattern(route.path))
    } else if (!patterns.some((pattern) => pattern.test(route.path))) {
      const byMethod = chains.get(route.path) ?? new Map<string, Chain>()
      chains.set(route.path, byMethod)
      for (const [method, own] of Map.groupBy(route.stack, (layer) => layer.method.toUpperCase())) {
        const handlers = [...before, ...own.map((layer) => layer.handle as RequestHandler)]
        if (!byMethod.has(method)) byMethod.set(method, { handlers, onError })
      }
    }
  }
  return chains
}

function isErrorHandler(handle: RequestHandler | ErrorRequestHandler): handle is ErrorRequestHandler {
  return handle.length === 4
}

/** Does for one request what Express's app and router do before and between handlers. */
function walk({ handlers, onError }: Chain, req: Request, res: Response): void {
  req.res = res
  req.originalUrl = req.url
  req.baseUrl = ''
  req.params = {}
  res.locals = {} as typeof res.locals // filled by the first handler
  let at = 0

  function next(error?: unknown): void {
    const handle = handlers[at++]
    if (error !== undefined || handle === undefined) {
      fail(error ?? new Error('No handler has answered.'))
      return
    }
    try {
      const pending: unknown = handle(req, res, next)
      if (pending instanceof Promise) pending.catch(fail)
    } catch (thrown) {
      fail(thrown)
    }
  }

  function fail(error: unknown): void {
    const answered: unknown = onError(error, req, res, () => res.destroy())
    if (answered instanceof Promise) answered.catch(() => res.destroy())
  }

  next()
}
