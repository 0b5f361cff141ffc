import type { LoadReply } from '@hearth/account/testing/http-load'
import { until, type RigAccount, type ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll, newSecret } from '@hearth/chassis/testing/service-process'
import { measured, size } from '@hearth/infra/campaign'
import { commandOf } from '@hearth/infra/processes'
import { connect } from 'node:net'
import { calculate, openSolarRig, statuses } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 1_800_000))
afterAll(endAll)

describe('three processes', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ links: false })
    await rig.serving('redis')
  })
  afterAll(() => rig.close())

  test('make exactly one new key of 50 rotations of one key at once (T28)', async () => {
    for (let run = 0; run < size(4, 20); run++) {
      const { key, tag } = await rig.account()
      const rotations = Array.from({ length: 50 }, (_, instance) =>
        rig.send('/v1/account/keys/rotate', { method: 'POST', key, instance }),
      )

      const replies = await Promise.all(rotations)

      const { 201: made, 401: late = 0, 409: conflict = 0, 503: busy = 0, ...others } = statuses(replies)
      expect([made, late + conflict + busy, others]).toEqual([1, 49, {}])
      const successor: string = replies.find(({ status }) => status === 201)?.body.data.apiKey
      expect(await activeKeys(rig, tag)).toBe(1)
      expect((await calculate(rig, successor)).status).toBe(200)
    }
  })

  test('refuse a key from the answer to its rotation or deletion on (T29)', async () => {
    const refused: LoadReply[] = []
    const trials = size(60, 1_000)
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
    const checks = { before: 0, after: 0, wrong: [] as string[] }
    while (checks.before + checks.after < size(1_500, 105_000)) {
      await watchChange(rig, change, checks)
    }
    measured(`${change.what}: ${checks.before} checks started before the answer, ${checks.after} after it`)

    expect([rig.seed, checks.wrong]).toEqual([rig.seed, []])
    expect(checks.after).toBeGreaterThan((checks.before + checks.after) / 4)
  })

  test('make one account of many signups of one address at once (T30)', async () => {
    for (let run = 0; run < size(1, 20); run++) {
      const id = newSecret()
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '')
      const spellings = [
        `jos\u00e9.${id}@b\u00fccher.example`,
        `JOSE\u0301.${id}@xn--bcher-kva.example`,
        ` jos\u00e9.${id}@B\u00dcCHER.example `,
      ]
      const signups = Array.from({ length: size(18, 50) }, (_, i) => {
        const body = { name: 'Ann', email: spellings[i % 3], password: 'an unusual pass phrase' }
        return patiently(() => rig.send('/v1/signup', { body, instance: i }))
      })

      const replies = await Promise.all(signups)

      expect(statuses(replies)).toEqual({ 201: 1, 409: signups.length - 1 })
    }
  })

  test('give a rotated key again whose answer was lost, and nothing else for its Idempotency-Key (T31)', async () => {
    for (let run = 0; run < size(3, 30); run++) {
      const { key, tag } = await rig.account()
      const idempotencyKey = newSecret()
      await rotateAndHangUp(rig, key, tag, idempotencyKey)
      const headers = { 'Idempotency-Key': idempotencyKey }

      const again = await rig.send('/v1/account/keys/rotate', { method: 'POST', key, headers })
      const other = await rig.send('/v1/account/keys/rotate', { method: 'POST', key })

      expect([again.status, other.status, other.body.code]).toEqual([201, 401, 'revoked_api_key'])
      expect(await activeKeys(rig, tag)).toBe(1)
      expect((await calculate(rig, again.body.data.apiKey)).status).toBe(200)
    }
  })

  test('give a signup again with its Idempotency-Key, refuse another with it, and sign in who has lost the key (T31)', async () => {
    const body = { name: 'Ann', email: `${newSecret()}@example.com`, password: newSecret() }
    const headers = { 'Idempotency-Key': newSecret() }
    const first = await rig.send('/v1/signup', { body, headers })
    const again = await rig.send('/v1/signup', { body, headers })
    const other = await rig.send('/v1/signup', { body: { ...body, name: 'Bob' }, headers })

    expect([first.status, again.status, again.body.data.apiKey]).toEqual([201, 201, first.body.data.apiKey])
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
    const { email, password } = body
    const session = await rig.send('/v1/account/sessions', { body: { email, password } })
    const made = await rig.send('/v1/account/keys', {
      ...{ body: { name: 'found again' }, headers: { Authorization: `Bearer ${session.body.data.token}` } },
    })
    expect((await calculate(rig, made.body.data.apiKey)).status).toBe(200)
  })

  test('show no secret in the list of processes (T33)', () => {
    const lines = rig.instances.map(({ service }) => commandOf(service().pid))
    expect(lines.every((line) => line.includes('main.ts'))).toBe(true)
    expect(lines.filter((line) => /PEPPER|SECRET|TOKEN|postgres:|redis:/i.test(line))).toEqual([])
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
  checks: { before: number; after: number; wrong: string[] },
): Promise<void> {
  const account = await rig.account()
  const replies: LoadReply[] = []
  const state = { done: false }
  const watchers = Array.from({ length: 12 }, async (_, instance) => {
    while (!state.done) replies.push(await rig.send('/v1/nothing', { key: account.key, instance }))
  })
  await until('the watchers watch', () => replies.length > 30)
  const answer = await make(account, Math.floor(rig.random() * 3))
  const answeredAt = performance.now()
  const enough = replies.length + 150
  await until('the watchers have seen enough', () => replies.length > enough)
  state.done = true
  await Promise.all(watchers)

  if (answer.status !== 200) checks.wrong.push(`the change: ${answer.status} ${answer.text}`)
  for (const reply of replies) {
    const isLate = reply.startedAt > answeredAt
    checks[isLate ? 'after' : 'before'] += 1
    if (isLate ? isAfter(reply) : isBefore(reply) || isAfter(reply)) continue
    checks.wrong.push(
      `${isLate ? 'after' : 'before'} by ${reply.startedAt - answeredAt} ms: ${reply.status} ${reply.text}`,
    )
  }
}

async function activeKeys(rig: ServiceRig, tag: string): Promise<number> {
  const keys = await rig.database.db
    .selectFrom('api_key')
    .select('selector')
    .where('tag', '=', tag)
    .where('revoked_at', 'is', null)
    .execute()
  return keys.length
}

/** Rotates a key and cuts the connection as soon as the rotation is in the database. */
async function rotateAndHangUp(
  rig: ServiceRig,
  key: string,
  tag: string,
  idempotencyKey: string,
): Promise<void> {
  const { port } = new URL(rig.instance().service().baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  const lines = [
    'POST /v1/account/keys/rotate HTTP/1.1',
    ...['Host: x', `X-API-Key: ${key}`, `Idempotency-Key: ${idempotencyKey}`, 'Content-Length: 0', '', ''],
  ]
  socket.write(lines.join('\r\n'))
  const keys = () => rig.database.db.selectFrom('api_key').select('selector').where('tag', '=', tag).execute()
  await until('the key is rotated', async () => (await keys()).length === 2)
  socket.resetAndDestroy()
}

/** As a client that waits as it is told: 503 means that too many passwords were waiting. */
async function patiently(ask: () => Promise<LoadReply>): Promise<LoadReply> {
  for (;;) {
    const reply = await ask()
    if (reply.status !== 503) return reply
    await new Promise((resume) => setTimeout(resume, 100))
  }
}
