import { HttpError } from '@hearth/chassis/errors'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { hashingProcess } from '../src/hashing-process.ts'
import { until } from './failover-rig.ts'

describe('the process that hashes passwords', () => {
  let hasher: ReturnType<typeof hashingProcess>
  beforeEach(() => {
    hasher = hashingProcess()
  })
  afterEach(async () => {
    const pid = hasher.pid()
    hasher.close()
    await until(() => pid === undefined || !isRunning(pid))
  })

  test('hashes and verifies as the service itself would', async () => {
    const hash = await hasher.hash('an unusual pass phrase')

    expect(hash).toMatch(/^\$argon2id\$v=19\$/)
    const guesses = ['an unusual pass phrase', 'another', '', 'p\u00e4ss \ud83d\ude00']
    expect(await Promise.all(guesses.map((guess) => hasher.verify(hash, guess)))).toEqual([
      true,
      ...[false, false, false],
    ])
    await expect(hasher.verify('no hash', 'x')).rejects.toThrow()
  })

  test('starts with the first task and has a lower priority than this one', async () => {
    expect(hasher.pid()).toBeUndefined()
    await hasher.hash('x')

    expect(getPriority(hasher.pid())).toBeGreaterThan(getPriority())
  })

  test('does not get the environment of the service, where its secrets are', async () => {
    await hasher.hash('x')
    const file = `/proc/${pidOf(hasher)}/environ`
    const names = existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\0')
          .map((entry) => entry.split('=')[0])
      : []

    expect(names).not.toContain('TEST_DATABASE_URL')
    expect(process.env['TEST_DATABASE_URL']).toBeDefined()
  })

  test('leaves nobody waiting when it is killed, and is started again by the next task', async () => {
    await hasher.hash('x')
    const killed = pidOf(hasher)
    process.kill(killed, 'SIGSTOP') // it must not answer first
    const underWay = [hasher.hash('y'), hasher.verify('z', 'y')].map((task) => task.catch(reasonOf))
    process.kill(killed, 'SIGKILL')

    for (const reason of await Promise.all(underWay))
      expect(reason).toEqual({ status: 503, headers: ['Retry-After', '5'] })
    expect(await hasher.hash('x')).toMatch(/^\$argon2id/)
    expect(pidOf(hasher)).not.toBe(killed)
  })

  test('is not ended by the signals that a terminal sends to all processes of a service', async () => {
    await hasher.hash('x')
    const pid = pidOf(hasher)
    process.kill(pid, 'SIGINT')
    process.kill(pid, 'SIGTERM')

    expect(await hasher.hash('x')).toMatch(/^\$argon2id/)
    expect(pidOf(hasher)).toBe(pid)
  })

  test('ends when nothing was asked of it for a while, and is back with the next task', async () => {
    const idle = hashingProcess({ idleMs: 50 })
    await idle.hash('x')
    const pid = pidOf(idle)

    await until(() => idle.pid() === undefined && !isRunning(pid))
    expect(await idle.hash('x')).toMatch(/^\$argon2id/)
    idle.close()
  })
})

function pidOf(hasher: ReturnType<typeof hashingProcess>): number {
  const pid = hasher.pid()
  if (pid === undefined) throw new Error('It does not run.')
  return pid
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function reasonOf(error: unknown): object {
  if (!(error instanceof HttpError)) throw error
  return { status: error.kind.status, headers: error.headers }
}
