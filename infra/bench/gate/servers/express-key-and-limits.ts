import express, { type RequestHandler } from 'express'
import pg from 'pg'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import * as setting from './setting.ts'

/* The usual stack: Express, the key looked up in Postgres, two rate-limiter-flexible limiters on Redis. */

const pool = new pg.Pool({ connectionString: setting.databaseUrl })
const storeClient = setting.openRedis()
const limiters = [
  limiter('daily', setting.daily, setting.daySeconds),
  limiter('monthly', setting.monthly, setting.monthSeconds),
]

const gate: RequestHandler = async (req, res, next) => {
  const digest = setting.digestKey(req.get('X-API-Key') ?? '')
  const { rows } = await pool.query<{ account: string; revoked: boolean }>(
    'select account, revoked from peer_key where digest = $1',
    [digest],
  )
  const [key] = rows
  if (key === undefined || key.revoked) {
    res.status(401).json({ error: 'invalid key' })
    return
  }
  for (const one of limiters) {
    const { remainingPoints, msBeforeNext } = await one.consume(key.account)
    res.set('X-RateLimit-Limit', String(one.points))
    res.set('X-RateLimit-Remaining', String(remainingPoints))
    res.set('X-RateLimit-Reset', String(Math.ceil((Date.now() + msBeforeNext) / 1000)))
  }
  next()
}

const app = express()
app.get('/v1/small', gate, (_req, res) => {
  res.json(setting.small)
})
app.post('/v1/calculate', gate, express.json(), (_req, res) => {
  res.json(setting.full)
})
app.listen(setting.port, '127.0.0.1')

function limiter(name: string, points: number, duration: number): RateLimiterRedis {
  return new RateLimiterRedis({ storeClient, keyPrefix: `${setting.prefix}${name}`, points, duration })
}
