import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRedis } from '../../test-servers.ts'
import { serviceFolder } from './imports.ts'
import { secret } from './stores.ts'

/** The service as an operator runs it, and keys enough for the measurements. */
export type Service = {
  readonly url: string
  readonly keys: readonly string[]
  readonly stop: () => Promise<void>
}

/** @param accounts how many; each may make 10,000 requests */
export async function startService(databaseUrl: string, accounts: number): Promise<Service> {
  const redis = await startRedis()
  const token = secret()
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: serviceFolder,
    env: {
      ...{ PATH: process.env['PATH'], NODE_ENV: 'production', MIGRATE_ON_START: 'true' },
      ...{ DATABASE_URL: databaseUrl, REDIS_URL: redis.url, PORT: '0', INTERNAL_PORT: '0' },
      ...{ KEY_PEPPER: secret(), JWT_SECRET: secret(), OPERATOR_TOKEN: token },
      ...{ BURST_PER_SECOND: '0', SIGNUPS_PER_HOUR: '0', FAILED_AUTH_PER_MINUTE: '0' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on(
    'data',
    (data: Buffer) => (output += output.includes('"internalPort"') ? '' : data.toString()),
  )
  while (!/"internalPort":\d+/.test(output)) await sleep(50)
  const [url = '', internalUrl = ''] = ['port', 'internalPort'].map(
    (name) => `http://127.0.0.1:${new RegExp(`"${name}":(\\d+)`).exec(output)?.[1] ?? ''}`,
  )
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(100)
  const keys: string[] = []
  for (let number = 0; number < accounts; number++)
    keys.push(await openAccount(url, internalUrl, token, number))
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'close')
    await redis.stop()
  }
  return { url, keys, stop }
}

/** @returns its key, on the largest plan */
async function openAccount(url: string, internalUrl: string, token: string, number: number): Promise<string> {
  const email = `bench-${number}@example.com`
  const { data } = (await send(`${url}/v1/signup`, 'POST', { name: 'Bench', email, password: secret() })) as {
    data: { apiKey: string }
  }
  await send(`${internalUrl}/operator/accounts/${email}/plan`, 'PUT', { plan: 'business' }, token)
  return data.apiKey
}

async function send(url: string, method: string, body: object, token = ''): Promise<unknown> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== '' && { Authorization: `Bearer ${token}` }),
  }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return response.json()
}
