import { diesWithParent } from '@hearth/infra/processes'
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process of the service, started as an operator starts it. */
export type ServiceProcess = {
  readonly pid: number
  readonly baseUrl: string
  readonly internalUrl: string
  /** Everything it has written to stdout and stderr. */
  output(): string
  /** The whole lines of stdout so far: its log. The list grows. */
  readonly lines: readonly string[]
  /** Sends a signal and waits for the end; the exit code, or null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** What a process wrote, and how it ended. */
export type Outcome = { code: number | null; stdout: string; stderr: string; ms: number }

export type Environment = Readonly<Record<string, string>>

/** A request; GET, or POST with a body. */
export type Outgoing = { method?: string; headers?: Readonly<Record<string, string>>; body?: unknown }

/** An answer with its body read. */
export type Reply = { status: number; headers: Headers; body: any } // eslint-disable-line @typescript-eslint/no-explicit-any -- whatever the service says

const children = new Set<ChildProcess>()
const directories: string[] = []
let compiled: string | undefined

/** A new directory for DATA_DIR, removed by {@link endAll}. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-service-'))
  directories.push(directory)
  return directory
}

/** A secret that passes as one. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Two ports that are free now. */
export async function freePorts(): Promise<Environment> {
  const [PORT, INTERNAL_PORT] = await Promise.all([freePort(), freePort()])
  return { PORT: String(PORT), INTERNAL_PORT: String(INTERNAL_PORT) }
}

/** Starts the service and waits until it listens (not until it is ready). */
export async function startProcess(environment: Environment): Promise<ServiceProcess> {
  const { child, outcome, output, lines } = launch([], environment)
  for (;;) {
    const ports = /"port":(\d+),"internalPort":(\d+)/.exec(output())
    if (ports !== null) {
      return {
        pid: child.pid ?? 0, // it has written to us, so it has one
        baseUrl: `http://127.0.0.1:${ports[1]}`,
        internalUrl: `http://127.0.0.1:${ports[2]}`,
        ...{ output, lines },
        stop: async (signal = 'SIGTERM') => {
          child.kill(signal)
          return (await outcome).code
        },
      }
    }
    const ended = await Promise.race([outcome, sleep(20)])
    if (ended !== undefined) throw new Error(`The service ended with ${ended.code}: ${output()}`)
  }
}

/** Runs a command of the service to its end; one that does not end is killed and has the code null. */
export async function runProcess(args: readonly string[], environment: Environment, deadlineMs = 60_000) {
  const { child, outcome } = launch(args, environment)
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
  return outcome.finally(() => clearTimeout(timer))
}

/** Kills what still runs and removes all directories. */
export async function endAll(): Promise<void> {
  for (const child of children) child.kill('SIGKILL')
  while (children.size > 0) await sleep(10)
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
}

/** Sends JSON and reads the answer. */
export async function send(url: string, { body, method, headers }: Outgoing = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** Asks until the answer has a status. */
export async function untilStatus(url: string, status: number, deadlineMs = 15_000): Promise<Reply> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const reply = await send(url).catch(() => undefined)
    if (reply?.status === status) return reply
    if (Date.now() > end) throw new Error(`${url} did not answer ${status}, but ${reply?.status}.`)
    await sleep(50)
  }
}

/** Starts a command of the service in whose folder the tests run. */
export function launch(args: readonly string[], environment: Environment) {
  const startedAt = performance.now()
  // Every process compiles the same files.
  compiled ??= newDirectory()
  const [program, ...rest] = diesWithParent([process.execPath, 'src/main.ts', ...args], 'KILL')
  const child = spawn(program, rest, {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let stdout = ''
  let stderr = ''
  const lines: string[] = []
  let begun = ''
  child.stdout.on('data', (data: Buffer) => {
    const text = data.toString()
    stdout += text
    const parts = (begun + text).split('\n')
    begun = parts.pop() ?? ''
    lines.push(...parts)
  })
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      children.delete(child)
      resolve({ code, stdout, stderr, ms: performance.now() - startedAt })
    })
  })
  return { child, outcome, lines, output: () => stdout + stderr }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo // it listens on a port
      server.close(() => resolve(port))
    })
  })
}
