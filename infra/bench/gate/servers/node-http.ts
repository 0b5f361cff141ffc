import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import * as setting from './setting.ts'

/* Bare node:http with one Redis script per request: about as little as a gate can do without giving up exactness. */

const redis = setting.openRedis()
redis.defineCommand('quota', {
  numberOfKeys: 1,
  lua: readFileSync(new URL('quota.lua', import.meta.url), 'utf8'),
})
const { quota } = redis as unknown as { quota: (...args: readonly (string | number)[]) => Promise<number[]> }

createServer((req, res) => {
  const key = String(req.headers['x-api-key'])
  void pass(key).then(([outcome, today = 0]) => {
    if (outcome !== 1) end(res, outcome === 0 ? 401 : 429, { error: 'refused' }, 0)
    else if (req.method === 'GET') end(res, 200, setting.small, today)
    else read()
  })

  function read(): void {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      end(res, 200, setting.full, 0)
    })
  }
}).listen(setting.port, '127.0.0.1')

function pass(key: string): Promise<number[]> {
  const now = new Date()
  const day = Math.floor(now.getTime() / 86_400_000)
  const month = now.getUTCFullYear() * 12 + now.getUTCMonth()
  const record = `${setting.prefix}${key.slice(9, 19)}`
  return quota.call(redis, record, setting.digestKey(key), day, month, setting.daily, setting.monthly)
}

function end(res: ServerResponse, status: number, answer: unknown, used: number): void {
  const body = JSON.stringify(answer)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-RateLimit-Limit': setting.daily,
    'X-RateLimit-Remaining': setting.daily - used,
    'X-RateLimit-Reset': Math.ceil(Date.now() / 86_400_000) * 86_400,
  })
  res.end(body)
}
