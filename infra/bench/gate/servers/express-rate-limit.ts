import express, { type RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { RedisStore, type RedisReply } from 'rate-limit-redis'
import * as setting from './setting.ts'

/* Express with two express-rate-limit limiters on Redis. The key names the caller; nobody checks it. */

const redis = setting.openRedis()
const gate = [
  limiter('daily', setting.daily, setting.daySeconds),
  limiter('monthly', setting.monthly, setting.monthSeconds),
]

const app = express()
app.get('/v1/small', ...gate, (_req, res) => {
  res.json(setting.small)
})
app.post('/v1/calculate', ...gate, express.json(), (_req, res) => {
  res.json(setting.full)
})
app.listen(setting.port, '127.0.0.1')

function limiter(name: string, limit: number, seconds: number): RequestHandler {
  return rateLimit({
    ...{ limit, windowMs: seconds * 1000, standardHeaders: 'draft-8', identifier: name },
    validate: false,
    keyGenerator: (req) => req.get('X-API-Key') ?? '',
    store: new RedisStore({
      prefix: `${setting.prefix}${name}:`,
      sendCommand: (command, ...args) => redis.call(command, ...args) as Promise<RedisReply>, // ioredis types it unknown
    }),
  })
}
