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
import { Socket } from 'node:net'
import { directRoutes } from './direct-routes.ts'
import { codeOf } from './system-error.ts'

/**
 * Answer to what is no request that could reach the app as a whole; headers is a flat list of names and values.
 *
 * @param path where the app has a request whose body did not come, its path
 */
export type ParserErrorResponse = (
  status: 400 | 405 | 408 | 431,
  remoteAddress: string,
  path?: string,
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
  // Without this, Node closes the connection and says nothing.
  server.on('connect', (_req, socket) => {
    socket.on('error', () => undefined) // Node has given the socket away, with nobody listening
    if (socket instanceof Socket) answerByHand(405, socket, options.parserErrorResponse)
  })
  return server
}

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
  // A request that has come whole is not what is wrong: that came behind it.
  const request = current?.req as Request | undefined // the constructors of createServer have made it so
  answerByHand(status, socket, respond, request?.complete === false ? request.path : undefined)
}

function answerByHand(
  status: Parameters<ParserErrorResponse>[0],
  socket: Socket,
  respond: ParserErrorResponse,
  path?: string,
): void {
  const { headers, body } = respond(status, socket.remoteAddress ?? '', path)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  if (!headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'date')) {
    lines.push(`Date: ${new Date().toUTCString()}`)
  }
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body)
  socket.write(lines.join('\r\n'))
  socket.destroySoon()
}

/** The response that Node is about to write on a connection, if a request is in flight there. */
export function responseOn(socket: Socket): ServerResponse | undefined {
  // Not documented, but what Node's own default for client errors looks at.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return response ?? undefined
}
