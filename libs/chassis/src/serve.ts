import type { Express } from 'express'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { ConfigError } from './config.ts'
import { createServer, type HttpServerOptions } from './http-server.ts'
import type { Lifecycle } from './lifecycle.ts'
import { maskCredentials } from './logger.ts'
import { shutDown, trackConnections, type ShutDownOptions } from './shut-down.ts'
import { codeOf } from './system-error.ts'

export type ServeOptions = HttpServerOptions &
  ShutDownOptions & {
    app: Express
    host: string
    /** 0 takes any free port. */
    port: number
    lifecycle: Lifecycle
    /** Metrics and operators' routes; listens on its own port until the very end. */
    internal?: { app: Express; host: string; port: number }
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
