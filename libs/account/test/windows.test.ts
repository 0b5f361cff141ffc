import fc from 'fast-check'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseList } from 'structured-headers'
import {
  bindingWindow,
  dateOfDay,
  dayMs,
  dayOf,
  dayOfDate,
  isoSeconds,
  limitHeaders,
  monthStart,
  nextMonthStart,
  quotaWindows,
  type Window,
} from '../src/windows.ts'

const instants = fc.integer({ min: 0, max: Date.UTC(2101, 0, 1) - 1 })
const plans = fc.record({
  daily: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  monthly: fc.option(fc.integer({ min: 1, max: 2 ** 31 - 1 })),
})
const used = fc.integer({ min: 0, max: 2 ** 31 - 1 })

describe('the calendar, against Date.UTC for 1970 to 2100', () => {
  test('gives the day that an instant lies in, and its date', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const date = new Date(ms)
        const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())

        expect(dayOf(ms) * dayMs).toBe(midnight)
        expect(dateOfDay(dayOf(ms))).toBe(date.toISOString().slice(0, 10))
        expect(dayOfDate(dateOfDay(dayOf(ms)))).toBe(dayOf(ms))
      }),
      { numRuns: 2_000 },
    )
  })

  test('gives the first day of the month and of the next one for every single day', () => {
    const wrong: number[] = []
    for (let day = 0; day < Date.UTC(2101, 0, 1) / dayMs; day++) {
      const date = new Date(day * dayMs)
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
      const right =
        monthStart(day) * dayMs === Date.UTC(year, month, 1) &&
        nextMonthStart(day) * dayMs === Date.UTC(year, month + 1, 1)
      if (!right) wrong.push(day)
    }

    expect(wrong).toEqual([])
  })

  test.each(['2026-02-29', '2026-13-01', '2026-00-10', '2100-02-29', '2026-04-31', '2026-1-1', '', 'today'])(
    'has no day %j',
    (date) => {
      expect(dayOfDate(date)).toBeUndefined()
    },
  )

  test('has 29 February in leap years only', () => {
    expect(dayOfDate('2028-02-29')).toBe(Date.UTC(2028, 1, 29) / dayMs)
    expect(dayOfDate('2000-02-29')).toBe(Date.UTC(2000, 1, 29) / dayMs)
  })

  test('is the same in every time zone', async () => {
    const module = fileURLToPath(new URL('../src/windows.ts', import.meta.url))
    const script = `const w = await import(${JSON.stringify(module)})
      const plan = { daily: 5, monthly: 12 }
      const rows = [1795219199999, 1795219200000, 1798761599999, 1835395200000].map((ms) => [w.dayOf(ms),
        w.monthStart(w.dayOf(ms)), w.nextMonthStart(w.dayOf(ms)), w.dateOfDay(w.dayOf(ms)),
        w.quotaWindows(plan, w.dayOf(ms), 1, 2), w.isoSeconds(ms / 1000)])
      console.log(JSON.stringify([new Date(1795219200000).getHours(), rows]))`

    const [here, east, west] = await Promise.all(
      ['UTC', 'Pacific/Kiritimati', 'America/Anchorage'].map(async (TZ) => {
        const env = { ...process.env, TZ }
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ['--input-type=module', '-e', script],
          { env },
        )
        return JSON.parse(stdout) as [hour: number, rows: unknown]
      }),
    )

    expect([here?.[0], east?.[0], west?.[0]]).toEqual([0, 14, 15])
    expect(east?.[1]).toEqual(here?.[1])
    expect(west?.[1]).toEqual(here?.[1])
  })
})

