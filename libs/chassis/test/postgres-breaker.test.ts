import { startPostgres, type TestServer } from '@hearth/infra/test-servers'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDown, isUnavailable, openDatabase, type Database } from '../src/database.ts'
import { postgresBreaker, PostgresHangsError } from '../src/postgres-breaker.ts'
import { recordingLogger } from './logs.ts'

describe('a Postgres that hangs', () => {
  let server: TestServer
  let database: Database<unknown>
  let lines: Record<string, unknown>[]
  beforeAll(async () => {
    server = await startPostgres()
    const recording = recordingLogger()
    lines = recording.lines
    database = await openDatabase({
      ...{ url: server.url, dataDir: '', schema: 'test', log: recording.log },
      ...{ maxConnections: 2, queryTimeoutMs: 600, connectTimeoutMs: 600 },
    })
    await database.ping(10_000)
  })
  afterAll(async () => {
    server.resume()
    await database.close()
    await server.stop()
  })

  const ask = async (): Promise<{ error: unknown; ms: number }> => {
    const startedAt = performance.now()
    const error: unknown = await sql`select 1`.execute(database.db).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return { error, ms: performance.now() - startedAt }
  }

  test('keeps nobody waiting for a connection and then for an answer, and later nobody at all', async () => {
    server.pause()
    await sleep(20)
    const first = await Promise.all(Array.from({ length: 40 }, ask))
    await sleep(400)
    const later = await Promise.all(Array.from({ length: 40 }, ask))

    expect(first.every(({ error }) => isUnavailable(error))).toBe(true)
    // One deadline, and the time of the check; not one deadline for each who stands in line.
    expect(Math.max(...first.map(({ ms }) => ms))).toBeLessThan(600 + 150 + 600)
    expect(later.every(({ error }) => error instanceof PostgresHangsError && isDown(error))).toBe(true)

    server.resume()
    let answer = await ask()
    while (answer.error !== undefined) {
      await sleep(10)
      answer = await ask()
    }
    expect(lines.map(({ msg }) => msg)).toEqual([
      'Postgres does not answer; requests that need it are refused until it does.',
      'Postgres answers again.',
    ])
  })

  test('is not what a slow statement or a full pool makes of it', async () => {
    const before = lines.length
    const slow = Array.from({ length: 2 }, () => sql`select pg_sleep(0.4)`.execute(database.db))
    const waiting = await Promise.all(Array.from({ length: 4 }, ask))
    await Promise.all(slow)
    const tooSlow: unknown = await sql`select pg_sleep(5)`
      .execute(database.db)
      .catch((error: unknown) => error)

    expect(waiting.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined])
    expect([isUnavailable(tooSlow), isDown(tooSlow)]).toEqual([true, false])
    expect((await ask()).error).toBeUndefined()
    expect(lines).toHaveLength(before)
  })
})

describe('the breaker', () => {
  test('refuses nobody when the suspicion is not confirmed', async () => {
    const breaker = postgresBreaker(() => Promise.resolve(), recordingLogger().log)
    const connection = breaker.whileItAnswers(() => sleep(50, 'connected'), nobody)
    breaker.suspect()

    expect(await connection).toBe('connected')
    expect(breaker.check).not.toThrow()
    breaker.close()
  })

  test('gives a connection that comes too late to who closes it', async () => {
    const state = { answers: false }
    const ask = () => (state.answers ? Promise.resolve() : Promise.reject(new Error('no')))
    const breaker = postgresBreaker(ask, recordingLogger().log, { retryMs: 10 })
    const late: string[] = []
    const connection = breaker.whileItAnswers(
      () => sleep(50, 'connected'),
      (one) => late.push(one),
    )
    breaker.suspect()

    await expect(connection).rejects.toThrow(PostgresHangsError)
    expect(breaker.check).toThrow(PostgresHangsError)
    await sleep(80)
    expect(late).toEqual(['connected'])
    state.answers = true
    await sleep(50)
    expect(breaker.check).not.toThrow()
    breaker.close()
  })
})

function nobody(): void {
  throw new Error('No connection was late.')
}
