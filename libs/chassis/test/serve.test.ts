import express from 'express'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { createLifecycle, readiness } from '../src/lifecycle.ts'
import { createServer } from '../src/http-server.ts'
import { serve, type ServeOptions, type Serving } from '../src/serve.ts'
import { recordingLogger } from './logs.ts'

const running: Serving[] = []

afterEach(async () => {
  for (const serving of running.splice(0)) await serving.stop('end of the test')
})

describe('what is no request', () => {
  test('headers over 8 KiB are answered with 431 and the body that the service gives', async () => {
    const { port } = await start()

    const answer = await send(port, `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(9_000)}\r\n\r\n`)

    expect(answer.head).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
    expect(answer.head).toContain('\r\nContent-Type: application/problem+json\r\n')
    expect(answer.head).toMatch(/\r\nDate: .* GMT\r\n/)
    expect(answer.head).toContain('\r\nConnection: close')
    expect(JSON.parse(answer.body)).toEqual({ status: 431, from: '127.0.0.1', detail: 'Ünlesbar.' })
  })

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('%s is answered with 400', async (_name, bytes) => {
    const { port } = await start()

    const answer = await send(port, bytes)

    expect(answer.head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(JSON.parse(answer.body)).toMatchObject({ status: 400 })
  })

  test('headers that do not arrive are answered with 408 and the connection is closed within 6.5 s', async () => {
    const { port } = await start()
    const startedAt = performance.now()

    const [slow, silent] = await Promise.all([send(port, 'GET / HTTP/1.1\r\nHost: a\r\nX-'), send(port, '')])

    expect(performance.now() - startedAt).toBeLessThan(6_500)
    expect(slow.head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(silent.head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  })

  test('a bad request behind a good one on the same connection does not cut into its answer', async () => {
    const { port } = await start()

    const answer = await send(port, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n')

    expect(answer.head).toMatch(/^HTTP\/1\.1 (200|400) /)
    expect(answer.all.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(answer.body).not.toContain('path')
  })

  test('a body that is broken by its chunks is answered with the path of its request', async () => {
    const { port } = await start()

    const answer = await send(
      port,
      'POST /endless?a=b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"aX\r\n',
    )

    expect(answer.head).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(answer.body)).toMatchObject({ status: 400, path: '/endless' })
  })

  test('CONNECT is answered with 405, and a client that leaves at once does no harm', async () => {
    const { port } = await start()
    const request = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n'
    const hasty = connect(port, '127.0.0.1', () => hasty.write(request, () => hasty.resetAndDestroy()))
    hasty.on('error', () => {})
    await once(hasty, 'close')

    const answer = await send(port, request)

    expect(answer.head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/)
    expect(answer.head).toContain('\r\nConnection: close')
    expect(JSON.parse(answer.body)).toEqual({ status: 405, from: '127.0.0.1', detail: 'Ünlesbar.' })
  })
})

test('a bad request behind an answer that has begun ends the connection and adds nothing to the answer', async () => {
  const { port } = await start()
  const socket = connect(port, '127.0.0.1')
  let all = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (all === '') socket.write('nonsense\r\n\r\n')
    all += chunk.toString()
  })
  socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise((resolve) => socket.once('close', resolve))

  expect(all).toContain('begun')
  expect(all.match(/HTTP\/1\.1/g)).toHaveLength(1)
})

test('requests and responses are born with the prototypes of the app, and are no dictionaries to V8', async () => {
  setFlagsFromString('--allow-natives-syntax')
  const hasFastProperties = runInThisContext('(value) => %HasFastProperties(value)') as (
    value: object,
  ) => boolean
  const app = exampleApp()
  const server = createServer(app, { parserErrorResponse: () => ({ headers: [], body: '' }) })
  const seen: unknown[] = []
  server.prependListener('request', (req, res) => {
    seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response)
    res.on('close', () => seen.push(hasFastProperties(req), hasFastProperties(res)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo

  const answer = await ask(address.port, '/')
  server.close()

  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toContain('application/json')
  expect(seen).toEqual([true, true, true, true])
})

test('a client on one connection is served beyond the number of requests per connection', async () => {
  const { port } = await start({ maxRequestsPerSocket: 3 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  const statuses: (number | undefined)[] = []
  for (let request = 0; request < 10; request++) statuses.push((await ask(port, '/', agent)).statusCode)
  agent.destroy()

  expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
})

test('what a client sends ahead beyond that number is neither answered nor done, and it is told so', async () => {
  let done = 0
  const app = express()
  app.get('/', (_req, res) => {
    done += 1
    setTimeout(() => res.json({ ok: true }), 20)
  })
  const { port } = await start({ app, maxRequestsPerSocket: 3 })

  const { all } = await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8))

  expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(Array<string>(3).fill('HTTP/1.1 200'))
  expect(all.match(/Connection: [\w-]+/gi)).toEqual([
    'Connection: keep-alive',
    'Connection: keep-alive',
    'Connection: close',
  ])
  expect(done).toBe(3)
})

describe('a port that cannot be listened on', () => {
  test('is one line that names PORT, and a second server is not left open', async () => {
    const { port } = await start()

    await expect(start({ port })).rejects.toThrow(
      `PORT ${port} is in use by another process on 127.0.0.1; stop that process or set PORT to a free port.`,
    )
  })

  test('is one line that names INTERNAL_PORT when it is that one', async () => {
    const { port } = await start()
    const internal = { app: express(), host: '127.0.0.1', port }

    await expect(start({ internal })).rejects.toThrow(`INTERNAL_PORT ${port} is in use`)
  })

  test('is one line that names HOST when the address is not of this machine', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toThrow(
      'HOST 192.0.2.1 cannot be listened on (EADDRNOTAVAIL)',
    )
  })
})

describe('the shutdown', () => {
  test('lets requests in flight finish, tells their clients to leave, and runs the last steps in order', async () => {
    const steps: string[] = []
    const serving = await start({
      beforeExit: [async () => void steps.push('first'), async () => void steps.push('second')],
    })
    const agent = new Agent({ keepAlive: true })
    await ask(serving.port, '/', agent)
    const slow = ask(serving.port, '/slow', agent)
    await new Promise((resolve) => setTimeout(resolve, 50))

    const code = await serving.stop('test')
    const answer = await slow
    agent.destroy()

    expect(code).toBe(0)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers.connection).toBe('close')
    expect(steps).toEqual(['first', 'second'])
    await expect(ask(serving.port, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('is not held up for longer than the deadline by a request that never ends or an idle connection', async () => {
    const { log, lines } = recordingLogger()
    const serving = await start({ log, shutdownDeadlineMs: 200 })
    const idle = connect(serving.port, '127.0.0.1')
    await once(idle, 'connect')
    const endless = ask(serving.port, '/endless').catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 50))

    const code = await serving.stop('test')

    expect(code).toBe(0)
    expect(await endless).toMatchObject({ code: 'ECONNRESET' })
    expect(lines.filter((line) => line['level'] === 'warn')).toMatchObject([
      { msg: 'Connections were closed by force at the deadline.' },
    ])
  })

  test('tells readiness at once, keeps answering during the delay, and only then stops accepting', async () => {
    const lifecycle = createLifecycle()
    lifecycle.start()
    const isReady = readiness({ lifecycle, checks: {} })
    const serving = await start({ lifecycle, shutdownDelayMs: 200 })

    const stopped = serving.stop('test')
    const readyState = (await isReady()).state
    const during = await ask(serving.port, '/')
    await stopped

    expect(readyState).toBe('draining')
    expect(during.statusCode).toBe(200)
    expect(during.headers.connection).toBe('close')
  })

  test('ends with 1 when a last step fails, and still runs the others', async () => {
    const steps: string[] = []
    const serving = await start({
      beforeExit: [() => Promise.reject(new Error('no')), async () => void steps.push('after')],
    })

    expect(await serving.stop('test')).toBe(1)
    expect(steps).toEqual(['after'])
  })

  test('starts with SIGINT, takes its echo for one, and a later second SIGINT exits at once', async () => {
    const signals = new EventEmitter() as EventEmitter & ServeOptions['signals']
    const exits: number[] = []
    const lifecycle = createLifecycle()
    await start({ lifecycle, signals, exit: (code) => exits.push(code), shutdownDelayMs: 900 })

    signals.emit('SIGINT')
    signals.emit('SIGINT')
    expect(lifecycle.isDraining()).toBe(true)
    expect(exits).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 600))
    signals.emit('SIGINT')

    expect(exits).toEqual([130])
  })
})

describe('a real process', () => {
  test('that gets SIGTERM under load loses no request, exits with 0, and its last log lines are written', async () => {
    const child = spawnService({ shutdownDelayMs: 400 })
    const port = await child.port
    let answered = 0
    let stopping = false
    const client = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      // As a load balancer does, a client leaves when an answer tells it to.
      for (;;) {
        const answer = await ask(port, '/', agent)
        expect(answer.statusCode).toBe(200)
        answered += 1
        if (answer.headers.connection === 'close' && stopping) {
          agent.destroy()
          return
        }
      }
    }
    const clients = Array.from({ length: 40 }, client)
    await new Promise((resolve) => setTimeout(resolve, 500))

    stopping = true
    child.process.kill('SIGTERM')
    await Promise.all(clients)
    const [code] = (await once(child.process, 'close')) as [number]

    expect(answered).toBeGreaterThan(200)
    expect(code).toBe(0)
    expect(child.output()).toContain('"msg":"Stopped."')
  }, 30_000)

  test('whose port is taken ends with 1 and one line that names PORT', async () => {
    const { port } = await start()

    const child = spawnService({ port })
    const [code] = (await once(child.process, 'close')) as [number]

    expect(code).toBe(1)
    expect(child.output().trim().split('\n')).toEqual([expect.stringContaining(`PORT ${port} is in use`)])
  })
})

describe('readiness', () => {
  const fine = () => Promise.resolve()
  const broken = () => Promise.reject(new Error('away'))
  const hanging = () => new Promise<void>(() => {})

  test.each([
    ['ok while everything answers', { a: fine, b: fine }, [], 200, 'ok'],
    ['degraded while one of two is away', { a: fine, b: broken }, [], 200, 'degraded'],
    ['degraded while one of two hangs', { a: fine, b: hanging }, [], 200, 'degraded'],
    ['unavailable while everything is away', { a: broken, b: hanging }, [], 503, 'unavailable'],
    ['unavailable while a required one is away', { a: fine, b: broken }, ['b'], 503, 'unavailable'],
    ['ok without dependencies', {}, [], 200, 'ok'],
  ] as const)('is %s', async (_name, checks, required, status, state) => {
    const lifecycle = createLifecycle()
    const isReady = readiness({ lifecycle, checks, required, deadlineMs: 50 })

    expect(await isReady()).toMatchObject({ status: 503, state: 'starting' })
    lifecycle.start()
    expect(await isReady()).toMatchObject({ status, state })
    lifecycle.drain()
    expect(await isReady()).toMatchObject({ status: 503, state: 'draining' })
  })

  test('asks the dependencies once for all probes of a second', async () => {
    const lifecycle = createLifecycle()
    lifecycle.start()
    let asked = 0
    let now = 0
    const countAsking = async () => {
      asked += 1
    }
    const isReady = readiness({ lifecycle, checks: { a: countAsking }, now: () => now })

    await Promise.all([isReady(), isReady(), isReady()])
    now = 999
    await isReady()
    expect(asked).toBe(1)
    now = 1_000
    await isReady()

    expect(asked).toBe(2)
  })
})

async function start(options: Partial<ServeOptions> = {}): Promise<Serving> {
  const serving = await serve({
    host: '127.0.0.1',
    port: 0,
    lifecycle: createLifecycle(),
    log: recordingLogger().log,
    shutdownDelayMs: 0,
    shutdownDeadlineMs: 1_000,
    signals: new EventEmitter() as unknown as NonNullable<ServeOptions['signals']>,
    parserErrorResponse: (status, from, path) => ({
      headers: ['Content-Type', 'application/problem+json'],
      body: JSON.stringify({ status, from, path, detail: 'Ünlesbar.' }),
    }),
    app: exampleApp(),
    ...options,
  })
  running.push(serving)
  return serving
}

function exampleApp() {
  const app = express()
  app.get('/', (_req, res) => void res.json({ ok: true }))
  app.get('/slow', (_req, res) => void setTimeout(() => res.json({ ok: true }), 300))
  app.get('/endless', () => {})
  app.post('/endless', () => {})
  app.get('/stream', (_req, res) => {
    res.write('begun')
    setTimeout(() => res.end('ended'), 300)
  })
  return app
}

async function ask(port: number, path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, agent }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer))
      answer.once('error', reject)
    })
    request.once('error', reject)
  })
}

