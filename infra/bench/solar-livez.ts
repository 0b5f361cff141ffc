import { createDatabase, startPostgres, startRedis } from '../test-servers.ts'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { publish } from './gate/report.ts'

/*
 * How soon solar-api answers /livez and /v1/calculate while it simulates: a real process on Postgres and Redis,
 * asked every 10 ms, first idle, then with 20 of the largest runs at a time, then with 20 of the largest that share
 * the thread of the event loop. `node bench/solar-livez.ts [SECONDS]` in infra writes the table into README.md
 * beside this file (about a minute).
 */

const secondsEach = Number(process.argv[2] ?? 15)
const atATime = 20
const pauseMs = 10
const loads = [
  { name: 'nothing', trials: 0 },
  { name: `${atATime} runs of 1,048,576 trials at a time`, trials: 1_000_000 },
  { name: `${atATime} runs of 16,384 trials at a time`, trials: 16_384 },
]

const home = { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 }
const service = await startService()
const rows: string[] = []
for (const { name, trials } of loads) {
  process.stderr.write(`${name}\n`)
  rows.push(await measure(name, trials))
}
service.child.kill('SIGTERM')
await once(service.child, 'close')
await Promise.all(service.stores.map(({ stop }) => stop()))
const lines = [
  `${secondsEach} s each, asked every ${pauseMs} ms over one connection each, Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? ''}) shared by the service with one worker, Postgres, Redis and the clients.`,
  '',
  '| Beside | runs done, 503 | run ms p50, max | /livez ms p50, p99, max | /v1/calculate ms p50, p99 | memory of the process, MiB |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rows,
]
process.stdout.write(`${lines.join('\n')}\n`)
publish(new URL('README.md', import.meta.url), 'solar-livez', lines)

/** One row of the table. */
async function measure(name: string, trials: number): Promise<string> {
  const end = performance.now() + secondsEach * 1000
  const isOver = () => performance.now() >= end
  const runs: Answer[] = []
  const clients = Array.from({ length: trials === 0 ? 0 : atATime }, (_, seed) =>
    repeat(isOver, 0, runs, {
      path: '/v1/calculate/monte-carlo',
      body: { ...home, simulation: { trials, seed } },
    }),
  )
  const probes: Answer[] = []
  const calculations: Answer[] = []
  let memory = 0
  const watch = setInterval(() => (memory = Math.max(memory, residentMiB(service.child.pid ?? 0))), 100)
  await Promise.all([
    repeat(isOver, pauseMs, probes, { path: '/livez' }),
    repeat(isOver, pauseMs, calculations, { path: '/v1/calculate', body: home }),
  ])
  await Promise.all(clients)
  clearInterval(watch)
  const failed = [...probes, ...calculations].filter(({ status }) => status !== 200).length
  if (failed > 0) throw new Error(`${failed} of the requests beside were not answered with 200.`)
  const done = runs.filter(({ status }) => status === 200)
  const refused = runs.filter(({ status }) => status === 503).length
  if (done.length + refused < runs.length)
    throw new Error('A run was answered neither with 200 nor with 503.')
  const cells = [
    name,
    `${done.length}, ${refused}`,
    done.length === 0 ? '' : `${quantile(done, 0.5, 0)}, ${quantile(done, 1, 0)}`,
    [0.5, 0.99, 1].map((share) => quantile(probes, share)).join(', '),
    [0.5, 0.99].map((share) => quantile(calculations, share)).join(', '),
    memory.toFixed(0),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Sends a request again and again over one connection. */
async function repeat(isOver: () => boolean, pause: number, answers: Answer[], what: What): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!isOver()) {
    answers.push(await ask(agent, what))
    if (pause > 0) await sleep(pause)
  }
  agent.destroy()
}

function ask(agent: Agent, { path, body }: What): Promise<Answer> {
  const startedAt = performance.now()
  const headers = { 'X-API-Key': service.key, 'Content-Type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, service.url),
      { agent, method: body === undefined ? 'GET' : 'POST', headers },
      (response) => {
        response.resume().once('end', () => {
          resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedAt })
        })
      },
    )
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** The service as an operator runs it, and a key on the plan with the largest runs. */
async function startService() {
  const stores = await Promise.all([startPostgres(), startRedis()])
  const [postgres, redis] = stores
  const token = secret()
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: fileURLToPath(new URL('../../apps/solar-api/', import.meta.url)),
    env: {
      ...{ PATH: process.env['PATH'], NODE_ENV: 'production', MIGRATE_ON_START: 'true' },
      ...{ DATABASE_URL: await createDatabase(postgres.url), REDIS_URL: redis.url },
      ...{ KEY_PEPPER: secret(), JWT_SECRET: secret(), OPERATOR_TOKEN: token },
      ...{ PORT: '0', INTERNAL_PORT: '0', BURST_PER_SECOND: '0', SIMULATION_WORKERS: '1' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on(
    'data',
    (data: Buffer) => (output = output.includes('"port"') ? output : output + data.toString()),
  )
  while (!/"internalPort":\d+/.test(output)) await sleep(50)
  const [port, internalPort] = ['port', 'internalPort'].map(
    (name) => new RegExp(`"${name}":(\\d+)`).exec(output)?.[1],
  )
  const [url, internalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`]
  const email = 'bench@example.com'
  const signup = await sendJson(`${url}/v1/signup`, 'POST', { name: 'Bench', email, password: secret() })
  const { data } = (await signup.json()) as { data: { apiKey: string } }
  await sendJson(`${internalUrl}/operator/accounts/${email}/plan`, 'PUT', { plan: 'api_business' }, token)
  return { child, url, key: data.apiKey, stores }
}

async function sendJson(url: string, method: string, body: object, token = ''): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== '' && { Authorization: `Bearer ${token}` }),
  }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return response
}

function quantile(answers: readonly Answer[], share: number, places = 1): string {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(places)
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

type What = { readonly path: string; readonly body?: object }
type Answer = { readonly status: number; readonly ms: number }
