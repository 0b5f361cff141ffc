import type { LoadReply } from '@hearth/account/testing/http-load'
import type { RigAccount, ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll } from '@hearth/chassis/testing/service-process'
import { measured, size } from '@hearth/infra/campaign'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseList } from 'structured-headers'
import { responseKinds, tight, type ResponseKind } from './response-kinds.ts'
import { openSolarRig } from './solar-rig.ts'

import.meta.jest.setTimeout(size(180_000, 900_000))
afterAll(endAll)

describe('a process of the service answers', () => {
  const asked = size(10, 100)
  let rig: ServiceRig
  /** The account of each kind, and how many of its answers there were. */
  const accounts = new Map<ResponseKind, RigAccount>()
  beforeAll(async () => {
    const limits = { BURST_PER_SECOND: '1000', SIGNUPS_PER_HOUR: '5', FAILED_AUTH_PER_MINUTE: '60' }
    rig = await openSolarRig({ instances: 2, links: false, environment: { ...limits, TRUST_PROXY: '1' } })
    const short = { BURST_PER_SECOND: '1', SIGNUPS_PER_HOUR: '1', FAILED_AUTH_PER_MINUTE: '3' }
    await rig.instance(tight).service().stop()
    await rig.instance(tight).start(short)
    await rig.serving('redis')
  })
  afterAll(() => rig.close())

  test('in 40 ways and more', () => {
    expect(responseKinds.length).toBeGreaterThanOrEqual(40)
    expect(new Set(responseKinds.map(({ what }) => what)).size).toBe(responseKinds.length)
  })

  test.each(responseKinds)('$what: all headers, and the problem where it is one (T10)', async (kind) => {
    const account = await rig.account(kind.plan ?? 'free')
    accounts.set(kind, account)
    await kind.begin?.(rig, account)
    const problems: string[] = []
    try {
      // Hashing a password takes its time, and is no different the tenth time.
      const count = kind.what === 'signup' ? size(3, 100) : asked
      for (let i = 0; i < count; i++) problems.push(...problemsOf(kind, await kind.ask(rig, account)))
    } finally {
      await kind.end?.(rig)
    }
    expect([...new Set(problems)]).toEqual([])
  })

  test('and only success costs a unit (T11)', async () => {
    await sleep(1_500) // the ledger is written four times a second, once Postgres is back
    const { rows } = await sql<{ tag: string; used: number }>`
      select tag, sum(redis_used - redis_refunded + direct_used - direct_refunded)::int as used
      from usage_day group by tag`.execute(rig.database.db)
    const used = new Map(rows.map((row) => [row.tag, row.used]))
    const table = [...accounts].map(([{ what }, { tag }]) => [what, used.get(tag) ?? 0])
    const expected = [...accounts].map(([{ what, cost = 0 }]) => [what, cost * asked + (before[what] ?? 0)])

    expect(table).toEqual(expected)
    measured(`T10, T11: ${table.length} kinds of answers, ${asked} of each`)
  })
})

/** What accounts had used before they were asked about. */
const before: Readonly<Record<string, number>> = { '429 day': 50, '429 month': 1_500 }

function problemsOf({ status, code }: ResponseKind, reply: LoadReply): string[] {
  const problems = headerProblems(reply)
  if (reply.status !== status) problems.push(`answered ${reply.status}: ${reply.text}`)
  if (status >= 400) problems.push(...bodyProblems(reply, code))
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(reply.headers['retry-after'] ?? ''))
    problems.push(`Retry-After is ${reply.headers['retry-after']}`)
  if (status === 401 && reply.headers['www-authenticate'] === undefined) problems.push('no WWW-Authenticate')
  return problems
}

function headerProblems({ headers }: LoadReply): string[] {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    String(headers[`x-ratelimit-${name}`]),
  )
  const problems = [limit, remaining, reset].flatMap((value = '') =>
    /^(?:0|[1-9]\d{0,9})$/.test(value) ? [] : [`a rate-limit header is ${value}`],
  )
  const seconds = Date.parse(headers.date ?? '') / 1000
  if (!(Number(reset) > seconds)) problems.push(`X-RateLimit-Reset ${reset} is not after ${headers.date}`)
  if (!(Number(remaining) <= Number(limit))) problems.push(`${remaining} of ${limit} remain`)
  const [policy, state] = ['ratelimit-policy', 'ratelimit'].map((name) =>
    parseList(String(headers[name] ?? '')).map(([name]) => String(name)),
  )
  if (policy?.length === 0 || policy?.join() !== state?.join())
    problems.push(`RateLimit of ${policy?.join()} and ${state?.join()}`)
  if (!/^req_\w{18,}$/.test(String(headers['x-request-id']))) problems.push('X-Request-Id')
  return problems
}

function bodyProblems({ headers, body, status }: LoadReply, code: string | undefined): string[] {
  const problems: string[] = []
  if (!/^application\/problem\+json(;|$)/.test(headers['content-type'] ?? ''))
    problems.push(`Content-Type ${headers['content-type']}`)
  if (body.code !== code || body.status !== status) problems.push(`body ${JSON.stringify(body)}`)
  const texts = [body.type, body.title, body.detail, body.requestId]
  if (!texts.every((text) => typeof text === 'string' && text.length > 0))
    problems.push(`a text of ${JSON.stringify(body)}`)
  if (body.requestId !== headers['x-request-id']) problems.push('requestId differs from X-Request-Id')
  if (!/\/errors\/\w+$/.test(String(body.type))) problems.push(`type ${body.type}`)
  return problems
}
