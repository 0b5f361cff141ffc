import {
  endAll,
  freePorts,
  newDirectory,
  newSecret,
  send,
  untilStatus,
} from '@hearth/chassis/testing/service-process'
import { diesWithParent } from '@hearth/infra/processes'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { threeNumbers } from './support.ts'

// Each start takes a core for a second, and the cores may be busy.
import.meta.jest.setTimeout(120_000)

const children = new Set<ChildProcess>()
const operatorToken = newSecret()

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await endAll()
})

describe.each(['src/main.ts', 'dist/main.js'])('a process of %s', (entry) => {
  beforeAll(async () => {
    if (entry.startsWith('dist/')) await promisify(execFile)(process.execPath, ['../../infra/build.ts'])
  })

  test('runs 100,000 trials in a worker while it answers others', async () => {
    const service = await start(entry)
    const key = await signUp(service, 'developer')

    const running = run(service, key, { trials: 100_000, seed: 20261120, method: 'random' })
    const others = await Promise.all([1, 2, 3].map(() => send(`${service.url}/livez`)))
    const { status, body } = await running

    expect(others.map((other) => other.status)).toEqual([200, 200, 200])
    // The mean of the same run in an independent simulation in NumPy.
    expect([status, body.data.npv.mean]).toEqual([200, -52.02])
    expect(await service.stop()).toBe(0)
  })
})

test('a stop waits for the runs under way', async () => {
  const service = await start('src/main.ts')
  const key = await signUp(service, 'api_business')
  const running = [1, 2, 3].map((seed) => run(service, key, { trials: 1_000_000, seed }))
  await untilUsed(service, key, 3)

  const code = service.stop()

  for (const { status, headers } of await Promise.all(running)) {
    expect([status, headers.get('connection')]).toEqual([200, 'close'])
  }
  expect(await code).toBe(0)
})

test('runs that are not done at the deadline are stopped, and cost nothing', async () => {
  const environment = { DATA_DIR: newDirectory(), SHUTDOWN_DEADLINE_MS: '0' }
  const first = await start('src/main.ts', environment)
  const key = await signUp(first, 'api_business')
  await run(first, key, { trials: 100 })
  const running = Array.from({ length: 8 }, () =>
    run(first, key, { trials: 1_000_000 }).catch(() => 'cut off'),
  )
  await untilUsed(first, key, 9)

  expect(await first.stop()).toBe(0)

  const outcomes = await Promise.all(running)
  const answered = outcomes.filter((outcome) => outcome !== 'cut off').length
  expect(answered).toBeLessThan(8)
  const second = await start('src/main.ts', environment)
  expect(await unitsUsed(second, key)).toBe(1 + answered)
  await second.stop()
})

type Service = { readonly url: string; readonly internalUrl: string; readonly stop: () => Promise<number> }

/** Starts an entry of the service on the embedded defaults. */
async function start(entry: string, environment: Readonly<Record<string, string>> = {}): Promise<Service> {
  const [program, ...args] = diesWithParent([process.execPath, entry], 'KILL')
  const child = spawn(program, args, {
    env: {
      ...{ PATH: process.env['PATH'], DATA_DIR: newDirectory(), OPERATOR_TOKEN: operatorToken },
      ...{ SIMULATION_WORKERS: '1', BURST_PER_SECOND: '0', ...(await freePorts()), ...environment },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child)
    return code as number
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  const ports = () => /"port":(\d+),"internalPort":(\d+)/.exec(output)
  while (ports() === null) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}: ${output}`)
    await sleep(20)
  }
  const [url = '', internalUrl = ''] = [...(ports() ?? [])].slice(1).map((port) => `http://127.0.0.1:${port}`)
  await untilStatus(`${url}/readyz`, 200)
  return {
    url,
    internalUrl,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** A key of a new account on a plan. */
async function signUp({ url, internalUrl }: Service, plan: string): Promise<string> {
  const { body } = await send(`${url}/v1/signup`, {
    body: { name: 'Ann', email: 'ann@example.com', password: newSecret() },
  })
  const { status } = await send(`${internalUrl}/operator/accounts/ann@example.com/plan`, {
    method: 'PUT',
    body: { plan },
    headers: { Authorization: `Bearer ${operatorToken}` },
  })
  expect(status).toBe(200)
  return body.data.apiKey
}

function run({ url }: Service, key: string, simulation: object) {
  const body = { ...threeNumbers, simulation }
  return send(`${url}/v1/calculate/monte-carlo`, { body, headers: { 'X-API-Key': key } })
}

async function unitsUsed({ url }: Service, key: string): Promise<number> {
  const { body } = await send(`${url}/v1/account/usage`, { headers: { 'X-API-Key': key } })
  return body.data.windows.daily.used
}

/** Waits until so many requests have passed the gate. */
async function untilUsed(service: Service, key: string, units: number): Promise<void> {
  while ((await unitsUsed(service, key)) < units) await sleep(5)
}
