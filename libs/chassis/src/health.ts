import type { Express } from 'express'
import Joi from 'joi'
import { endpoint, record } from './endpoint.ts'
import { send } from './http.ts'
import type { Readiness } from './lifecycle.ts'

/** Mounts `/livez` (the process runs) and `/readyz` (it should get requests): public, never limited. */
export function mountHealth(app: Express, ready: () => Promise<Readiness>): void {
  app.get('/livez', livez)
  app.get('/readyz', readyz(ready))
}

const livez = endpoint(
  {
    id: 'getLiveness',
    summary: 'The process runs',
    tag: 'Service',
    access: 'public',
    responses: { 200: { description: 'It does.', schema: record({ status: Joi.string().valid('ok') }) } },
  },
  (_input, _req, res) => send(res, 200, { status: 'ok' }),
)

function readyz(ready: () => Promise<Readiness>) {
  const schema = record({
    status: Joi.string().valid('ok', 'degraded', 'starting', 'draining', 'unavailable'),
    checks: Joi.object().pattern(Joi.string(), Joi.string().valid('ok', 'failed')),
  })
  return endpoint(
    {
      id: 'getReadiness',
      summary: 'The process should get requests',
      description:
        '`degraded` (200): a dependency is away and requests are answered as documented. 503: starting, draining, or every dependency is away.',
      tag: 'Service',
      access: 'public',
      responses: {
        200: { description: 'It should.', schema },
        503: { description: 'It should not, for now.', schema, headers: ['Retry-After'] },
      },
    },
    async (_input, _req, res) => {
      const { status, state, checks } = await ready()
      const headers = status === 503 ? ['Retry-After', '1'] : []
      await send(res, status, { status: state, checks }, headers)
    },
  )
}