describe('the quota windows', () => {
  test('end at the next UTC midnight and at the start of the next UTC month, and hold what is left (T07)', () => {
    fc.assert(
      fc.property(plans, instants, used, used, (plan, ms, usedToday, usedBefore) => {
        const windows = quotaWindows(plan, dayOf(ms), usedToday, usedBefore + usedToday)
        const date = new Date(ms)
        const [daily, monthly] = windows

        expect(windows).toHaveLength(plan.monthly === null ? 1 : 2)
        expect(daily).toEqual({
          name: 'daily',
          limit: plan.daily,
          remaining: Math.max(0, plan.daily - usedToday),
          resetsAt: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1) / 1000,
          seconds: 86_400,
        })
        // Always in the future, never more than a day or the longest month away.
        expect(daily?.resetsAt).toBeGreaterThan(ms / 1000)
        expect((daily?.resetsAt ?? Infinity) - ms / 1000).toBeLessThanOrEqual(86_400)
        const monthFrom = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000
        const monthTo = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000
        if (monthly === undefined) return
        expect(monthly).toEqual({
          name: 'monthly',
          limit: plan.monthly,
          remaining: Math.max(0, (plan.monthly ?? 0) - usedBefore - usedToday),
          resetsAt: monthTo,
          seconds: monthTo - monthFrom,
        })
        expect(monthTo).toBeGreaterThan(ms / 1000)
        expect(monthTo - ms / 1000).toBeLessThanOrEqual(31 * 86_400)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe('the binding window', () => {
  const window = (remaining: number, resetsAt: number): Window => ({
    ...{ name: `w${remaining}-${resetsAt}`, limit: 100, seconds: 60 },
    remaining,
    resetsAt,
  })

  test('is the one with the fewest left; of equals the one that resets later, in whatever order they come', () => {
    const windows = fc.array(
      fc.tuple(fc.nat(3), fc.nat(3)).map(([left, at]) => window(left, at)),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(windows, (all) => {
        const [best] = all.toSorted((a, b) => a.remaining - b.remaining || b.resetsAt - a.resetsAt)

        expect(bindingWindow(all)).toEqual(best)
        expect(bindingWindow(all.toReversed())).toEqual(best)
      }),
    )
  })

  test('is the month on the last day of a month of 31 days for who uses every day in full', () => {
    const day = Date.UTC(2026, 11, 31) / dayMs

    expect(bindingWindow(quotaWindows({ daily: 50, monthly: 1500 }, day, 0, 1500))).toMatchObject({
      name: 'monthly',
      remaining: 0,
    })
  })

  test('does not exist when there are no windows', () => {
    expect(() => bindingWindow([])).toThrow(RangeError)
  })
})

describe('the headers', () => {
  test('describe the window with the fewest left of every plan there is, and print no unlimited one (T09)', () => {
    // Requests per day and month of the plans of the three deployments; null: unlimited.
    const table: readonly (readonly [daily: number, monthly: number | null])[] = [
      ...([[50, 1_500], [500, 15_000], [1_000, 30_000], [1_000, 30_000], [10_000, 300_000]] as const),
      ...([[1, 30], [10, 300], [50, 1_500], [500, 15_000], [500, null]] as const),
      ...([[100, 3_000], [1_000, 30_000], [10_000, 300_000]] as const),
    ] // prettier-ignore
    const units = fc.double({ min: 0, max: 1.2, noNaN: true })
    fc.assert(
      fc.property(instants, units, units, (ms, today, before) => {
        const wrong = table.flatMap(([daily, monthly]) => {
          const usedToday = Math.floor(today * daily)
          const usedBefore = Math.floor(before * (monthly ?? 1_000))
          const windows = quotaWindows({ daily, monthly }, dayOf(ms), usedToday, usedBefore + usedToday)
          const left = [Math.max(0, daily - usedToday)]
          if (monthly !== null) left.push(Math.max(0, monthly - usedBefore - usedToday))
          const headers = limitHeaders(windows, bindingWindow(windows), ms / 1000)
          const [, limit = '', , remaining = '', , reset = ''] = headers
          const isRight =
            Number(remaining) === Math.min(...left) &&
            [limit, remaining, reset].every((text) => /^(0|[1-9]\d*)$/.test(text)) &&
            headers.join().includes('monthly') === (monthly !== null)
          return isRight ? [] : [{ daily, monthly, usedToday, usedBefore, headers }]
        })
        expect(wrong).toEqual([])
      }),
      { numRuns: 10_000 },
    )
  })

  test('are integers and lists that a parser of structured fields reads, one member per limited window', () => {
    const fraction = fc.double({ min: 0, max: 0.999, noNaN: true })
    fc.assert(
      fc.property(plans, instants, fraction, used, used, (plan, ms, part, usedToday, usedBefore) => {
        const now = Math.floor(ms / 1000) + part
        const windows = quotaWindows(plan, dayOf(now * 1000), usedToday, usedBefore + usedToday)
        const binding = bindingWindow(windows)
        const flat = limitHeaders(windows, binding, now)
        const headers = Object.fromEntries(
          flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : [])),
        )

        expect(Object.keys(headers)).toEqual([
          ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
          ...['RateLimit-Policy', 'RateLimit'],
        ])
        expect(headers).toMatchObject({
          'X-RateLimit-Limit': String(binding.limit),
          'X-RateLimit-Remaining': String(binding.remaining),
          'X-RateLimit-Reset': String(binding.resetsAt),
        })
        expect(members(headers['RateLimit-Policy'])).toEqual(
          windows.map(({ name, limit, seconds }) => [name, { q: limit, w: seconds }]),
        )
        expect(members(headers['RateLimit'])).toEqual(
          windows.map(({ name, remaining, resetsAt }) => [
            name,
            { r: remaining, t: Math.ceil(resetsAt - now) },
          ]),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  test('leave an unlimited month out', () => {
    const windows = quotaWindows({ daily: 10, monthly: null }, 20_000, 3, 300)

    expect(limitHeaders(windows, bindingWindow(windows), 20_000 * 86_400).join()).not.toContain('monthly')
  })

  test('never wait less than nothing', () => {
    const late: Window = { name: 'daily', limit: 1, remaining: 0, resetsAt: 100, seconds: 60 }

    expect(limitHeaders([late], late, 200)).toContain('"daily";r=0;t=0')
  })
})

test('an instant is written in ISO 8601 UTC without needless zeros', () => {
  expect(isoSeconds(1795219200)).toBe('2026-11-21T00:00:00Z')
})

function members(value: string | undefined): [unknown, object][] {
  return parseList(value ?? '').map(([name, parameters]) => [name, Object.fromEntries(parameters)])
}
