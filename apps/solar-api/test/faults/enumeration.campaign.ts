import type { LoadReply } from '@hearth/account/testing/http-load'
import type { ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll, newSecret } from '@hearth/chassis/testing/service-process'
import { measured } from '@hearth/infra/campaign'
import { openSolarRig, patiently } from './solar-rig.ts'

import.meta.jest.setTimeout(900_000)
afterAll(endAll)

const trials = 200

describe('who measures how long an answer takes', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ instances: 1, links: false, environment: { TRUST_PROXY: '1' } })
    await rig.serving('redis')
  })
  afterAll(() => rig.close())

  const body = (email: string) => ({ name: 'Ann', email, password: 'an unusual pass phrase' })
  const newEmail = () => `${newSecret()}@example.com`

  test('does not learn whether an address has an account (T55)', async () => {
    const email = newEmail()
    await rig.send('/v1/signup', { body: body(email) })
    const existing = () => rig.send('/v1/signup', { body: body(email) })
    const unused = () => rig.send('/v1/signup', { body: body(newEmail()) })
    await compare('signup: taken against new', existing, unused)
    // More than ten wrong passwords from one address are not looked at, so each comes from another one.
    let count = 0
    const signIn = (to: string) => {
      count += 1
      const headers = { 'X-Forwarded-For': `10.1.${count >> 8}.${count & 255}` }
      return rig.send('/v1/account/sessions', { body: { email: to, password: 'not the password' }, headers })
    }
    await compare(
      'sign-in: wrong password against unknown address',
      () => signIn(email),
      () => signIn(newEmail()),
    )
  })

  test('does not learn whether a key of another account exists (T55)', async () => {
    const [own, other] = [await rig.account(), await rig.account()]
    const remove = (id: string) => rig.send(`/v1/account/keys/${id}`, { method: 'DELETE', key: own.key })
    await compare(
      'key id: foreign against absent',
      () => remove(`key_${other.tag}${other.selector}`),
      () => remove(`key_${other.tag}0000`),
    )
  })
})

/**
 * Measures both, and expects times that tell nothing: medians within 5 ms or a tenth, and a rank-sum test that finds no
 * difference (p over 0.01). Of times that are alike one measurement in a hundred has a smaller p all the same, and on a
 * busy machine medians wander; so what is found must be found three times in a row, which chance does once in a
 * million. What differs for a reason is found each time.
 */
async function compare(
  what: string,
  one: () => Promise<LoadReply>,
  other: () => Promise<LoadReply>,
): Promise<void> {
  const found: string[] = []
  for (let attempt = 0; attempt < 3; attempt++) {
    const [times, shapes] = await measure(one, other)
    // Only of a signup the contract says whether the address is taken.
    const isTold = what.startsWith('signup')
    if (!isTold) expect([what, shapes[0]]).toEqual([what, shapes[1]])
    expect(shapes.map(({ size }) => size)).toEqual([1, 1])
    const [a, b] = times.map(median) as [number, number]
    const p = mannWhitney(...times)
    found.push(`medians ${a.toFixed(2)} and ${b.toFixed(2)} ms, Mann-Whitney p ${p.toFixed(3)}`)
    measured(`T55 ${what}: ${found.at(-1)}`)
    const difference = Math.abs(a - b)
    const isAlike = difference <= 5 || difference <= 0.1 * Math.max(a, b)
    // Who is told by the answer learns nothing from ranks; an account that is made takes a little longer.
    if (isAlike && (isTold || p > 0.01)) return
  }
  expect([what, found]).toEqual([what, 'no difference'])
}

/** How long both take, in pairs whose order is random, and what the answers look like. */
async function measure(one: () => Promise<LoadReply>, other: () => Promise<LoadReply>) {
  const times: [number[], number[]] = [[], []]
  const shapes: [Set<string>, Set<string>] = [new Set(), new Set()]
  for (let trial = -5; trial < trials; trial++) {
    const order = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)
    for (const of of order) {
      const reply = await patiently([one, other][of] ?? one)
      shapes[of].add(shapeOf(reply))
      if (trial >= 0) times[of].push(reply.endedAt - reply.startedAt)
    }
  }
  return [times, shapes] as const
}

/** What an answer tells besides ids and times. */
function shapeOf({ status, headers, body }: LoadReply): string {
  const { code, title, detail } = body as Record<string, unknown>
  const said = String(detail).replaceAll(/key_\w+|\S+@\S+/g, 'ID')
  // A connection ends after so many requests, and the last answer on it says so by leaving this out.
  const names = Object.keys(headers).filter((name) => name !== 'keep-alive')
  return JSON.stringify([status, names.toSorted(), code, title, said])
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
}

/** Two-sided p of the rank-sum test, by its normal approximation. */
function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))]
  const ranked = all.toSorted((x, y) => x.value - y.value)
  const rankSum = ranked.reduce((sum, { isA }, rank) => sum + (isA ? rank + 1 : 0), 0)
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const mean = (a.length * b.length) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  return 2 * (1 - normalCdf(Math.abs(u - mean) / deviation))
}

/** Abramowitz and Stegun 26.2.17. */
function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * x)
  const series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
  const tail = series.reduceRight((sum, coefficient) => (sum + coefficient) * t, 0)
  return 1 - (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * tail
}
