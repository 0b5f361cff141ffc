import { createLogger } from '@hearth/chassis/logger'
import { openRedis } from '@hearth/chassis/redis'
import { randomUUID } from 'node:crypto'
import { tombstone } from '../src/account-snapshot.ts'
import { connectedOrNot } from '../src/redis-nodes.ts'
import { redisRecords } from '../src/redis-records.ts'
import { testPlans } from './support.ts'

describe('a question to a record', () => {
  const log = createLogger({ level: 'silent', service: 'test' })
  const redis = openRedis(process.env['TEST_REDIS_URL'] ?? '', { log, commandTimeoutMs: 1_000 })
  const options = { plans: testPlans, burst: { perSecond: 0, size: 0 }, clock: undefined }
  const prefix = randomUUID()
  const inEpoch = (epoch: number) =>
    redisRecords({
      ...{ ...options, redis, prefix, answerWithinMs: 75 },
      ...{ epoch: () => epoch, floor: () => undefined },
    })
  const records = inEpoch(1)
  const question = { tag: 'account', selector: '', digests: '', cost: 1 } as const
  const day = Math.floor(Date.now() / 86_400_000)
  const account = { ...tombstone, version: 1, state: 'a', plan: 'free', day } as const
  beforeAll(() => connectedOrNot(redis))
  beforeEach(async () => {
    await redis.del(`${prefix}:{${question.tag}}`)
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

  test('holds for a while only, also the very first one, when the clock of Redis was heard', async () => {
    const first = inEpoch(1)
    await first.hearClock()

    const stopped = first.ask(question)
    stopMs(200)

    expect(await stopped).toMatchObject({ outcome: 'late' })
  })

  test('holds by the clock of the machine that is Redis now', async () => {
    const records = inEpoch(1)
    const hourAhead = String(Math.floor(Date.now() / 1000) + 3600)
    const before = import.meta.jest.spyOn(redis, 'time').mockResolvedValueOnce([hourAhead, '0'] as never)
    await records.hearClock()
    before.mockRestore()
    await records.hearClock()

    const stopped = records.ask(question)
    stopMs(200)

    expect(await stopped).toMatchObject({ outcome: 'late' })
  })

  test('a sign of life tells that the clock of the process was stopped, and no other does', async () => {
    const told = { late: 0 }
    const others = redisRecords({
      ...{ ...options, redis, prefix, answerWithinMs: 1_000 },
      ...{ epoch: () => 1, floor: () => undefined, onLate: () => void (told.late += 1) },
    })
    await others.hearClock()
    await others.beat()
    expect(told.late).toBe(0)

    const now = performance.now.bind(performance)
    const clock = import.meta.jest.spyOn(performance, 'now').mockImplementation(() => now() - 5_000)
    await others.beat()
    expect(told.late).toBe(1)
    await others.beat()
    clock.mockRestore()
    expect(told.late).toBe(1)
  })

  test('that is outdated is answered when it has been written anew, from what was read since', async () => {
    await records.ask(question)
    await records.outdate(question.tag, 3)
    expect(await records.ask(question)).toMatchObject({ outcome: 'stale' })

    const earlier = await records.write(question.tag, 1, { ...account, version: 2 })
    expect([earlier.newer, await records.ask(question)]).toMatchObject([3, { outcome: 'stale' }])

    await records.write(question.tag, 1, { ...account, version: 3 })
    expect(await records.ask(question)).toMatchObject({ outcome: 'ok', used: 2 })
    // What has the same number may be another change, when Postgres has lost one.
    await records.outdate(question.tag, 3)
    expect(await records.ask(question)).toMatchObject({ outcome: 'stale' })
    await records.write(question.tag, 1, { ...account, version: 3 })
    await records.outdate(question.tag, 2)
    expect(await records.ask(question)).toMatchObject({ outcome: 'ok', used: 3 })
  })

  test('that is not yet confirmed is not confirmed by being outdated, nor from what was read before', async () => {
    await redis.del(`${prefix}:{${question.tag}}`)
    const before = await records.write(question.tag, 1, account)
    await records.outdate(question.tag, 2)

    const { newer } = await records.write(question.tag, 1, account, before)

    expect([newer, await records.ask(question)]).toMatchObject([2, { outcome: 'stale' }])

    const other = await records.write(question.tag, 1, { ...account, version: 2 })
    expect([other.unconfirmed, await records.ask(question)]).toMatchObject([
      before.unconfirmed,
      { outcome: 'stale' },
    ])
  })

  test('of an earlier epoch takes nothing back: the ledger may know more of what was given back', async () => {
    await records.ask(question)

    expect(await inEpoch(2).refund(question.tag, day)).toBeUndefined()
    expect(await records.refund(question.tag, day)).toBe(1)
  })
})
