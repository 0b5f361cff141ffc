import type { Express, Request, Response } from 'express'
import {
  createServer as createHttpServer,
  IncomingMessage,
  ServerResponse,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Logger } from 'pino'
import { ConfigError } from './config.ts'
import { directRoutes } from './direct-routes.ts'
import type { Lifecycle } from './lifecycle.ts'
import { maskCredentials } from './logger.ts'
import { codeOf } from './system-error.ts'

/** Answer to bytes that are not a request that could reach the app; headers is a flat list of names and values. */
export type ParserErrorResponse = (
  status: 400 | 408 | 431,
  remoteAddress: string,
) => { headers: readonly string[]; body: string }

export type HttpServerOptions = {
  parserErrorResponse: ParserErrorResponse
  /** Connections beyond this are closed; 10,000 unless told. */
  maxConnections?: number
  /** A connection is closed after this many requests, so that load spreads again; 1,000 unless told. */
  maxRequestsPerSocket?: number
}

/**
 * A server for an Express app: requests must arrive in 10 s (their headers, at most 8 KiB, in 5 s), idle connections
 * are kept for 72 s (longer than the usual load balancer), and what is no request is answered by
 * `parserErrorResponse`.
 */
export function createServer(app: Express, options: HttpServerOptions): Server {
  const answer = upTo(options.maxRequestsPerSocket ?? 1_000, directRoutes(app))
  const server = createHttpServer(
    {
      ...constructorsOf(app),
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 8_192,
      keepAliveTimeout: 72_000,
      // The app itself refuses requests without Host and ignores Expect, so that these answers look like all others.
      requireHostHeader: false,
    },
    answer,
  )
  server.maxConnections = options.maxConnections ?? 10_000
  server.on('checkExpectation', answer)
  server.on('clientError', (error, socket) => {
    if (socket instanceof Socket) answerParserError(codeOf(error), socket, options.parserErrorResponse)
  })
  return server
}

export type ServeOptions = HttpServerOptions & {
  app: Express
  host: string
  /** 0 takes any free port. */
  port: number
  lifecycle: Lifecycle
  log: Logger
  /** Metrics and operators' routes; listens on its own port until the very end. */
  internal?: { app: Express; host: string; port: number }
  /** Between "not ready" and the end of listening, for load balancers to notice. */
  shutdownDelayMs: number
  /** For requests in flight, after the delay. */
  shutdownDeadlineMs: number
  /** Run one after the other when all connections have ended, each for at most 5 s. */
  beforeExit?: readonly (() => Promise<void>)[]
  onListening?: (addresses: { port: number; internalPort: number | undefined }) => void
  /** Where signals come from; the process unless told. They are listened for to its very end. */
  signals?: Pick<NodeJS.Process, 'on'>
  /** Ends the process at once; `process.exit` unless told. */
  exit?: (code: number) => void
}

export type Serving = {
  readonly port: number
  readonly internalPort: number | undefined
  /** Stops as SIGTERM does; later calls return the exit code too. */
  stop: (reason: string) => Promise<number>
  /** Fulfilled with the exit code when everything has ended: 0, or 1 when a step before the exit failed. */
  readonly finished: Promise<number>
}

/**
 * Listens, and ends in order on SIGTERM or SIGINT: not ready, wait, stop accepting, let requests finish, close.
 * A second SIGINT half a second or more after the first ends the process at once.
 * @throws {ConfigError} naming PORT, INTERNAL_PORT or HOST when it cannot listen there
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { lifecycle, internal } = options
  const server = createServer(options.app, options)
  const connections = trackConnections(server)
  const port = await listen(server, options.port, options.host, 'PORT')
  let internalServer: Server | undefined
  let internalPort: number | undefined
  if (internal !== undefined) {
    internalServer = createServer(internal.app, options)
    internalPort = await listen(internalServer, internal.port, internal.host, 'INTERNAL_PORT').catch(
      (error: unknown) => {
        server.close()
        throw error
      },
    )
  }

  let stopping: Promise<number> | undefined
  let finish: (code: number | Promise<number>) => void = () => {}
  const finished = new Promise<number>((resolve) => (finish = resolve))
  for (const one of [server, internalServer]) {
    // Without file descriptors left, accepting fails; that passes and is no reason to end the process.
    one?.on('error', (error) => options.log.error({ err: error }, 'A connection could not be accepted.'))
  }
  const stop = (reason: string): Promise<number> => {
    if (stopping === undefined) {
      options.log.info({ reason }, 'Stopping.')
      lifecycle.drain()
      stopping = shutDown(options, { server, connections, internalServer })
      finish(stopping)
    }
    return stopping
  }
  handleSignals(options, stop)
  options.onListening?.({ port, internalPort })
  return { port, internalPort, stop, finished }
}

/**
 * Runs `main` and ends the process with the code it returns. A {@link ConfigError} is printed as it is, one line per
 * problem, and ends the process with 1; so does any other error, with its stack.
 */
export async function runMain(main: () => Promise<number>): Promise<void> {
  try {
    process.exit(await main())
  } catch (error) {
    const text = error instanceof ConfigError ? error.message : inspect(error)
    process.stderr.write(`${maskCredentials(text)}\n`)
    process.exit(1)
  }
}

