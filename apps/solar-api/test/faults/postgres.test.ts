import type { LoadReply } from '@hearth/account/testing/http-load'
import { until, type ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll, newSecret, send } from '@hearth/chassis/testing/service-process'
import { isAlive } from '@hearth/infra/processes'
import { measured, size } from '@hearth/infra/campaign'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  calculateAtOnce,
  expectRest,
  givesUp,
  isSoon,
  openSolarRig,
  statuses,
  untilReadiness,
  untilServed,
  usedOf,
} from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 900_000))
afterAll(endAll)

const unavailable = {
  status: 503,
  body: { status: 'unavailable', checks: { postgres: 'failed', redis: 'failed' } },
} as const

describe('three processes whose Postgres', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig()
  })
  afterAll(() => rig.close())
  beforeEach(() => rig.serving('redis'))
  afterEach(async () => {
    rig.postgres.resume()
    rig.redis().resume()
  })

  const outages: readonly (readonly [string, () => Promise<unknown>, () => Promise<unknown>])[] = [
    [
      'hang',
      async () => [rig.postgres, rig.redis()].map((store) => store.pause()),
      async () => [rig.redis(), rig.postgres].map((store) => store.resume()),
    ],
    [
      'are killed',
      () => Promise.all([rig.postgres, rig.redis()].map((store) => store.kill())),
      () => Promise.all([rig.redis(), rig.postgres].map((store) => store.restart())),
    ],
  ]
  test.each(outages)(
    'and Redis %s together: nothing is admitted, the processes live and are not ready, and all goes on after (T23)',
    async (_what, begin, end) => {
      const account = await rig.account()
      expect(statuses(await calculateAtOnce(rig, [account.key], 20))).toEqual({ 200: 20 })
      await sleep(500)

      await begin()
      const during: LoadReply[] = []
      const alive: number[] = []
      const until = performance.now() + size(2_000, 5_000)
      while (performance.now() < until) {
        during.push(...(await calculateAtOnce(rig, [account.key], 3)))
        for (const { service } of rig.instances) alive.push((await send(`${service().baseUrl}/livez`)).status)
      }
      await untilReadiness(rig, unavailable)
      await end()
      await rig.serving('redis')
      for (const { number } of rig.instances) await untilServed(rig, account, number)

      // What was asked before an instance knew may have been answered by nobody, and counted.
      const { 200: admitted = 0, 503: later = 0, ...others } = statuses(during)
      expect([admitted, others]).toEqual([0, {}])
      expect(later).toBe(during.length)
      expect(during.every(isSoon)).toBe(true)
      expect(new Set(during.map(({ body }) => body.code))).toEqual(new Set(['temporarily_unavailable']))
      expect(new Set(alive)).toEqual(new Set([200]))
      const { daily } = await usedOf(rig, account.key)
      expect(daily).toBeGreaterThanOrEqual(20)
      await expectRest(rig, account.key, daily, givesUp(rig))
    },
  )

  test.each(outages)(
    'and Redis %s together: a process that is told to end does, within the 30 s that Kubernetes gives, and says so',
    async (_what, begin, end) => {
      const account = await rig.account()
      await calculateAtOnce(rig, [account.key], 20)
      await begin()
      await untilReadiness(rig, unavailable)
      const one = rig.instance(2)
      const startedAt = performance.now()

      const code = await one.service().stop('SIGTERM')
      const tookMs = performance.now() - startedAt
      const said = one.service().output()
      await end()
      await one.start()

      measured(`told to end with both away: ${tookMs.toFixed(0)} ms`)
      expect([code, said.includes('A step before the exit failed.')]).toEqual([1, true])
      expect(tookMs).toBeLessThan(30_000)
    },
  )

  test('crashes again and again: what was answered stands, every key that was handed out works (T22)', async () => {
    const pids = rig.instances.map(({ service }) => service().pid)
    const [signups, kills] = [size(24, 340), size(2, 5)]
    const made: string[] = []
    const state = { done: 0 }
    const workers = Array.from({ length: 6 }, async (_, worker) => {
      for (let i = worker; i < signups; i += 6) {
        made.push(await signUpAndRotate(rig))
        state.done += 1
      }
    })
    for (let kill = 1; kill <= kills; kill++) {
      await until(`${kill} of ${kills} parts are done`, () => state.done >= (signups * kill) / (kills + 1))
      await rig.postgres.kill()
      await rig.postgres.restart()
    }
    await Promise.all(workers)
    measured(`T22: ${signups} signups and ${2 * signups} rotations over ${kills} crashes`)

    const replies = await Promise.all(made.map((key) => patiently(() => rig.send('/v1/account', { key }))))
    expect(statuses(replies)).toEqual({ 200: signups })
    expect(pids.map(isAlive)).toEqual([true, true, true])
    const { rows } = await sql`
      select (select count(*) from account where password_hash <> '-') as made,
        (select count(*) from account a where not exists
          (select from api_key k where k.tag = a.tag and k.revoked_at is null) and a.password_hash <> '-') as keyless,
        (select count(*) from (select tag from api_key where revoked_at is null group by tag having count(*) > 1) t) as twice`.execute(
      rig.database.db,
    )
    expect(rows).toEqual([{ made: signups, keyless: 0, twice: 0 }])
  })
})

/** Signs up and rotates twice, as a careful client does: what was not answered is sent again, unchanged. */
async function signUpAndRotate(rig: ServiceRig): Promise<string> {
  const body = { name: 'Ann', email: `${newSecret()}@example.com`, password: newSecret() }
  const signup = await patiently(idempotent(rig, '/v1/signup', { body }))
  let key: string = signup.body.data.apiKey
  for (let i = 0; i < 2; i++) {
    const rotated = await patiently(idempotent(rig, '/v1/account/keys/rotate', { method: 'POST', key }))
    key = rotated.body.data.apiKey
  }
  return key
}

function idempotent(rig: ServiceRig, path: string, request: object): () => Promise<LoadReply> {
  const headers = { 'Idempotency-Key': newSecret() }
  return () => rig.send(path, { ...request, headers })
}

/** Asks again until there is an answer that is no 503 (and no conflict with the first, still unfinished, attempt). */
async function patiently(ask: () => Promise<LoadReply>): Promise<LoadReply> {
  const end = performance.now() + 120_000
  while (performance.now() < end) {
    const reply = await ask()
    if (reply.status !== 0 && reply.status !== 503 && reply.body.code !== 'idempotency_conflict') return reply
    await sleep(50)
  }
  throw new Error('For two minutes there was no answer but to come back.')
}
