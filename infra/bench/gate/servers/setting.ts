import { Redis } from 'ioredis'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'

/* What every peer is given: where to listen, its stores, the limits, and the answers it is to give. */

export const port = Number(setting('PORT'))
export const databaseUrl = setting('DATABASE_URL')
/** Bodies by path: what GET /v1/small and POST /v1/calculate answer. */
export const small: unknown = JSON.parse(readFileSync(setting('SMALL_ANSWER'), 'utf8'))
export const full: unknown = JSON.parse(readFileSync(setting('FULL_ANSWER'), 'utf8'))

/** Requests per day and month, out of reach. */
export const daily = 2e9
export const monthly = 2e9
export const daySeconds = 86_400
export const monthSeconds = 30 * daySeconds

/** Separates the Redis keys of the peers. */
export const prefix = setting('PREFIX')

export function openRedis(): Redis {
  return new Redis(setting('REDIS_URL'))
}

/** How the peers store keys: SHA-1, because nginx's Lua has no other keyed digest of its own. */
export function digestKey(key: string): string {
  return createHmac('sha1', pepper).update(key).digest('base64')
}

const pepper = setting('KEY_PEPPER')

function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set.`)
  return value
}
