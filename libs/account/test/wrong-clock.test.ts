import { randomUUID } from 'node:crypto'
import { newAddress, type TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'

const minute = 60_000
const password = 'an unusual pass phrase'

describe('an instance whose clock is wrong (T08)', () => {
  const processClock = Date.now
  /** How far the clock of the instance is ahead, in milliseconds. */
  let ahead = 0
  let app: TestApp
  beforeAll(async () => {
    Date.now = () => processClock() + ahead
    app = await startEcho({ ownClock: true, settings: { burstPerSecond: 5 } })
  })
  afterAll(async () => {
    Date.now = processClock
    await app.close()
  })
  afterEach(() => {
    ahead = 0
  })

  /** The seconds that an answer says are to be waited, in both of its headers. */
  const waits = ({ headers }: { headers: Record<string, string | undefined> }) => ({
    retryAfter: Number(headers['retry-after']),
    t: Number(/;t=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1]),
  })

  test.each([-60 * minute, 60 * minute])(
    'tells by the clock of the database how long to wait, itself %d ms ahead',
    async (wrong) => {
      ahead = wrong
      const address = newAddress()
      const signUps = []
      for (let i = 0; i < 6; i++) {
        const body = { name: 'Ann', email: `${randomUUID()}@example.com`, password }
        signUps.push(await app.call('post', '/v1/signup', { body, address }))
      }
      const signIns = []
      for (let i = 0; i < 11; i++) {
        const body = { email: 'nobody@example.com', password }
        signIns.push(await app.call('post', '/v1/account/sessions', { body, address }))
      }

      for (const [answers, seconds] of [
        [signUps, 3600],
        [signIns, 900],
      ] as const) {
        const [first, last] = [answers[0], answers.at(-1)]
        expect(last?.status).toBe(429)
        for (const shown of [first, last]) {
          const { t } = waits(shown ?? { headers: {} })
          expect(t).toBeGreaterThan(seconds - 60)
          expect(t).toBeLessThanOrEqual(seconds)
        }
        const { retryAfter, t } = waits(last ?? { headers: {} })
        expect(retryAfter).toBe(t)
      }
    },
  )

  test.each([-60 * minute, 60 * minute])(
    'tells by the clock of the store when a key may be used again, itself %d ms ahead',
    async (wrong) => {
      const { key } = await app.signUp('big')
      ahead = wrong
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => app.call('post', '/v1/echo', { key, body: { text: 'a' } })),
      )

      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      for (const answer of refused) expect(waits(answer)).toEqual({ retryAfter: 1, t: 1 })
    },
  )

  test('writes down a rotation so that another instance gives it again', async () => {
    const { key } = await app.signUp()
    const request = { key, headers: { 'Idempotency-Key': randomUUID() } }
    ahead = -11 * minute
    const first = await app.call('post', '/v1/account/keys/rotate', request)
    ahead = 0
    const again = await app.call('post', '/v1/account/keys/rotate', request)

    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body.data).toEqual(first.body.data)
  })

  test('finds the signup that another instance has written down', async () => {
    const body = { name: 'Ann', email: `${randomUUID()}@example.com`, password }
    const request = { body, headers: { 'Idempotency-Key': randomUUID() } }
    const first = await app.call('post', '/v1/signup', request)
    ahead = 25 * 60 * minute
    const again = await app.call('post', '/v1/signup', request)

    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body.data).toEqual(first.body.data)
  })
})
