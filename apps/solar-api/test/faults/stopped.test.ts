import type { LoadReply } from '@hearth/account/testing/http-load'
import type { RigAccount, ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll } from '@hearth/chassis/testing/service-process'
import { measured, size } from '@hearth/infra/campaign'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { limit, plan } from './burst.ts'
import { calculate, openSolarRig, statuses, withRedis } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 900_000))
afterAll(endAll)

describe('a process that is stopped in the middle of its work and goes on later', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig()
  })
  afterAll(() => rig.close())
  beforeEach(() => rig.serving('redis'))

  const loseRedis = () => {
    for (const number of [0, 2]) rig.instance(number).redisLink().cut()
  }

  /** Keeps a process busy with calls of an account, stops it somewhere among them, and lets it go on after some work. */
  async function stopped({ key }: RigAccount, work: () => Promise<void>): Promise<LoadReply[]> {
    const { pid } = rig.instance(1).service()
    const replies: LoadReply[] = []
    let isOver = false
    const asking = Array.from({ length: 16 }, async () => {
      while (!isOver) replies.push(await calculate(rig, key, { instance: 1 }))
    })
    await sleep(5 + rig.random() * 60)
    process.kill(pid, 'SIGSTOP')
    await work().finally(() => process.kill(pid, 'SIGCONT'))
    await sleep(200)
    isOver = true
    await Promise.all(asking)
    return replies
  }

  /** What Redis has counted of an account, and what Postgres knows of that. */
  async function counts({ tag }: RigAccount): Promise<{ inRedis: number; known: number }> {
    const record = `slr:{${tag}}`
    const inRedis = await withRedis(rig.redis().url, async (redis) => Number(await redis.hget(record, 'p')))
    const days = await rig.database.db
      .selectFrom('usage_day')
      .select('redis_used')
      .where('tag', '=', tag)
      .execute()
    return { inRedis, known: days[0]?.redis_used ?? 0 }
  }

  test('counts nothing in Redis when the others, who have lost Redis, have gone on without it (T01, T13)', async () => {
    for (let run = 0; run < size(4, 40); run++) {
      const account = await rig.account(plan)
      const { key } = account
      const replies = await Promise.all([0, 1, 2].map((instance) => calculate(rig, key, { instance })))
      let before = { inRedis: 0, known: 0 }
      const others: LoadReply[] = []

      const own = await stopped(account, async () => {
        loseRedis()
        await sleep(50) // what was on its way has arrived
        before = await counts(account)
        while (others.at(-1)?.status !== 429) {
          const asking = Array.from({ length: 20 }, () => calculate(rig, key, { instance: 0 }))
          others.push(...(await Promise.all(asking)))
        }
      })
      const after = await counts(account)
      rig.heal()
      await rig.serving('redis')

      const { 200: admitted = 0, 429: refused = 0, ...rest } = statuses([...replies, ...own, ...others])
      const what = JSON.stringify({ seed: rig.seed, run, admitted, refused, before, after })
      measured(`stopped: ${what}`)
      expect([what, rest, after.inRedis]).toEqual([what, {}, before.inRedis])
      // Nobody but the one that was stopped knew of the rest.
      const unknown = before.inRedis - before.known
      expect([what, admitted <= limit + unknown]).toEqual([what, true])
    }
  })

  test.each([
    ['have Redis', () => undefined],
    ['have lost it', loseRedis],
  ])(
    'obeys a revocation that was answered meanwhile, with its first request, when the others %s (T29)',
    async (_, begin) => {
      for (let run = 0; run < size(4, 40); run++) {
        const account = await rig.account('api_business')
        const { key, tag, selector } = account
        const asked: Promise<LoadReply>[] = []

        await stopped(account, async () => {
          begin()
          const path = `/operator/keys/key_${tag}${selector}`
          const { status } = await rig.operate('DELETE', path, undefined, 0)
          expect(status).toBe(200)
          for (let i = 0; i < 40; i++) asked.push(calculate(rig, key, { instance: 1 }))
          await sleep(20) // they have arrived
        })
        const replies = await Promise.all(asked)
        rig.heal()
        await rig.serving('redis')

        measured(`stopped, revoked: ${JSON.stringify(statuses(replies))}`)
        expect([rig.seed, run, statuses(replies)]).toEqual([rig.seed, run, { 401: 40 }])
      }
    },
  )
})

describe('a process that does not notice that it was stopped, as on a virtual machine that was moved', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    const preload = fileURLToPath(new URL('unnoticed-stops.cjs', import.meta.url))
    rig = await openSolarRig({ environment: { NODE_OPTIONS: `--require ${preload}` } })
  })
  afterAll(() => rig.close())
  beforeEach(() => rig.serving('redis'))

  test.each<[when: string, ms: () => number]>([
    ['has arrived', () => -20],
    ['arrives a moment later', () => rig.random() * 45],
  ])(
    'obeys what was answered meanwhile, with its first request, that %s, when the others have lost Redis (T01, T29)',
    async (_, afterMs) => {
      for (let run = 0; run < size(4, 40); run++) {
        const [revoked, used] = [await rig.account(), await rig.account()]
        for (const { key } of [revoked, used]) await calculate(rig, key, { instance: 1 })
        await sleep(300) // written
        rig
          .instance(1)
          .postgresLink()
          .disturb({ down: { latencyMs: 50 } })
        const { pid } = rig.instance(1).service()
        process.kill(pid, 'SIGSTOP')
        for (const number of [0, 2]) rig.instance(number).redisLink().cut()
        const path = `/operator/keys/key_${revoked.tag}${revoked.selector}`
        expect((await rig.operate('DELETE', path, undefined, 0)).status).toBe(200)
        const others = await Promise.all(
          Array.from({ length: 60 }, () => calculate(rig, used.key, { instance: 0 })),
        )
        const ask = () =>
          [revoked, used].flatMap(({ key }) =>
            Array.from({ length: 10 }, () => calculate(rig, key, { instance: 1 })),
          )
        const asked = await aroundGoingOn(pid, afterMs(), ask)
        const replies = await Promise.all(asked)
        rig.heal()
        await rig.serving('redis')

        expect([rig.seed, run, statuses(others)]).toEqual([rig.seed, run, { 200: 49, 429: 11 }])
        expect([rig.seed, run, statuses(replies)]).toEqual([rig.seed, run, { 401: 10, 429: 10 }])
      }
    },
  )

  /** Asks so long after a process goes on, or before when that is negative. */
  async function aroundGoingOn<T>(pid: number, afterMs: number, ask: () => T): Promise<T> {
    if (afterMs < 0) {
      const asked = ask()
      await sleep(-afterMs)
      process.kill(pid, 'SIGCONT')
      return asked
    }
    process.kill(pid, 'SIGCONT')
    await sleep(afterMs)
    return ask()
  }
})
