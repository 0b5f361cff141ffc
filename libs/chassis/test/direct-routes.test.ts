import type { Express, RequestHandler } from 'express'
import Joi from 'joi'
import supertest from 'supertest'
import { directRoutes } from '../src/direct-routes.ts'
import { endpoint } from '../src/endpoint.ts'
import { HttpError, httpProblems } from '../src/errors.ts'
import { closeHttpApp, createHttpApp, send, type HttpOptions } from '../src/http.ts'
import { json } from '../src/json-body.ts'
import { createServer } from '../src/http-server.ts'
import { recordingLogger } from './logs.ts'

const { log } = recordingLogger()
const options: HttpOptions = {
  ...{ log, publicUrl: 'http://here', trustProxy: 1 },
  limitHeaders: () => ['X-RateLimit-Limit', '7'],
  settle: () => undefined,
}

/** An app with all kinds of routes; every handler that is passed leaves its name. */
function anApp(): Express {
  const app = createHttpApp(options)
  app.use(pass('first'), pass('later', true), json())
  app.get('/v1/plain', say('plain'))
  app.post('/v1/plain', pass('own'), say('plainPost'))
  app.get('/v1/items/:id', say('item'))
  app.get('/v1/items/all', say('hidden'))
  app.delete('/v1/items/all', say('removed'))
  app.use(pass('middle'))
  app.get('/v1/after', say('after'))
  app.get(
    '/v1/thrown',
    fail('thrown', () => refuse()),
  )
  app.get(
    '/v1/rejected',
    fail('rejected', async () => refuse()),
  )
  app.get('/v1/refused', (_req, _res, next) => next(refusal()), say('refused'))
  app.get(
    '/v1/bug',
    fail('bug', () => JSON.parse('{')),
  )
  return closeHttpApp(app)
}

const server = createServer(anApp(), { parserErrorResponse: () => ({ headers: [], body: '' }) })
const direct = supertest(server)
const express = supertest(anApp())

test.each([
  ['get', '/v1/plain'],
  ['get', '/v1/plain?a=1'],
  ['post', '/v1/plain'],
  ['put', '/v1/plain'],
  ['head', '/v1/plain'],
  ['options', '/v1/plain'],
  ['get', '/v1/plain/'],
  ['get', '/V1/plain'],
  ['get', '/v1/items/7'],
  ['get', '/v1/items/all'],
  ['delete', '/v1/items/all'],
  ['get', '/v1/after'],
  ['get', '/v1/thrown'],
  ['get', '/v1/rejected'],
  ['get', '/v1/refused'],
  ['get', '/v1/bug'],
  ['get', '/v1/nothing'],
  ['get', '/'],
] as const)('%s %s is answered as Express answers it', async (method, path) => {
  const [ours, theirs] = await Promise.all([direct, express].map((agent) => ask(agent, method, path)))
  expect(ours).toEqual(theirs)
})

test('an app with middleware on some paths only is left to Express', async () => {
  const app = createHttpApp(options)
  app.use('/v1/guarded', (_req, _res, next) => next(refusal()))
  app.get('/v1/guarded', say('guarded'))
  app.get('/v1/open', say('open'))
  const agent = supertest(directRoutes(closeHttpApp(app)))

  expect((await agent.get('/v1/guarded')).status).toBe(404)
  expect((await agent.get('/v1/open')).body).toMatchObject({ said: 'open' })
})

type Method = 'get' | 'post' | 'put' | 'delete' | 'head' | 'options'

async function ask(agent: supertest.Agent, method: Method, path: string) {
  const sent = agent[method](path).set('X-Forwarded-For', '10.1.2.3')
  const { status, body, headers } = await (method === 'post' ? sent.send({ a: 1 }) : sent)
  const answer = { ...(body as Record<string, unknown>), requestId: undefined }
  return { status, answer, headers: { ...headers, date: '', 'x-request-id': '' } }
}

function pass(name: string, later = false): RequestHandler {
  return (req, _res, next) => {
    const passed = (req as { passed?: string[] }).passed ?? []
    Object.assign(req, { passed: [...passed, name] })
    if (later) setImmediate(next)
    else next()
  }
}

function say(id: string) {
  return endpoint(describe_(id), (_input, req, res) => {
    const { originalUrl, baseUrl, params, query, ip, path, body } = req
    const { passed } = req as { passed?: string[] }
    return send(res, 200, {
      said: id,
      passed,
      originalUrl,
      baseUrl,
      params,
      query,
      ip,
      path,
      body: body as unknown,
    })
  })
}

function fail(id: string, handle: () => unknown) {
  return endpoint(describe_(id), handle)
}

function refusal(): HttpError {
  return new HttpError(httpProblems.not_found, 'It is refused.')
}

function refuse(): never {
  throw refusal()
}

function describe_(id: string) {
  return {
    ...{ id, summary: id, tag: 'T', access: 'public' as const },
    responses: { 200: { description: 'Said.', schema: Joi.object() } },
  }
}
