import { size } from '@hearth/infra/campaign'
import fc from 'fast-check'
import { digestKey, makeKey, randomBase62 } from '../../src/keys.ts'
import { testSettings, type TestApp } from '../../testing/test-app.ts'
import { startEcho } from '../echo-service.ts'

import.meta.jest.setTimeout(size(60_000, 900_000))

const dayMs = 86_400_000
const text = { text: 'a' }

/** Any instant of this century, most of them within a second of the end of a day, a month or a year. */
const days = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0, 1) / dayMs, max: Date.UTC(2099, 11, 31) / dayMs }),
  fc
    .tuple(fc.integer({ min: 2026, max: 2099 }), fc.constantFrom(0, 1, 1, 1, 3, 11))
    .map(([year, month]) => Date.UTC(year, month + 1, 1) / dayMs - 1),
)
const offsets = fc.oneof(
  fc.nat(dayMs - 1),
  fc.constantFrom(0, 1, 999, 1_000, dayMs - 1_001, dayMs - 1_000, dayMs - 999, dayMs - 1),
)

describe.each([
  ['Postgres', false],
  ['Redis', true],
])('who has used up a quota that is counted in %s', (_store, redis) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ redis })
  })
  afterAll(() => app.close())

  const ask = async (key: string, now: number) => {
    app.now = now
    const { status, headers } = await app.call('post', '/v1/echo', { key, body: text })
    const numbers = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']
    return [status, ...numbers.map((name) => Number(headers[name]))]
  }

  test('is told when it ends, to the second, and can go on exactly then (T07)', async () => {
    const property = fc.asyncProperty(days, offsets, async (day, offset) => {
      const key = await accountWith(app, { [day]: 5 })
      const [now, reset] = [day * dayMs + offset, ((day + 1) * dayMs) / 1000]
      const wait = Math.ceil(reset - now / 1000)

      expect(await ask(key, now)).toEqual([429, 5, 0, reset, wait])
      expect([reset * 1000 > now, wait > 0, wait <= 86_400]).toEqual([true, true, true])
      expect(await ask(key, reset * 1000 - 1)).toEqual([429, 5, 0, reset, 1])
      expect((await ask(key, reset * 1000)).slice(0, 3)).toEqual([200, 5, 4])
    })
    await fc.assert(property, { numRuns: size(100, 5_000) })
  })

  test('of the month is told so too (T07)', async () => {
    const property = fc.asyncProperty(days, offsets, async (day, offset) => {
      const date = new Date(day * dayMs)
      const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / dayMs
      const reset = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000
      // 12 on the days before, or today where there are none; what other months have seen does not matter.
      const key = await accountWith(app, { [first - 1]: 5, [first]: 12 })
      const now = day * dayMs + offset
      const wait = Math.ceil(reset - now / 1000)

      expect(await ask(key, now)).toEqual([429, 12, 0, reset, wait])
      expect([wait > 0, wait <= 31 * 86_400]).toEqual([true, true])
      expect((await ask(key, reset * 1000)).slice(0, 3)).toEqual([200, 5, 4])
    })
    await fc.assert(property, { numRuns: size(100, 5_000) })
  })
})

/** A new account on the free plan (5 a day, 12 a month) that has used so much on some days; its key. */
async function accountWith({ database }: TestApp, used: Readonly<Record<number, number>>): Promise<string> {
  const [tag, selector] = [randomBase62(10), randomBase62(4)]
  const key = makeKey({ service: 'slr', tag, selector }, randomBase62(32))
  const email = `${tag}@example.com`
  const account = { tag, name: 'Test', email, email_normalised: email.toLowerCase(), password_hash: '-' }
  await database.db
    .insertInto('account')
    .values({ ...account, plan: 'free' })
    .execute()
  const digest = digestKey(key, testSettings.peppers[0] ?? '')
  await database.db.insertInto('api_key').values({ tag, selector, digest, name: 'test' }).execute()
  const rows = Object.entries(used).map(([day, redis_used]) => ({ tag, day: Number(day), redis_used }))
  await database.db.insertInto('usage_day').values(rows).execute()
  return key
}