const FINAL_STEP_MS = 5_000

/**
 * Tells the client with the last answer of a connection that it is the last. What it had already sent behind it is
 * left alone: HTTP lets a client send that again, knowing that it was not done. (Node's own limit answers it with 503.)
 */
function upTo(most: number, listener: RequestListener): RequestListener {
  const asked = Symbol('asked')
  return (req, res) => {
    // On the socket itself: a WeakMap would cost every request a look-up, and the garbage collector more.
    const socket: Socket & { [asked]?: number } = req.socket
    const count = (socket[asked] ?? 0) + 1
    socket[asked] = count
    if (count > most) return
    if (count === most) res.shouldKeepAlive = false
    listener(req, res)
  }
}

/**
 * Express sets the prototype of every request and response to the app's own, which makes V8 give up its
 * optimisations of both. With these constructors they have it from birth, and setting it changes nothing. They extend
 * Node's own, so that V8 knows how many properties those will set; else it would keep them in dictionaries.
 */
function constructorsOf(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request) as Request
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response) as Response
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

function answerParserError(code: string, socket: Socket, respond: ParserErrorResponse): void {
  const current = responseOn(socket)
  if (code === 'ECONNRESET' || !socket.writable || current?.headersSent === true) {
    socket.destroy()
    return
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const { headers, body } = respond(status, socket.remoteAddress ?? '')
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  if (!headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'date')) {
    lines.push(`Date: ${new Date().toUTCString()}`)
  }
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body)
  socket.write(lines.join('\r\n'))
  socket.destroySoon()
}

/** The response that Node is about to write on this connection, if a request is in flight there. */
function responseOn(socket: Socket): ServerResponse | undefined {
  // Not documented, but what Node's own default for client errors looks at.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return response ?? undefined
}

function trackConnections(server: Server): Set<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

async function listen(server: Server, port: number, host: string, variable: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ConfigError([cannotListen(codeOf(error), port, host, variable)])),
    )
    server.listen(port, host, resolve)
  })
  // Listening on a port gives an AddressInfo; a text or null belong to pipes and to servers that do not listen.
  return (server.address() as AddressInfo).port
}

function cannotListen(code: string, port: number, host: string, variable: string): string {
  if (code === 'EADDRINUSE') {
    return `${variable} ${port} is in use by another process on ${host}; stop that process or set ${variable} to a free port.`
  }
  if (code === 'EACCES')
    return `${variable} ${port} may not be used by this user; set ${variable} to 1024 or above.`
  return `HOST ${host} cannot be listened on (${code}); expected an address of this machine.`
}

function handleSignals(options: ServeOptions, stop: (reason: string) => Promise<number>): void {
  const signals = options.signals ?? process
  const exit = options.exit ?? ((code: number) => process.exit(code))
  let interruptedAt: number | undefined
  const onTerminate = () => void stop('SIGTERM')
  const onInterrupt = () => {
    // One Ctrl-C arrives twice under npm, which passes on what the terminal has already sent to everybody.
    if (interruptedAt !== undefined && performance.now() - interruptedAt >= 500) {
      exit(130)
      return
    }
    interruptedAt ??= performance.now()
    void stop('SIGINT')
  }
  signals.on('SIGTERM', onTerminate)
  signals.on('SIGINT', onInterrupt)
}

async function shutDown(
  options: ServeOptions,
  {
    server,
    connections,
    internalServer,
  }: { server: Server; connections: Set<Socket>; internalServer: Server | undefined },
): Promise<number> {
  // From now on every answer, also of requests in flight, tells the client to come back on a new connection.
  server.prependListener('request', (_req, res) => (res.shouldKeepAlive = false))
  for (const socket of connections) {
    const response = responseOn(socket)
    if (response !== undefined) response.shouldKeepAlive = false
  }
  await sleep(options.shutdownDelayMs)
  const forced = await close(server, options.shutdownDeadlineMs, connections)
  if (forced > 0)
    options.log.warn({ connections: forced }, 'Connections were closed by force at the deadline.')
  internalServer?.close()
  internalServer?.closeAllConnections()
  let code = 0
  for (const step of options.beforeExit ?? []) {
    try {
      await withDeadline(step(), FINAL_STEP_MS)
    } catch (error) {
      options.log.error({ err: error }, 'A step before the exit failed.')
      code = 1
    }
  }
  options.log.info({ code }, 'Stopped.')
  return code
}

/** Returns how many connections had to be destroyed because their requests did not finish in time. */
async function close(server: Server, deadlineMs: number, connections: Set<Socket>): Promise<number> {
  let forced = 0
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // An answer finished after this moment leaves an idle connection that nobody else would close.
  const idleCheck = setInterval(() => server.closeIdleConnections(), 50)
  const deadline = setTimeout(() => {
    forced = connections.size
    for (const socket of connections) socket.destroy()
  }, deadlineMs)
  await closed
  clearInterval(idleCheck)
  clearTimeout(deadline)
  return forced
}

async function withDeadline(work: Promise<void>, deadlineMs: number): Promise<void> {
  const timer = new AbortController()
  const timeout = sleep(deadlineMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`It did not end within ${deadlineMs} ms.`)
  })
  timeout.catch(() => {})
  await Promise.race([work, timeout]).finally(() => timer.abort())
}
