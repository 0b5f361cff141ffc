import { spawn, type ChildProcess } from 'node:child_process'
import { diesWithParent, signalAll } from './processes.ts'
import { signupCommand, type Service } from './services.ts'

/** Everything {@link startAll} takes from the outside world. */
export type StartOptions = {
  services: readonly Service[]
  environment: NodeJS.ProcessEnv
  print: (line: string) => void
  /** Aborted when the user asks to stop. */
  stop: AbortSignal
  /** How long services get to end after SIGTERM, in milliseconds. */
  stopDeadlineMs: number
}

/**
 * Runs services side by side as child processes, says where they answer once they are ready, and ends them
 * all when the user asks for it or one of them ends.
 *
 * @returns the exit code: 0 after a requested stop, else that of the service that ended first, never 0
 */
export async function startAll(options: StartOptions): Promise<number> {
  const problem = problemWith(options)
  if (problem !== undefined) {
    options.print(problem)
    return 1
  }
  const running = options.services.map((service) => run(service, options.environment))
  const first = await Promise.race([
    aborted(options.stop),
    announce(options),
    ...running.map(({ ended }) => ended),
  ])
  if (first !== undefined) {
    options.print(`${first.name} ended by itself (${first.how}); stopping everything.`)
  }
  await stopAll(running, options.stopDeadlineMs)
  return first === undefined ? 0 : first.code === 0 ? 1 : first.code
}

const POLL_MS = 100
const PROBE_DEADLINE_MS = 1_000

/** One PORT for two services is a sure clash, and a confusing one when they start at the same time. */
function problemWith({ services, environment }: StartOptions): string | undefined {
  if (services.length === 0) return 'There is no service to start: no project in apps/ has a start script.'
  const shared = PER_SERVICE.filter((name) => environment[name] !== undefined && environment[name] !== '')
  if (services.length === 1 || shared.length === 0) return undefined
  return (
    `${shared.join(' and ')} would be the same for all ${services.length} services; unset it, or start one ` +
    `service alone with "npm start -w ${services[0]?.name ?? ''}".`
  )
}

const PER_SERVICE = ['PORT', 'INTERNAL_PORT', 'PUBLIC_URL'] as const

function run(service: Service, environment: NodeJS.ProcessEnv): Running {
  const [program, ...args] = diesWithParent([process.execPath, 'src/main.ts'], 'TERM')
  // A group of its own: Ctrl-C in a terminal then reaches only this process, which ends its children in order.
  const child = spawn(program, args, {
    cwd: service.directory,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve({ name: service.name, code: 1, how: error.message }))
    child.once('exit', (code, signal) => {
      resolve({ name: service.name, code: code ?? 1, how: signal ?? `exit code ${code ?? 1}` })
    })
  })
  return { child, ended }
}

/** Prints the addresses when every service is ready, and never resolves: only an end or a stop decides. */
async function announce(options: StartOptions): Promise<never> {
  const bases = options.services.map((service) => baseOf(service, options.environment))
  await Promise.all(bases.map((base) => ready(base, options.stop)))
  if (!options.stop.aborted) {
    for (const [index, service] of options.services.entries()) {
      options.print(describe(service, bases[index] ?? ''))
    }
    options.print('Ctrl-C stops everything; data stays for the next start.')
  }
  return new Promise<never>(() => undefined)
}

function describe(service: Service, base: string): string {
  const lines = [
    `${service.name} answers at ${base} and explains itself at ${base}/docs`,
    'Sign up (the answer holds your key, shown once):',
    `  ${signupCommand(base)}`,
    'Then, with your key:',
    ...service.examples(base).map((example) => `  ${example}`),
  ]
  return `\n${lines.join('\n')}\n`
}

function baseOf(service: Service, environment: NodeJS.ProcessEnv): string {
  const host = environment['HOST'] ?? ''
  const reachable = ['', '0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${reachable}:${environment['PORT'] ?? service.port}`
}

async function ready(base: string, stop: AbortSignal): Promise<void> {
  while (!stop.aborted && !(await answers(`${base}/readyz`))) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS).unref())
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_DEADLINE_MS) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

async function stopAll(running: readonly Running[], deadlineMs: number): Promise<void> {
  const pids = running.flatMap(({ child }) => (child.pid === undefined ? [] : [child.pid]))
  signalAll(pids, 'SIGTERM')
  const deadline = setTimeout(() => {
    signalAll(pids, 'SIGKILL')
  }, deadlineMs)
  await Promise.all(running.map(({ ended }) => ended))
  clearTimeout(deadline)
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

type Ended = { name: string; code: number; how: string }
type Running = { child: ChildProcess; ended: Promise<Ended> }
