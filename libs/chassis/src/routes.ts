import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import type { Endpoint, Operation } from './endpoint.ts'

/** An operation and where it is mounted. */
export type MountedOperation = Operation & {
  /** Lower-case HTTP method. */
  readonly method: string
  /** Express path, such as `/v1/account/keys/:id`. */
  readonly path: string
  /** Method and path, such as `POST /v1/calculate`. */
  readonly name: string
  /** What the middleware of the route asks of a caller; see Requirement. */
  readonly requires: readonly string[]
}

/** Middleware that lets only some callers pass says so, for the description and for whoever decides earlier. */
export type Requirement = RequestHandler & { readonly requires: string }

/** Finds the operation of a request by method and path; HEAD finds GET. */
export type RouteIndex = {
  readonly operations: readonly MountedOperation[]
  find(method: string, path: string): RouteMatch
}

/** `allow` lists the methods of a path that exists, upper case, HEAD and OPTIONS included. */
export type RouteMatch = {
  readonly operation: MountedOperation | undefined
  readonly allow: readonly string[] | undefined
}

/**
 * Reads the routes back from an Express app: app.ts stays the only list of paths, and 404, 405, OPTIONS, the price
 * of a call and /openapi.json all follow it.
 *
 * @throws Error when a route is mounted without a description, or two operations share an id
 */
export function indexRoutes(app: Express): RouteIndex {
  const operations = mountedOperations(app)
  const fixed = new Map<string, PathEntry>()
  const patterns: { pattern: RegExp; entry: PathEntry }[] = []
  for (const [path, group] of Map.groupBy(operations, (operation) => operation.path)) {
    const entry = pathEntry(group)
    if (/[:*{]/.test(path)) patterns.push({ pattern: pathPattern(path), entry })
    else fixed.set(path, entry)
  }
  function find(method: string, path: string): RouteMatch {
    const entry = fixed.get(path)
    const operation = entry?.byMethod.get(method)
    if (entry !== undefined && operation !== undefined) return { operation, allow: entry.allow }
    // A fixed path without this method may still be one that a pattern has.
    const others = patterns.filter(({ pattern }) => pattern.test(path)).map((one) => one.entry)
    const entries = entry === undefined ? others : [entry, ...others]
    if (entries.length === 0) return { operation: undefined, allow: undefined }
    return {
      operation: entries.map(({ byMethod }) => byMethod.get(method)).find((one) => one !== undefined),
      allow: [...new Set(entries.flatMap(({ allow }) => allow))].toSorted(),
    }
  }
  return { operations, find }
}

/** What was mounted, in order. */
export function stackOf(app: Express): readonly Layer[] {
  return app.router.stack as unknown as readonly Layer[] // what its types leave out is named below
}

function mountedOperations(app: Express): MountedOperation[] {
  const found = stackOf(app).flatMap(({ route }) => (route === undefined ? [] : [operationOf(route)]))
  const ids = new Set(found.map((operation) => operation.id))
  if (ids.size !== found.length) throw new Error('Two operations share one id.')
  return found
}

/** A route has one endpoint, and may have middleware before it. */
function operationOf({ path, stack }: Route): MountedOperation {
  const requires = stack.flatMap(({ handle }) => ('requires' in handle ? [handle.requires] : []))
  const endpoints = stack.flatMap(({ method, handle }) =>
    'operation' in handle
      ? [{ ...handle.operation, method, path, name: nameOf(method, path), requires }]
      : [],
  )
  const [operation] = endpoints
  if (operation === undefined || endpoints.length > 1) {
    throw new Error(
      `${path} is mounted with ${endpoints.length} descriptions; make one handler with endpoint().`,
    )
  }
  return operation
}

function nameOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`
}

function pathEntry(operations: readonly MountedOperation[]): PathEntry {
  const byMethod = new Map(operations.map((operation) => [operation.method.toUpperCase(), operation]))
  const get = byMethod.get('GET')
  if (get !== undefined) byMethod.set('HEAD', get)
  return { byMethod, allow: [...byMethod.keys(), 'OPTIONS'].toSorted() }
}

/** Matches the paths that Express takes for a path with parameters. */
export function pathPattern(path: string): RegExp {
  const source = path
    .replaceAll(/[.+?^$()[\]\\|]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll(/\*\w+/g, '.+')
  return new RegExp(`^${source}$`)
}

type PathEntry = {
  readonly byMethod: ReadonlyMap<string, MountedOperation>
  readonly allow: readonly string[]
}

/** The part of Express 5's router that is read here and in direct-routes.ts (its types do not name it). */
type Layer = {
  /** Undefined for middleware. */
  readonly route?: Route
  /** Whether middleware takes every path. */
  readonly slash: boolean
  readonly handle: RequestHandler | ErrorRequestHandler
}

type Route = {
  readonly path: string
  readonly stack: readonly {
    readonly method: string
    readonly handle: Endpoint | Requirement | (() => unknown)
  }[]
}
