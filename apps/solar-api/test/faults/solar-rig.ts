import type { LoadReply } from '@hearth/account/testing/http-load'
import {
  openServiceRig,
  until,
  type RigAccount,
  type RigRequest,
  type ServiceRig,
  type ServiceRigOptions,
} from '@hearth/account/testing/service-rig'
import { openRedis } from '@hearth/chassis/redis'
import { createLogger } from '@hearth/chassis/logger'
import { send } from '@hearth/chassis/testing/service-process'
import { isCampaign } from '@hearth/infra/campaign'
import { Cluster, type Redis } from 'ioredis'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { deployment } from '../../src/deployment.ts'
import { threeNumbers } from '../support.ts'

/**
 * A rig of this service; see openServiceRig. Its clocks are real, so it is not opened shortly before midnight, when
 * quotas begin anew.
 */
export async function openSolarRig(options: Omit<ServiceRigOptions, 'deployment'> = {}): Promise<ServiceRig> {
  const untilMidnight = dayMs - (Date.now() % dayMs)
  if (untilMidnight < longestFileMs) await sleep(untilMidnight + 1_000)
  return openServiceRig({ deployment, ...options })
}

const dayMs = 86_400_000
const longestFileMs = 120_000

/** The stores on which a deployment can count, by name and as a rig is told. */
export const stores: readonly (readonly [name: string, redis: ServiceRigOptions['redis']])[] = [
  ['one Redis', {}],
  ['a Redis Cluster of three nodes', 'cluster'],
  ['Postgres alone', 'none'],
]

/** A request that costs a unit. */
export function calculate(rig: ServiceRig, key: string, request: RigRequest = {}): Promise<LoadReply> {
  return rig.send('/v1/calculate', { key, body: threeNumbers, ...request })
}

/** Requests that cost a unit, to all instances in turn and with each key in turn, all at once. */
export function calculateAtOnce(
  rig: ServiceRig,
  keys: readonly string[],
  count: number,
): Promise<LoadReply[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) => calculate(rig, keys[i % keys.length] ?? '', { instance: i })),
  )
}

/** Asks again whenever it is told to come back. */
export async function patiently(ask: () => Promise<LoadReply>): Promise<LoadReply> {
  const end = performance.now() + 120_000
  while (performance.now() < end) {
    const reply = await ask()
    if (reply.status !== 503) return reply
    await sleep(100)
  }
  throw new Error('For two minutes there was no answer but to come back.')
}

/** Resolves when an instance answers an account again. */
export function untilServed(rig: ServiceRig, { key }: RigAccount, instance: number): Promise<void> {
  return until(
    `instance ${instance} serves`,
    async () => (await rig.send('/v1/account', { key, instance })).status === 200,
  )
}

/** Whether an answer says when to come back, and that is within half a minute. */
export function isSoon({ headers }: LoadReply): boolean {
  return Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 30
}

/** Resolves when readiness of all instances has this status and body, or that need not be. */
export async function untilReadiness(
  { instances }: ServiceRig,
  wanted: { readonly status: 200 | 503; readonly body: object },
  neednot = () => false,
): Promise<void> {
  let found: unknown[] = []
  const isReached = async () => {
    const replies = await Promise.all(instances.map(({ service }) => send(`${service().baseUrl}/readyz`)))
    found = replies.map(({ status, body }) => ({ status, body: body as unknown }))
    return found.every((one) => isDeepStrictEqual(one, wanted)) || neednot()
  }
  await until('readiness', isReached).catch(() => undefined)
  if (!neednot()) expect(found).toEqual(found.map(() => wanted))
}

/**
 * Tells whether an instance has given Redis up since. Outside a campaign a busy machine may be why: a call on its way
 * then counts twice, and who has just given Redis up when Postgres goes cannot use it before Postgres is back.
 */
export function givesUp({ instances }: ServiceRig): () => boolean {
  const losses = () => instances.flatMap((one) => one.losses()).length
  const before = losses()
  return () => !isCampaign && (losses() > before || instances.some((one) => one.serving() !== 'redis'))
}

/** Expects what is left of a free account to be served, and no call more; less only where Redis was given up. */
export async function expectRest(
  rig: ServiceRig,
  key: string,
  used: number,
  isGivenUp: () => boolean,
): Promise<void> {
  const rest = 50 - used
  const {
    200: served = 0,
    429: refused,
    503: missed = 0,
    ...others
  } = statuses(await calculateAtOnce(rig, [key], 60))
  const isLate = isGivenUp() || (!isCampaign && missed > 0)
  const what = JSON.stringify({ rest, served, refused, missed })
  expect([what, served <= rest, isLate || (served === rest && missed === 0), others]).toEqual([
    what,
    true,
    true,
    {},
  ])
}

/** How many answers had each status. */
export function statuses(replies: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** X-RateLimit-Remaining of the successes, from many to few. */
export function remainingOf(replies: readonly LoadReply[]): number[] {
  return replies
    .filter(({ status }) => status === 200)
    .map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    .toSorted((a, b) => b - a)
}

/**
 * What the account endpoint says is used: the counters that are enforced. Outside a campaign a busy machine may answer
 * Postgres so late that the service tells to come back.
 */
export async function usedOf(
  rig: ServiceRig,
  key: string,
  instance = 0,
): Promise<{ daily: number; monthly: number }> {
  const ask = () => rig.send('/v1/account/usage', { key, instance })
  const { status, body } = isCampaign ? await ask() : await patiently(ask)
  if (status !== 200) throw new Error(`usage: ${status} ${JSON.stringify(body)}`)
  const { daily, monthly } = body.data.windows
  return { daily: daily.used, monthly: monthly.used }
}

/** Sets what an account has used today, before it is first asked about. */
export async function setUsedToday(rig: ServiceRig, tag: string, used: number): Promise<void> {
  const day = Math.floor(Date.now() / dayMs)
  await rig.database.db.insertInto('usage_day').values({ tag, day, redis_used: used }).execute()
}

/** count, count - 1, … down to 0. */
export function downFrom(count: number): number[] {
  return Array.from({ length: count + 1 }, (_, i) => count - i)
}

const silent = createLogger({ level: 'silent', service: 'rig' })

/** Works on Redis beside the service. */
export async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = openRedis(url, { log: silent, commandTimeoutMs: 10_000 })
  if (redis instanceof Cluster) throw new Error('One node at a time.')
  await new Promise((resolve) => redis.once('ready', resolve))
  return work(redis).finally(() => redis.disconnect())
}

/** Keys in Redis that would never go. */
export async function keysWithoutExpiry(redis: Redis): Promise<string[]> {
  const keys = await redis.keys('*')
  const lifetimes = await Promise.all(keys.map((key) => redis.ttl(key)))
  return keys.filter((_, i) => lifetimes[i] === -1)
}

/** How many keys of an account are not revoked. */
export async function activeKeys(rig: ServiceRig, tag: string): Promise<number> {
  const keys = await rig.database.db
    .selectFrom('api_key')
    .select('selector')
    .where('tag', '=', tag)
    .where('revoked_at', 'is', null)
    .execute()
  return keys.length
}
