import { clockOfRedis } from '../src/redis-clock.ts'

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
    expect(clock.at(time.now)).toBe(-Infinity)

    replies([40, 3, 25], 500, time, clock)

    expect(clock.at(time.now)).toBe(time.now + 497)
  })

  test('is known anew when that of another machine is heard', () => {
    const time = { now: 0 }
    const clock = clockOfRedis(() => time.now)
    replies([3, 5], 500, time, clock)

    clock.forget()
    expect(clock.at(time.now)).toBe(-Infinity)
    replies([4], 100, time, clock)

    expect(clock.at(time.now)).toBe(time.now + 96)
  })

  test.each([3_600_000, 80])('follows a clock that was set back by %d ms within two minutes', (back) => {
    const time = { now: 0 }
    const clock = clockOfRedis(() => time.now)
    replies(Array(200).fill(1), 5_000, time, clock)

    replies(Array(12_100).fill(1), 5_000 - back, time, clock)

    expect(clock.at(time.now)).toBe(time.now + 4_999 - back)
  })
})
