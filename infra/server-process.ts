import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf, diesWithParent, isAlive, signalAll, treeOf } from './processes.ts'

/** A private server process that a test may kill, freeze and restart. Times are in milliseconds. */
export type TestServer = {
  /** Connection string of the running server on 127.0.0.1. */
  readonly url: string
  readonly port: number
  /** Process id of the main process; changes on restart. */
  readonly pid: number
  /** Ends the server and removes its data. Safe to call twice. */
  stop: () => Promise<void>
  /** Sends a signal (SIGKILL unless told) to the whole server and, when it is a deadly one, waits for the end. */
  kill: (signal?: NodeJS.Signals) => Promise<void>
  /** Freezes the server and all its children: connections stay open and nothing answers. */
  pause: () => void
  resume: () => void
  /** Ends the server if it runs and starts it again on the same port with the same data. */
  restart: () => Promise<void>
}

/** How to run one kind of server; all paths and the port are chosen by {@link startServer}. */
export type ServerKind = {
  name: string
  prepare?: (directory: string) => Promise<void>
  command: (directory: string, port: number) => [program: string, ...args: string[]]
  url: (port: number) => string
  isReady: (port: number) => Promise<boolean>
  /** The signal that ends this server quickly and in order. */
  stopSignal: NodeJS.Signals
  /** User and group that must own the data, for servers that refuse to run as root. */
  owner?: { uid: number; gid: number }
}

/**
 * Starts a server on a free port of 127.0.0.1 with its own temporary directory. It dies with this process.
 *
 * @throws Error with the server's own output if it does not answer within 20 s
 */
export async function startServer(kind: ServerKind): Promise<TestServer> {
  sweepAbandoned()
  const directory = mkdtempSync(join(tmpdir(), DIRECTORY_PREFIX))
  directories.add(directory)
  writePids(directory)
  installExitHook()
  try {
    await kind.prepare?.(directory)
    return handleOf(await launchOnFreePort(kind, directory))
  } catch (error) {
    removeDirectory(directory)
    throw error
  }
}

/** Removes servers and directories left behind by runs that were killed before they could clean up. */
export function sweepAbandoned(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(DIRECTORY_PREFIX))) {
    const directory = join(tmpdir(), name)
    const [owner, server] = readPids(directory)
    if (owner === undefined || isAlive(owner)) continue
    if (server !== undefined && commandOf(server).includes(directory)) signalAll(treeOf(server), 'SIGKILL')
    removeDirectory(directory)
  }
}

const DIRECTORY_PREFIX = 'hearth-test-'
const START_DEADLINE_MS = 20_000
const POLL_MS = 15
const FATAL_SIGNALS: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT']

const directories = new Set<string>()
const running = new Set<number>()
let exitHookInstalled = false

function handleOf(run: Run): TestServer {
  const { kind, directory, port } = run
  return {
    url: kind.url(port),
    port,
    get pid() {
      return pidOf(run.child)
    },
    stop: async () => {
      await end(run, kind.stopSignal)
      removeDirectory(directory)
    },
    kill: async (signal = 'SIGKILL') => {
      if (FATAL_SIGNALS.includes(signal)) return end(run, signal)
      signalAll(serverTree(run.child), signal)
    },
    pause: () => {
      // The main process first, so that it cannot fork a child that the list misses.
      signalAll([pidOf(run.child)], 'SIGSTOP')
      signalAll(serverTree(run.child), 'SIGSTOP')
    },
    resume: () => {
      signalAll(serverTree(run.child), 'SIGCONT')
    },
    restart: async () => {
      await end(run, kind.stopSignal)
      run.child = await launch(kind, directory, port)
    },
  }
}

async function end({ kind, child }: Run, signal: NodeJS.Signals): Promise<void> {
  // Looking for children takes a moment in which a server that is to crash must not answer any more.
  if (signal === 'SIGKILL' && !hasEnded(child)) signalAll([pidOf(child)], 'SIGSTOP')
  const tree = serverTree(child)
  if (signal === 'SIGKILL') {
    // The crash takes the children too, so that nothing keeps the shared memory.
    signalAll(tree, signal)
  } else {
    // A paused server has to be awake to end in order.
    signalAll(tree, 'SIGCONT')
    signalAll(tree.slice(0, 1), signal)
  }
  // A child that has ended and was not looked at yet still has its number, and a new Postgres would take it for alive.
  const hasGone = (): boolean => tree.length === 0 || (hasEnded(child) && tree.every((pid) => !isAlive(pid)))
  await until(hasGone, `${kind.name} did not end after ${signal}`)
  tree.slice(0, 1).forEach((pid) => running.delete(pid))
}

/** Somebody else may take a free port before the server does, so a start that fails is tried on another one. */
async function launchOnFreePort(kind: ServerKind, directory: string, attempts = 3): Promise<Run> {
  const port = await freePort()
  try {
    return { kind, directory, port, child: await launch(kind, directory, port) }
  } catch (error) {
    if (attempts <= 1) throw error
    return launchOnFreePort(kind, directory, attempts - 1)
  }
}

async function launch(kind: ServerKind, directory: string, port: number): Promise<ChildProcess> {
  const logFile = join(directory, 'server.log')
  const log = openSync(logFile, 'w')
  const [program, ...args] = diesWithParent(kind.command(directory, port), 'KILL')
  const child = spawn(program, args, { ...kind.owner, cwd: directory, stdio: ['ignore', log, log] })
  closeSync(log)
  let spawnError: Error | undefined
  child.once('error', (error) => (spawnError = error))
  // A test run must be able to end while its servers still live; the exit hook ends them.
  child.unref()
  if (child.pid !== undefined) running.add(child.pid)
  writePids(directory, child.pid)
  const failed = (): boolean => spawnError !== undefined || hasEnded(child)
  try {
    await until(async () => failed() || kind.isReady(port), 'it did not answer in time')
    if (failed()) throw new Error(spawnError?.message ?? 'it ended')
    return child
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error(`${kind.name} did not start: ${String(cause)}\n${readFileSync(logFile, 'utf8')}`, {
      cause,
    })
  }
}

async function until(condition: () => boolean | Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(failure)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('A TCP socket has no port.'))
        else resolve(address.port)
      })
    })
  })
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('The server was never started.')
  return child.pid
}

/** Empty once the main process has ended: whatever had its number as parent is then somebody else's. */
function serverTree(child: ChildProcess): number[] {
  return hasEnded(child) ? [] : treeOf(pidOf(child))
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function readPids(directory: string): [owner?: number, server?: number] {
  try {
    const [owner, server] = readFileSync(join(directory, 'pids'), 'utf8').split(' ')
    return [Number(owner), server === '' || server === undefined ? undefined : Number(server)]
  } catch {
    return []
  }
}

function writePids(directory: string, server?: number): void {
  writeFileSync(join(directory, 'pids'), `${String(process.pid)} ${String(server ?? '')}`)
}

function removeDirectory(directory: string): void {
  directories.delete(directory)
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

function installExitHook(): void {
  if (exitHookInstalled) return
  exitHookInstalled = true
  process.once('exit', () => {
    for (const pid of running) signalAll(treeOf(pid), 'SIGKILL')
    for (const directory of directories) removeDirectory(directory)
  })
}

type Run = { kind: ServerKind; directory: string; port: number; child: ChildProcess }
