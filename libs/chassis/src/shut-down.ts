import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { responseOn } from './http-server.ts'

export type ShutDownOptions = {
  readonly log: Logger
  /** Between "not ready" and the end of listening, for load balancers to notice. */
  readonly shutdownDelayMs: number
  /** For requests in flight, after the delay. */
  readonly shutdownDeadlineMs: number
  /** Run one after the other when all connections have ended, each for at most 5 s. */
  readonly beforeExit?: readonly (() => Promise<void>)[]
}

const FINAL_STEP_MS = 5_000

/** The connections of a server that are open. */
export function trackConnections(server: Server): Set<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/**
 * Ends a server in order: wait, stop accepting, let requests finish, close, last steps.
 *
 * @returns the exit code: 0, or 1 when one of the last steps failed
 */
export async function shutDown(
  options: ShutDownOptions,
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
