import { createLogger } from '@hearth/chassis/logger'
import { endAll, newDirectory } from '@hearth/chassis/testing/service-process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolveInput } from '../src/solar-input.ts'
import { workerCrew } from '../src/simulation-crew.ts'
import { threeNumbers } from './support.ts'

const request = { input: resolveInput(threeNumbers), simulation: { trials: 20_000, seed: 1 } }
const logged: string[] = []
const destination = { write: (line: string) => logged.push(line) }
const log = createLogger({ level: 'error', service: 'test', destination })

afterAll(endAll)

test('threads that cannot start are an answer to everybody who waits, not a silence', async () => {
  const crew = workerCrew(2, log, new URL('no-such-worker.js', import.meta.url))

  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => crew.plan(request)))

  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { kind: { code: 'temporarily_unavailable' } },
    })
  }
  expect(logged.join('')).toContain('no-such-worker.js')
  await crew.close()
})

test('a thread that dies fails its own task, and another thread does the next', async () => {
  const crew = workerCrew(1, log, dyingWorker())

  await expect(crew.plan(request)).rejects.toThrow('worker exited with code: 7')
  await expect(crew.plan(request)).rejects.toThrow('worker exited with code: 7')
  await crew.close()
})

/** A worker whose process ends when it is given a run to plan. */
function dyingWorker(): URL {
  const file = join(newDirectory(), 'dying-worker.mjs')
  writeFileSync(file, 'export function plan() { process.exit(7) }\n')
  return pathToFileURL(file)
}
