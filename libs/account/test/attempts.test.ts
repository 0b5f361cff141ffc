import type { Database } from '@hearth/chassis/database'
import { peekAttempts, returnAttempt, takeAttempt } from '../src/attempts.ts'
import type { AccountTables } from '../src/database.ts'
import { openTestDatabase } from './support.ts'

describe.each(['postgres', 'pglite'] as const)('attempts that all instances count, in %s', (engine) => {
  let database: Database<AccountTables>
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterAll(() => database.close())

  const at = new Date(Date.UTC(2026, 10, 20, 12))
  const now = at.getTime() / 1000
  const limitOf = (limit: number) => ({ name: 'signup', limit, seconds: 3600 })
  const take = (bucket: string, limit: number, when = at) =>
    takeAttempt(database.db, limitOf(limit), bucket, when)
  const peek = (bucket: string, limit: number, when = at) =>
    peekAttempts(database.db, limitOf(limit), bucket, when)
  const window = { name: 'signup', limit: 2, seconds: 3600, resetsAt: now + 3600 }

  test('are allowed up to the limit, until the window is over', async () => {
    expect(await take('a', 2)).toEqual({ allowed: true, now, window: { ...window, remaining: 1 } })
    expect(await take('a', 2)).toEqual({ allowed: true, now, window: { ...window, remaining: 0 } })
    const later = new Date(at.getTime() + 1000)
    expect(await take('a', 2, later)).toEqual({
      ...{ allowed: false, now: now + 1, window: { ...window, remaining: 0 } },
    })
    expect((await take('a', 2, new Date(at.getTime() + 3_600_000))).allowed).toBe(true)
  })

  test('are looked at without counting, also where there are none', async () => {
    expect(await peek('b', 2)).toEqual({ now, window: { ...window, resetsAt: now, remaining: 2 } })
    await take('b', 2)
    for (let i = 0; i < 2; i++)
      expect(await peek('b', 2)).toEqual({ now, window: { ...window, remaining: 1 } })
    await returnAttempt(database.db, limitOf(2), 'b')
    expect((await peek('b', 2)).window.remaining).toBe(2)
  })

  test('leave nothing, not less, when more were counted than the limit is now', async () => {
    for (let i = 0; i < 4; i++) await take('c', 10)

    expect(await take('c', 2)).toEqual({ allowed: false, now, window: { ...window, remaining: 0 } })
    expect(await peek('c', 2)).toEqual({ now, window: { ...window, remaining: 0 } })
  })
})
