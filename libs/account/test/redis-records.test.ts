import { createLogger } from '@hearth/chassis/logger'
import { openRedis } from '@hearth/chassis/redis'
import { randomUUID } from 'node:crypto'
import { tombstone } from '../src/account-snapshot.ts'
import { connectedOrNot } from '../src/redis-nodes.ts'
import { clockOfRedis, redisRecords } from '../src/redis-records.ts'
import { testPlans } from './support.ts'

describe('the clock of Redis as replies tell it', () => {
  const replies = (delays: readonly number[], aheadMs: number, time: { now: number }, clock: Clock) => {
    for (const delay of delays) {
      time.now += 10
      clock.heard(time.now - delay + aheadMs)
    }
  }
  type Clock = ReturnType<typeof clockOfRedis>

  test('is not known before the first reply, and then by the fastest', () => {
    const time = { now: 0 }
    const clock = clockOfRedis(() => time.now)
    expect(clock.now()).toBe(-Infinity)

    replies([40, 3, 25], 500, time, clock)

    expect(clock.now()).toBe(time.now + 497)
  })

  test.each([3_600_000, 80])('follows a clock that was set back by %d ms within two minutes', (back) => {
    const time = { now: 0 }
    const clock = clockOfRedis(() => time.now)
    replies(Array(200).fill(1), 5_000, time, clock)

    replies(Array(12_100).fill(1), 5_000 - back, time, clock)

    expect(clock.now()).toBe(time.now + 4_999 - back)
  })
})

describe('a question to a record', () => {
  const log = createLogger({ level: 'silent', service: 'test' })
  const redis = openRedis(process.env['TEST_REDIS_URL'] ?? '', { log, commandTimeoutMs: 1_000 })
  const options = { plans: testPlans, burst: { perSecond: 0, size: 0 }, clock: undefined }
  const records = redisRecords({
    ...{ ...options, redis, prefix: randomUUID(), answerWithinMs: 75 },
    ...{ epoch: () => 1, floor: () => undefined },
  })
  const question = { tag: 'account', selector: '', digests: '', cost: 1 } as const
  const day = Math.floor(Date.now() / 86_400_000)
  const account = { ...tombstone, version: 1, state: 'a', plan: 'free', day } as const
  beforeAll(async () => {
    await connectedOrNot(redis)
    await records.write(question.tag, 1, account, await records.write(question.tag, 1, account))
  })
  afterAll(() => {
    redis.disconnect()
  })
  const stopMs = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

  test('changes nothing when the process was stopped before it was sent, for longer than it holds', async () => {
    const first = await records.ask(question)
    const stopped = records.ask(question)
    stopMs(200)
    const second = await stopped
    const third = await records.ask(question)

    expect([first, second, third]).toMatchObject([{ used: 1 }, { outcome: 'late' }, { used: 2 }])
  })
})
