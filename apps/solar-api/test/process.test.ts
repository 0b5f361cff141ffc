import { startPostgres, type TestServer } from '@hearth/infra/test-servers'
import { cpSync } from 'node:fs'
import { createServer, connect, type AddressInfo } from 'node:net'
import { threeNumbers } from './support.ts'
import {
  endAll,
  freePorts,
  newDirectory,
  newSecret,
  runProcess,
  send,
  startProcess,
  untilStatus,
  type ServiceProcess,
} from '@hearth/chassis/testing/service-process'

// Each start takes a core for a second, and the cores may be busy.
import.meta.jest.setTimeout(120_000)
afterAll(endAll)

describe('on the embedded defaults', () => {
  test('starts with nothing but free ports, and answers signup and a calculation', async () => {
    const service = await startProcess({ DATA_DIR: newDirectory(), ...(await freePorts()) })

    const key = await signUp(service)
    const { status, headers, body } = await calculate(service, key)

    expect([status, body.data.metrics.npv, headers.get('x-ratelimit-remaining')]).toEqual([200, 542.68, '49'])
    expect((await send(`${service.baseUrl}/livez`)).status).toBe(200)
    expect(await send(`${service.baseUrl}/readyz`)).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect((await send(`${service.internalUrl}/metrics`)).body).toContain('route="/v1/calculate"')
    expect((await send(`${service.baseUrl}/metrics`)).status).toBe(404)
    expect(await service.stop()).toBe(0)
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('keeps keys and counters over %s', async (signal) => {
    const environment = await embedded()
    const first = await startProcess(environment)
    const key = await signUp(first)
    for (const remaining of ['49', '48', '47']) {
      expect((await calculate(first, key)).headers.get('x-ratelimit-remaining')).toBe(remaining)
    }

    expect(await first.stop(signal)).toBe(signal === 'SIGKILL' ? null : 0)
    const second = await startProcess(environment)

    const { status, headers } = await calculate(second, key)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '46'])
    await second.stop()
  })

  test('gives one data directory to one process, and tells a second one in one line', async () => {
    const environment = await embedded()
    const first = await startProcess(environment)

    const { code, stderr } = await runProcess([], { ...environment, ...(await freePorts()) })

    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain('DATA_DIR')
    expect((await send(`${first.baseUrl}/readyz`)).status).toBe(200)
    await first.stop()
  })

  test.each(['PORT', 'INTERNAL_PORT'])(
    'does not start on a %s that is in use, and names it',
    async (variable) => {
      const occupant = createServer()
      await new Promise<void>((done) => occupant.listen(0, '127.0.0.1', done))
      const { port } = occupant.address() as AddressInfo

      const { code, stderr } = await runProcess([], { ...(await embedded()), [variable]: String(port) })

      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(new RegExp(`^${variable} ${port} is in use[^\\n]+\\n$`)),
      ])
      await new Promise((done) => occupant.close(done))
    },
  )
})

