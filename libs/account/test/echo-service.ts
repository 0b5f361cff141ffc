import { mountDocs } from '@hearth/chassis/docs'
import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { httpProblems } from '@hearth/chassis/errors'
import { closeHttpApp, createHttpApp, send } from '@hearth/chassis/http'
import { json } from '@hearth/chassis/json-body'
import { mountHealth } from '@hearth/chassis/health'
import type { Express } from 'express'
import Joi from 'joi'
import {
  accountMigrations,
  accountProblems,
  describeLimits,
  meterProblems,
  type Deployment,
  type Envelope,
  type Plans,
} from '../src/index.ts'
import { startTestApp, type TestApp, type TestAppOptions, type TestParts } from '../testing/test-app.ts'
import { testPlans } from './support.ts'

/** The smallest deployment there can be: it says again what it is told, so the library is tested without any app. */
export const echoDeployment: Deployment = { name: 'test', code: 'slr', keyHeader: 'X-API-Key' }

/** The same with its keys in the Authorization header. */
export const bearerDeployment: Deployment = { name: 'bearer', code: 'vhr', keyHeader: 'Authorization' }

export const echoPlans: Plans = {
  ...testPlans,
  big: { name: 'Big', daily: 100_000, monthly: 3_000_000, features: ['extra'] },
}

/** Starts the echo service in this process on real stores; see startTestApp. */
export function startEcho(
  options: Pick<TestAppOptions, 'settings' | 'redis' | 'log' | 'hasher' | 'ownClock'> = {},
  deployment: Deployment = echoDeployment,
): Promise<TestApp> {
  return startTestApp({
    ...{ deployment, plans: echoPlans, envelope, migrations: [accountMigrations] },
    createApp: (parts) => createEchoApp(deployment, parts),
    ...options,
  })
}

const envelope: Envelope = {
  wrap: (data, at) => ({ data, meta: { timestamp: at.toISOString() } }),
  schema: (data) => record({ data, meta: record({ timestamp: Joi.string() }) }),
}

function createEchoApp(deployment: Deployment, { accounts, http, ready, clock }: TestParts): Express {
  const app = createHttpApp({ ...http, limitHeaders: accounts.limitHeaders, settle: accounts.settle })
  app.use(accounts.meter, json())
  app.post('/v1/echo', echo(clock))
  app.get('/v1/extra', accounts.requireFeature('extra'), extra(clock))
  app.get('/v1/cached', cached())
  app.get('/v1/broken', broken())
  accounts.mount(app)
  mountHealth(app, ready)
  mountDocs(app, {
    ...describeLimits(deployment, echoPlans),
    ...{ title: 'echo', version: '1.0.0', description: 'Echo.', publicUrl: http.publicUrl },
    tags: ['Echo', 'Account', 'Service'].map((name) => ({ name, description: name })),
    commonProblems: meterProblems,
    problems: Object.values({ ...httpProblems, ...accountProblems }),
  })
  return closeHttpApp(app)
}

function echo(clock: () => number): Endpoint {
  return endpoint(
    {
      ...{ id: 'echo', summary: 'Says it again', tag: 'Echo' },
      body: Joi.object<{ text: string }>({ text: Joi.string().max(100_000).required() }),
      responses: {
        200: { description: 'The text.', schema: envelope.schema(record({ text: Joi.string() })) },
      },
    },
    async ({ body }, _req, res) => {
      await send(res, 200, envelope.wrap({ text: body.text }, new Date(clock())))
    },
  )
}

function extra(clock: () => number): Endpoint {
  return endpoint(
    {
      ...{ id: 'extra', summary: 'For plans with the feature', tag: 'Echo' },
      responses: {
        200: { description: 'Done.', schema: envelope.schema(record({ extra: Joi.boolean() })) },
      },
    },
    async (_input, _req, res) => {
      await send(res, 200, envelope.wrap({ extra: true }, new Date(clock())))
    },
  )
}

function cached(): Endpoint {
  return endpoint(
    {
      ...{ id: 'cached', summary: 'Never changes', tag: 'Echo' },
      responses: {
        200: { description: 'The text.', schema: Joi.object() },
        304: { description: 'The same.' },
      },
    },
    async (_input, req, res) => {
      const same = req.headers['if-none-match'] === '"1"'
      await send(res, same ? 304 : 200, same ? undefined : { text: 'same' }, ['ETag', '"1"'])
    },
  )
}

function broken(): Endpoint {
  return endpoint(
    {
      ...{ id: 'broken', summary: 'Fails', tag: 'Echo' },
      responses: { 200: { description: 'Never.', schema: Joi.object() } },
    },
    () => {
      throw new Error('a bug with a secret in it')
    },
  )
}
