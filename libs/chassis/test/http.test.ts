import Joi from 'joi'
import { connect, type AddressInfo } from 'node:net'
import type { Server } from 'node:http'
import supertest from 'supertest'
import { endpoint } from '../src/endpoint.ts'
import { mountHealth } from '../src/health.ts'
import { closeHttpApp, createHttpApp, send, type HttpOptions } from '../src/http.ts'
import { json } from '../src/json-body.ts'
import { indexRoutes } from '../src/routes.ts'
import { createServer } from '../src/http-server.ts'
import { recordingLogger } from './logs.ts'

const { log, lines } = recordingLogger()
const options: HttpOptions = {
  ...{ log, publicUrl: 'http://here', trustProxy: 0 },
  limitHeaders: () => ['X-RateLimit-Limit', '7'],
  settle: () => undefined,
}

describe('an app', () => {
  test('takes middleware before an endpoint on its route', async () => {
    const app = createHttpApp(options)
    app.get('/v1/a', (_req, _res, next) => next(), say('a'))
    const { status, body } = await supertest(closeHttpApp(app)).get('/v1/a')
    expect([status, body]).toEqual([200, { said: 'a' }])
  })

  test('does not come up with a route that is not described, or that shares its id', () => {
    const nameless = createHttpApp(options)
    nameless.get('/v1/a', (_req, res) => void res.end())
    expect(() => closeHttpApp(nameless)).toThrow('/v1/a is mounted with 0 descriptions')
    const twice = createHttpApp(options)
    twice.get('/v1/a', say('a'))
    twice.get('/v1/b', say('a'))
    expect(() => closeHttpApp(twice)).toThrow('share one id')
  })

  test('finds the operation that Express finds, also where a fixed path lies under a pattern', async () => {
    const app = createHttpApp(options)
    app.post('/v1/keys/rotate', say('rotate'))
    app.delete('/v1/keys/:id', say('remove'))
    const agent = supertest(closeHttpApp(app))

    expect((await agent.post('/v1/keys/rotate')).body).toEqual({ said: 'rotate' })
    expect((await agent.delete('/v1/keys/rotate')).body).toEqual({ said: 'remove' })
    const wrong = await agent.get('/v1/keys/rotate')
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'DELETE, OPTIONS, POST'])
    expect(indexRoutes(app).find('HEAD', '/v1/nothing')).toEqual({ operation: undefined, allow: undefined })
  })

  test('answers 503 under /v1 until it is started, and everything else', async () => {
    let started = false
    const app = createHttpApp({ ...options, isStarted: () => started })
    app.get('/v1/a', say('a'))
    app.get('/livez', say('alive'))
    const agent = supertest(closeHttpApp(app))

    const early = await agent.get('/v1/a')
    expect([early.status, early.body.code, early.headers['retry-after']]).toEqual([
      503,
      'temporarily_unavailable',
      '5',
    ])
    expect((await agent.get('/livez')).status).toBe(200)
    started = true
    expect((await agent.get('/v1/a')).status).toBe(200)
  })

  test('tells a probe that is answered 503 when to ask again', async () => {
    let status: 200 | 503 = 503
    const app = createHttpApp(options)
    mountHealth(app, () => Promise.resolve({ status, state: status === 503 ? 'starting' : 'ok', checks: {} }))
    const agent = supertest(closeHttpApp(app))

    const early = await agent.get('/readyz')
    expect([early.status, early.headers['retry-after']]).toEqual([503, '1'])
    status = 200
    const later = await agent.get('/readyz')
    expect([later.status, later.headers['retry-after']]).toEqual([200, undefined])
  })

  test('refuses query parameters under /v1 where none are described, and ignores them elsewhere', async () => {
    const app = createHttpApp(options)
    app.get('/v1/a', say('a'))
    app.get('/v1/a/:name', say('named'))
    app.get('/livez', say('alive'))
    const agent = supertest(closeHttpApp(app))

    for (const path of ['/v1/a', '/v1/a/b']) {
      const { status, body } = await agent.get(`${path}?verbose=1`)
      expect([status, body.code, body.detail]).toEqual([
        ...[400, 'validation_failed', 'verbose is not a known query parameter.'],
      ])
      expect(body.errors).toMatchObject([{ parameter: 'verbose', code: 'unknown_parameter' }])
      expect((await agent.get(`${path}?`)).status).toBe(200)
    }
    expect((await agent.get('/livez?verbose=1')).body).toEqual({ said: 'alive' })
  })

  test('does not settle as a success what cannot be written as JSON', async () => {
    const settled: number[] = []
    const app = createHttpApp({ ...options, settle: (_res, status) => void settled.push(status) })
    app.get(
      '/v1/a',
      endpoint(describe_('a'), async (_input, _req, res) => {
        await send(res, 200, { most: 2n ** 64n })
      }),
    )
    const { status, body } = await supertest(closeHttpApp(app)).get('/v1/a')

    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(settled).toEqual([500])
  })

  test('tells nothing of a bug, and logs it', async () => {
    const app = createHttpApp(options)
    app.get(
      '/v1/a',
      endpoint(describe_('a'), () => {
        throw new Error('inner secret')
      }),
    )
    const { status, text, headers } = await supertest(closeHttpApp(app)).get('/v1/a')
    expect([status, headers['x-ratelimit-limit']]).toEqual([500, '7'])
    expect(text).not.toContain('inner')
    expect(lines.some((line) => JSON.stringify(line).includes('inner secret'))).toBe(true)
  })
})

describe('a request that is barely one', () => {
  let server: Server
  beforeAll(async () => {
    const app = createHttpApp(options)
    app.use(json())
    app.post('/v1/a', say('a'))
    server = createServer(closeHttpApp(app), { parserErrorResponse: () => ({ headers: [], body: '' }) })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  afterAll(() => new Promise((done) => server.close(done)))

  test.each([
    ['without Host', 'POST /v1/a HTTP/1.1\r\nConnection: close\r\n\r\n', 'HTTP/1.1 400'],
    [
      'with two lines of Host',
      'POST /v1/a HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n',
      'HTTP/1.1 400',
    ],
    [
      'of HTTP/1.0 with two lines of Host',
      'POST /v1/a HTTP/1.0\r\nHost: a\r\nX: b\r\nHOST: a\r\n\r\n',
      'HTTP/1.1 400',
    ],
    ['of HTTP/1.0 without Host', 'POST /v1/a HTTP/1.0\r\n\r\n', 'HTTP/1.1 200'],
    [
      'with an expectation nobody knows',
      'POST /v1/a HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n',
      'HTTP/1.1 200',
    ],
  ])('%s is answered with all headers', async (_what, request, status) => {
    const answer = await raw((server.address() as AddressInfo).port, request)
    expect(answer).toContain(status)
    expect(answer).toContain('X-RateLimit-Limit: 7')
    expect(answer).toContain('X-Request-Id: req_')
  })
})

function describe_(id: string) {
  return {
    id,
    summary: id,
    tag: 'T',
    access: 'public' as const,
    responses: { 200: { description: 'Said.', schema: Joi.object() } },
  }
}

function say(what: string) {
  return endpoint(describe_(what), (_input, _req, res) => send(res, 200, { said: what }))
}

function raw(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('data', (data) => (answer += data.toString()))
    socket.on('end', () => resolve(answer)).on('error', reject)
  })
}