/** Sends bytes as they are and returns what comes until the server closes the connection. */
async function send(port: number, bytes: string): Promise<{ head: string; body: string; all: string }> {
  const socket = connect(port, '127.0.0.1')
  let all = ''
  socket.on('data', (chunk) => (all += chunk.toString()))
  socket.on('error', () => {})
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  const [head = '', body = ''] = all.split('\r\n\r\n')
  return { head, body, all }
}

function spawnService({ port = 0, shutdownDelayMs = 0 }: { port?: number; shutdownDelayMs?: number }) {
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url).href)
  const script = `
    import express from 'express'
    import { createLifecycle } from ${source('lifecycle')}
    import { createLogger } from ${source('logger')}
    import { runMain, serve } from ${source('serve')}
    await runMain(async () => {
      const app = express()
      app.get('/', (req, res) => setTimeout(() => res.json({ ok: true }), 20))
      const log = createLogger({ level: 'info', service: 'test' })
      const serving = await serve({
        app, log, host: '127.0.0.1', port: ${port}, lifecycle: createLifecycle(),
        shutdownDelayMs: ${shutdownDelayMs}, shutdownDeadlineMs: 2000,
        parserErrorResponse: () => ({ headers: [], body: '' }),
        onListening: ({ port }) => log.info({ port }, 'Listening.'),
      })
      return serving.finished
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listening = new Promise<number>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        const found = /"port":(\d+)/.exec(output)?.[1]
        if (found !== undefined) resolve(Number(found))
      })
    }
  })
  return { process: child, port: listening, output: () => output }
}
