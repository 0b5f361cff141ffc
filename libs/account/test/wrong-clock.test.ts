import { randomUUID } from 'node:crypto'
import type { TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'

const minute = 60_000
const password = 'an unusual pass phrase'

describe('an instance whose clock is wrong', () => {
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