describe('what never reaches the app', () => {
  let service: ServiceProcess
  beforeAll(async () => {
    service = await startEmbedded()
  })
  afterAll(() => service.stop())

  test.each([
    [
      'headers of more than 8 KiB',
      `GET /livez HTTP/1.1\r\nHost: x\r\nX-Filler: ${'x'.repeat(9 * 1024)}\r\n\r\n`,
      { status: 431, code: 'headers_too_large', detail: expect.stringContaining('8 KiB') },
    ],
    ['no HTTP', 'this is not HTTP\r\n\r\n', { status: 400, code: 'malformed_request' }],
    [
      'the wish for a tunnel',
      'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
      {
        status: 405,
        code: 'method_not_allowed',
        detail: expect.stringMatching(/^CONNECT asks for a tunnel/),
      },
    ],
    [
      'a body that does not come',
      'POST /v1/signup?a=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      { status: 408, code: 'request_timeout', instance: '/v1/signup' },
    ],
  ])('%s is answered with all headers and a problem body', async (_what, request, expected) => {
    const answer = await raw(Number(new URL(service.baseUrl).port), request)

    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${expected.status} `))
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
      expect(head).toMatch(new RegExp(`\r\n${name}: \\d+`))
    }
    expect(head).toMatch(/\r\nRateLimit-Policy: "address";q=\d+;w=60/)
    expect(head).toMatch(/\r\nX-Request-Id: req_\w+/)
    expect(head).toMatch(/\r\nDate: /)
    expect(head).toMatch(/\r\nContent-Type: application\/problem\+json/)
    if (expected.status === 405) expect(head).toMatch(/\r\nAllow: /)
    const problem = JSON.parse(body) as { type: string; instance?: string }
    expect(problem).toMatchObject(expected)
    expect('instance' in problem).toBe('instance' in expected)
    expect((await send(problem.type)).status).toBe(200)
  })
})

describe('with a Postgres that is down', () => {
  let postgres: TestServer
  beforeAll(async () => {
    // What was answered must survive the kill, so commits are not put off here.
    postgres = await startPostgres({ settings: { synchronous_commit: 'on' } })
  })
  afterAll(() => postgres.stop())

  test('stays up, says that it is not ready, answers 503, and is ready when Postgres is there', async () => {
    await postgres.kill()
    const service = await startProcess(await onPostgres(postgres))

    expect((await send(`${service.baseUrl}/livez`)).status).toBe(200)
    expect(await send(`${service.baseUrl}/readyz`)).toMatchObject({
      status: 503,
      body: { status: 'starting' },
    })
    const signup = { name: 'Ann', email: 'ann@example.com', password: newSecret() }
    const { status, headers, body } = await send(`${service.baseUrl}/v1/signup`, { body: signup })
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'temporarily_unavailable', '5'])
    expect(headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)

    await postgres.restart()
    await untilStatus(`${service.baseUrl}/readyz`, 200)
    const key = await signUp(service)
    expect((await calculate(service, key)).status).toBe(200)

    await postgres.kill()
    const during = await calculate(service, key)
    expect([during.status, during.body.code, during.body.retryable]).toEqual([
      503,
      'temporarily_unavailable',
      true,
    ])
    expect((await send(`${service.baseUrl}/livez`)).status).toBe(200)
    await untilStatus(`${service.baseUrl}/readyz`, 503)

    await postgres.restart()
    await untilStatus(`${service.baseUrl}/readyz`, 200)
    const after = await calculate(service, key)
    expect(after).toMatchObject({ status: 200 })
    expect(after.headers.get('x-ratelimit-remaining')).toBe('48')
    expect(await service.stop()).toBe(0)
  })

  test('migrate alone makes the tables, again changes nothing, and a service without them waits for it', async () => {
    await postgres.restart()
    const environment = { ...(await onPostgres(postgres)), MIGRATE_ON_START: 'false' }
    const url = new URL(environment.DATABASE_URL)
    url.pathname = '/template1'
    const own = { ...environment, DATABASE_URL: url.href }
    const service = await startProcess(own)
    expect((await send(`${service.baseUrl}/readyz`)).status).toBe(503)
    expect(service.output()).toContain('run the migrate command')

    const first = await runProcess(['migrate'], own)
    const second = await runProcess(['migrate'], own)

    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/"applied":[1-9]/)])
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('"applied":0')])
    await untilStatus(`${service.baseUrl}/readyz`, 200)
    await service.stop()
  })
})

describe('the operator command line', () => {
  let service: ServiceProcess
  let environment: Record<string, string>
  let key: string
  const email = 'Ann@Example.com'

  beforeAll(async () => {
    environment = await embedded()
    service = await startProcess(environment)
    key = await signUp(service, email)
  })
  afterAll(() => service.stop())

  const account = (...args: string[]) => runProcess(['account', ...args], environment)

  test('lists accounts, for people and as JSON', async () => {
    const { code, stdout } = await account('list')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^acc_\w{10} {2}Ann@Example\.com {2}Ann {2}plan free {2}active/),
    ])

    const asJson = await account('list', '--json')
    expect(JSON.parse(asJson.stdout)).toMatchObject({ email, plan: 'free', suspendedAt: null })
  })

  test('changes the plan with the next request, and leaves the counters', async () => {
    await calculate(service, key)

    const { code, stdout } = await account('set-plan', 'ann@example.com', 'pro')

    expect([code, stdout]).toEqual([0, expect.stringContaining('plan pro')])
    const { headers } = await calculate(service, key)
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['500', '498'])
  })

  test('suspends and resumes with the next request', async () => {
    expect((await account('suspend', email)).code).toBe(0)
    expect(await calculate(service, key)).toMatchObject({
      status: 403,
      body: { code: 'account_suspended' },
    })

    expect((await account('resume', email)).code).toBe(0)
    expect((await calculate(service, key)).status).toBe(200)
  })

  test('revokes a key with the next request', async () => {
    const made = await send(`${service.baseUrl}/v1/account/keys`, {
      body: { name: 'b' },
      headers: { 'X-API-Key': key },
    })
    const { id, apiKey } = made.body.data

    expect((await account('revoke-key', id)).code).toBe(0)

    expect(await calculate(service, apiKey)).toMatchObject({
      status: 401,
      body: { code: 'revoked_api_key' },
    })
    expect((await calculate(service, key)).status).toBe(200)
  })

  test('a command that is wrong or refused says why and what would be right', async () => {
    const expected = [
      { args: ['set-plan', 'nobody@example.com', 'pro'], code: 1, why: /nobody@example\.com/ },
      {
        args: ['set-plan', email, 'platinum'],
        code: 1,
        why: /free, pro, developer, api_starter, api_business/,
      },
      { args: ['show', 'nobody@example.com'], code: 1, why: /There is no account/ },
      { args: ['revoke-key', 'key_nothing'], code: 1, why: /There is no key/ },
      { args: ['set-plan', email], code: 2, why: /set-plan EMAIL PLAN/ },
      { args: ['lst'], code: 2, why: /list {2,}all accounts/ },
      { args: [], code: 2, why: /Exit codes/ },
      { args: ['list', '--nonsense'], code: 2, why: /Exit codes/ },
    ]
    const outcomes = await Promise.all(expected.map(({ args }) => account(...args)))

    expect(outcomes.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual(
      expected.map(({ code, why }) => ({ code, stdout: '', stderr: expect.stringMatching(why) })),
    )
  })

  test('--help ends with code 0, and a service that is not there with code 1', async () => {
    expect(await account('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('set-plan') })

    const elsewhere = await runProcess(['account', 'list'], { ...environment, ...(await freePorts()) })
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('does not answer at')])
  })

  test('a wrong operator token is refused', async () => {
    const { code, stderr } = await runProcess(['account', 'list'], {
      ...environment,
      OPERATOR_TOKEN: newSecret(),
    })

    expect([code, stderr]).toEqual([1, expect.stringContaining('operator token')])
  })

  test('an unknown command is told which ones there are', async () => {
    const { code, stderr } = await runProcess(['sevre'], environment)

    expect([code, stderr]).toEqual([1, expect.stringContaining('serve, migrate, account')])
  })
})

/** A data directory as a first start leaves it (making one takes seconds), and free ports. */
async function embedded() {
  const DATA_DIR = newDirectory()
  template ??= makeTemplate()
  cpSync(await template, DATA_DIR, { recursive: true })
  return { DATA_DIR, ...(await freePorts()) }
}

let template: Promise<string> | undefined

async function makeTemplate(): Promise<string> {
  const DATA_DIR = newDirectory()
  const service = await startProcess({ DATA_DIR, ...(await freePorts()) })
  expect(await service.stop()).toBe(0)
  return DATA_DIR
}

async function onPostgres(postgres: TestServer) {
  return {
    DATA_DIR: newDirectory(),
    ...(await freePorts()),
    DATABASE_URL: postgres.url,
    SHUTDOWN_DEADLINE_MS: '2000',
  }
}

async function startEmbedded(): Promise<ServiceProcess> {
  return startProcess(await embedded())
}

async function signUp(service: ServiceProcess, email = 'ann@example.com'): Promise<string> {
  const body = { name: 'Ann', email, password: newSecret() }
  const reply = await send(`${service.baseUrl}/v1/signup`, { body })
  expect(reply).toMatchObject({ status: 201 })
  return reply.body.data.apiKey
}

function calculate(service: ServiceProcess, key: string) {
  return send(`${service.baseUrl}/v1/calculate`, { body: threeNumbers, headers: { 'X-API-Key': key } })
}

/** Everything that comes back for a text written to the socket. */
function raw(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.on('data', (data) => (answer += data.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}
