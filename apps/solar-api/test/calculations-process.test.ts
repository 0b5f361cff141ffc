import {
  endAll,
  freePorts,
  newDirectory,
  newSecret,
  send,
  startProcess,
  untilStatus,
  type ServiceProcess,
} from '@hearth/chassis/testing/service-process'
import { keptOfPlan } from '../src/calculation-limits.ts'
import { saveRequest } from './saved.ts'
import { threeNumbers } from './support.ts'

// Each start takes a core for a second, and the cores may be busy.
import.meta.jest.setTimeout(120_000)

const operatorToken = newSecret()

afterAll(endAll)

describe('on the embedded database', () => {
  test('what was saved is there again, byte for byte, after the process was killed', async () => {
    const environment = { DATA_DIR: newDirectory() }
    const first = await start(environment)
    const key = await signUp(first, 'pro')
    const input = { ...threeNumbers, simulation: { trials: 200 } }
    const saved = [
      await post(first, key, { ...saveRequest, name: 'Dach Süd 🏠' }),
      await post(first, key, { name: 'x', kind: 'monteCarlo', input }),
    ]
    const before = await Promise.all(saved.map(({ id }) => read(first, key, id)))
    await first.stop('SIGKILL')

    const second = await start(environment)
    const after = await Promise.all(saved.map(({ id }) => read(second, key, id)))
    expect(after).toEqual(before)
    expect(after[0]).toContain('"name":"Dach Süd 🏠"')
    await second.stop()
  })

  test('no more are saved at once than the plan keeps', async () => {
    const service = await start({ DATA_DIR: newDirectory() })
    const key = await signUp(service, 'pro')
    const most = keptOfPlan['pro'] ?? 0
    for (let count = 0; count < most - 3; count++) await post(service, key, saveRequest)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => request(service, key, '/v1/calculations', saveRequest)),
    )

    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array<number>(3).fill(201), ...Array<number>(17).fill(403)])
    const { body } = await request(service, key, '/v1/calculations')
    expect(body.data.total).toBe(most)
    expect(await service.stop()).toBe(0)
  })
})

async function start(environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const usual = { OPERATOR_TOKEN: operatorToken, BURST_PER_SECOND: '0', ...(await freePorts()) }
  const service = await startProcess({ ...usual, ...environment })
  await untilStatus(`${service.baseUrl}/readyz`, 200, 60_000)
  return service
}

async function signUp({ baseUrl, internalUrl }: ServiceProcess, plan: string): Promise<string> {
  const email = 'ann@example.com'
  const { body } = await send(`${baseUrl}/v1/signup`, {
    body: { name: 'Ann', email, password: 'a long password of mine' },
  })
  const { status } = await send(`${internalUrl}/operator/accounts/${email}/plan`, {
    ...{ method: 'PUT', headers: { Authorization: `Bearer ${operatorToken}` }, body: { plan } },
  })
  expect(status).toBe(200)
  return body.data.apiKey
}

function request({ baseUrl }: ServiceProcess, key: string, path: string, body?: object) {
  return send(`${baseUrl}${path}`, { headers: { 'X-API-Key': key }, ...(body && { body }) })
}

async function post(service: ServiceProcess, key: string, body: object): Promise<{ id: string }> {
  const answer = await request(service, key, '/v1/calculations', body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.data
}

/** The data of a calculation as text. */
async function read({ baseUrl }: ServiceProcess, key: string, id: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/calculations/${id}`, { headers: { 'X-API-Key': key } })
  expect(response.status).toBe(200)
  return (await response.text()).replace(/,"meta":\{"timestamp":"[^"]*"\}\}$/, '}')
}
