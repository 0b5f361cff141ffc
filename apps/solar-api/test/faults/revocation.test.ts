import type { LoadReply } from '@hearth/account/testing/http-load'
import { until, type RigAccount, type ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll } from '@hearth/chassis/testing/service-process'
import { measured, size } from '@hearth/infra/campaign'
import { activeKeys, calculate, openSolarRig, patiently, statuses, stores } from './solar-rig.ts'

import.meta.jest.setTimeout(size(180_000, 1_800_000))
afterAll(endAll)

describe.each(stores)('three processes that count in %s', (name, redis) => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ redis, links: false })
    await rig.serving(redis === 'none' ? 'postgres' : 'redis')
  })
  afterAll(() => rig.close())

  test('make exactly one new key of 50 rotations of one key at once (T28)', async () => {
    for (let run = 0; run < size(4, 20); run++) {
      const { key, tag } = await rig.account()
      const rotations = Array.from({ length: 50 }, (_, instance) =>
        // On a busy machine some are told to come back, because those before them hold the account.
        patiently(() => rig.send('/v1/account/keys/rotate', { method: 'POST', key, instance })),
      )

      const replies = await Promise.all(rotations)

      const { 201: made, 401: late = 0, 409: conflict = 0, ...others } = statuses(replies)
      expect([made, late + conflict, others]).toEqual([1, 49, {}])
      const successor: string = replies.find(({ status }) => status === 201)?.body.data.apiKey
      expect(await activeKeys(rig, tag)).toBe(1)
      expect((await calculate(rig, successor)).status).toBe(200)
    }
  })

  test('refuse a key from the answer to its rotation or deletion on (T29)', async () => {
    const refused: LoadReply[] = []
    const trials = size(30, 1_000)
    for (let trial = 0; trial < trials; trial++) {
      const { key, tag, selector } = await rig.account()
      await Promise.all([0, 1, 2].map((instance) => calculate(rig, key, { instance })))

      const change =
        trial % 2 === 0
          ? rig.send('/v1/account/keys/rotate', { method: 'POST', key, instance: trial })
          : rig.send(`/v1/account/keys/key_${tag}${selector}?force=true`, {
              method: 'DELETE',
              key,
              instance: trial,
            })
      expect([200, 201]).toContain((await change).status)
      refused.push(
        ...(await Promise.all([1, 2].map((other) => calculate(rig, key, { instance: trial + other })))),
      )
    }

    measured(
      `T29, ${name}: ${statuses(refused)[401]} of ${trials * 2} checks right after a change were refused`,
    )
    expect(statuses(refused)).toEqual({ 401: trials * 2 })
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['revoked_api_key']))
  })

  /** Each change, what a request shows before it, and what after it. */
  const changes: readonly Change[] = [
    {
      what: 'a revocation',
      make: (account, instance) =>
        rig.send(`/v1/account/keys/key_${account.tag}${account.selector}?force=true`, {
          ...{ method: 'DELETE', key: account.key, instance },
        }),
      isBefore: ({ status }) => status === 404,
      isAfter: ({ status }) => status === 401,
    },
    {
      what: 'a change of plan',
      make: ({ email }, instance) =>
        rig.operate('PUT', `/operator/accounts/${email}/plan`, { plan: 'pro' }, instance),
      isBefore: ({ headers }) => headers['x-ratelimit-limit'] === '50',
      isAfter: ({ headers }) => headers['x-ratelimit-limit'] === '500',
    },
    {
      what: 'a suspension',
      make: ({ email }, instance) =>
        rig.operate('PUT', `/operator/accounts/${email}/suspended`, { suspended: true }, instance),
      isBefore: ({ status }) => status === 404,
      isAfter: ({ status }) => status === 403,
    },
  ]
  test.each(changes)('obey $what in every request that starts after its answer (T29)', async (change) => {
    const checks = { before: 0, after: 0, later: 0, wrong: [] as string[] }
    while (checks.after < size(500, 100_000)) {
      await watchChange(rig, change, checks)
    }
    measured(
      `T29, ${name}, ${change.what}: ${checks.before} checks started before the answer, ${checks.after} after it`,
    )

    expect([rig.seed, checks.wrong]).toEqual([rig.seed, []])
    expect(checks.later).toBeLessThan((checks.before + checks.after) / 100)
  })
})

type Change = {
  readonly what: string
  readonly make: (account: RigAccount, instance: number) => Promise<LoadReply>
  readonly isBefore: (reply: LoadReply) => boolean
  readonly isAfter: (reply: LoadReply) => boolean
}

/** Asks all instances without a pause while one of them makes a change; every request is judged by when it started. */
async function watchChange(
  rig: ServiceRig,
  { make, isBefore, isAfter }: Change,
  checks: { before: number; after: number; later: number; wrong: string[] },
): Promise<void> {
  const account = await rig.account()
  const replies: LoadReply[] = []
  const state = { done: false }
  const watchers = Array.from({ length: 12 }, async (_, instance) => {
    while (!state.done) replies.push(await rig.send('/v1/nothing', { key: account.key, instance }))
  })
  const change = async () => {
    await until('the watchers watch', () => replies.length > 30)
    const answer = await make(account, Math.floor(rig.random() * 3))
    const answeredAt = performance.now()
    const enough = replies.length + 150
    await until('the watchers have seen enough', () => replies.length > enough)
    return { answer, answeredAt }
  }
  const { answer, answeredAt } = await change().finally(() => (state.done = true))
  await Promise.all(watchers)

  if (answer.status !== 200) checks.wrong.push(`the change: ${answer.status} ${answer.text}`)
  for (const reply of replies) {
    if (reply.status === 503) {
      checks.later += 1 // to be told to come back is to be let in by nobody
      continue
    }
    const isLate = reply.startedAt > answeredAt
    checks[isLate ? 'after' : 'before'] += 1
    if (isLate ? isAfter(reply) : isBefore(reply) || isAfter(reply)) continue
    checks.wrong.push(
      `${isLate ? 'after' : 'before'} by ${reply.startedAt - answeredAt} ms: ${reply.status} ${reply.text}`,
    )
  }
}
