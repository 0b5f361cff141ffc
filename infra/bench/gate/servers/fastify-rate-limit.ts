import rateLimit from '@fastify/rate-limit'
import fastify from 'fastify'
import * as setting from './setting.ts'

/* Fastify with two @fastify/rate-limit limiters on Redis. The key names the caller; nobody checks it. */

const redis = setting.openRedis()
const app = fastify()
await app.register(rateLimit, limiter('daily', setting.daily, setting.daySeconds))
await app.register(rateLimit, limiter('monthly', setting.monthly, setting.monthSeconds))
app.get('/v1/small', async () => setting.small)
app.post('/v1/calculate', async () => setting.full)
await app.listen({ port: setting.port, host: '127.0.0.1' })

function limiter(name: string, max: number, seconds: number) {
  return {
    ...{ redis, max, timeWindow: seconds * 1000, nameSpace: `${setting.prefix}${name}:` },
    keyGenerator: (req: { headers: Record<string, unknown> }) => String(req.headers['x-api-key']),
  }
}
