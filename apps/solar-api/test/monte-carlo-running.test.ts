import { createLogger } from '@hearth/chassis/logger'
import { createServer, request } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { solarDefaults, type SolarInput } from '../src/model/input.ts'
import { planRun, type SimulationRequest } from '../src/model/monte-carlo/plan.ts'
import { summarise } from '../src/model/monte-carlo/summarise.ts'
import { runTrials, trialArrays } from '../src/model/monte-carlo/trials.ts'
import { whileConnected, type SimulationOptions, type Simulations } from '../src/simulations.ts'
import { openTestSimulations, startSolar, threeNumbers, type SolarApp } from './support.ts'

const log = createLogger({ level: 'silent', service: 'test' })
const input: SolarInput = {
  ...{ ...solarDefaults, ...threeNumbers },
  ...{ systemSizeKW: undefined, maxSystemSizeKW: undefined, panelWatts: undefined },
  ...{ taxCreditCap: undefined, loan: undefined },
}
const forever = new AbortController().signal
const long = { input, simulation: { trials: 1_000_000, seed: 1 } }
const medium = { input, simulation: { trials: 20_000, seed: 1 } }
const short = { input, simulation: { trials: 200, seed: 1 } }

const opened: Simulations[] = []
function open(options: Partial<SimulationOptions> = {}): Simulations {
  const simulations = openTestSimulations({ log, simulationWorkers: 1, ...options })
  opened.push(simulations)
  return simulations
}
afterEach(async () => {
  for (const simulations of opened.splice(0)) await simulations.close()
})

describe('the bytes of a result', () => {
  test.each([1, 2, 4])(
    'are those of the model itself, with %i workers and any number of pieces',
    async (workers) => {
      const simulations = open({ simulationWorkers: workers })
      for (const method of ['sobol', 'random', 'lhs'] as const) {
        for (const trials of [5_000, 20_000, 140_001]) {
          const simulation = { trials, method, seed: 7 }
          const result = await simulations.run({ input, simulation }, forever)
          expect(JSON.stringify(result)).toBe(inOneGo(simulation))
        }
      }
    },
  )

  test('do not depend on what else is under way', async () => {
    const simulations = open({ simulationWorkers: 2 })
    const seeds = [1, 2, 3, 4, 5, 6]
    const trials = [300, 20_000, 140_000]
    const requests = seeds.flatMap((seed) => trials.map((count) => ({ trials: count, seed })))

    const results = await Promise.all(
      requests.map((simulation) => simulations.run({ input, simulation }, forever)),
    )

    // Whoever comes later uses the same memory again.
    expect(results.map((result) => JSON.stringify(result))).toEqual(requests.map(inOneGo))
    expect(simulations.load()).toMatchObject({ short: idle, medium: idle, long: idle })
  })
})

describe('a run that is given up', () => {
  test('while it is under way stops within a piece, and the next one has its place', async () => {
    const simulations = open()
    const controller = new AbortController()
    const result = simulations.run(long, controller.signal)
    await until(() => simulations.load().trialsRun > 0)

    controller.abort(new Error('given up'))
    await expect(result).rejects.toThrow('given up')

    const { trialsRun, ...lines } = simulations.load()
    expect(trialsRun).toBeLessThan(200_000)
    expect(lines.long).toEqual(idle)
    const next = await simulations.run(medium, forever)
    expect(simulations.load().trialsRun).toBe(trialsRun + next.simulation.trials)
  })

  test('while it waits leaves the line, which others stand in', async () => {
    const simulations = open()
    const controller = new AbortController()
    const first = simulations.run(long, forever)
    const result = simulations.run(long, controller.signal)
    const last = simulations.run(long, forever)
    expect(simulations.load().long).toEqual({ running: 1, waiting: 2 })

    controller.abort(new Error('given up'))
    await expect(result).rejects.toThrow('given up')

    expect(simulations.load().long).toEqual({ running: 1, waiting: 1 })
    await Promise.all([first, last])
    expect(simulations.load().trialsRun).toBe(2 * 1_048_576)
  })

  test('before it begins does nothing', async () => {
    const simulations = open()
    await expect(simulations.run(short, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up')
    expect(simulations.load().trialsRun).toBe(0)
  })
})

test('long runs keep neither medium nor short ones waiting', async () => {
  const simulations = open()
  let ended = 0
  const longOnes = Array.from({ length: 20 }, () => simulations.run(long, forever).then(() => (ended += 1)))
  const outcomes = Promise.allSettled(longOnes)

  await simulations.run(medium, forever)
  await simulations.run(short, forever)

  expect(ended).toBeLessThan(20)
  await simulations.close()
  await outcomes
})

test('a run that fails in a worker says why, and the workers go on', async () => {
  const simulations = open()
  const broken = { input, simulation: { trials: 20_000, seed: 'no seed' } }

  await expect(simulations.run(broken, forever)).rejects.toThrow('The seed has to be')

  expect(simulations.load().medium).toEqual(idle)
  expect((await simulations.run(medium, forever)).simulation.trials).toBe(32_768)
})

test('closing stops what is under way and what waits, and refuses what comes', async () => {
  const simulations = open()
  const large = { input, simulation: { trials: 100_000, seed: 1 } }
  const results = [long, long, long, large].map((request) => simulations.run(request, forever))
  const outcomes = Promise.allSettled(results)
  await until(() => simulations.load().trialsRun > 0)

  await simulations.close()

  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { kind: { code: 'temporarily_unavailable' } },
    })
  }
  await expect(simulations.run(short, forever)).rejects.toThrow('being stopped')
})

describe('over HTTP', () => {
  let app: SolarApp
  let key: string

  beforeAll(async () => {
    app = await startSolar({
      settings: { burstPerSecond: 0 },
      simulations: { simulationWorkers: 1, simulationQueue: 1 },
    })
    key = (await app.signUp('api_business')).key
  })
  afterAll(() => app.close())

  test.each([
    ['long', long, 1],
    ['medium', medium, 2],
    ['short', short, 1],
  ] as const)(
    'when all places are taken and the line is full, a %s run is put off and costs nothing',
    async (size, request, places) => {
      const release = keepBusy(app.simulations, request, places + 1)
      expect(app.simulations.load()[size]).toEqual({ running: places, waiting: 1 })
      const before = await unitsUsed()

      const { status, headers, body } = await app.call('post', '/v1/calculate/monte-carlo', {
        key,
        body: { ...threeNumbers, simulation: request.simulation },
      })

      expect([status, body.code]).toEqual([503, 'temporarily_unavailable'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(await unitsUsed()).toBe(before)
      await release()
      expect((await app.call('post', '/v1/calculate/monte-carlo', { key, body: threeNumbers })).status).toBe(
        200,
      )
    },
  )

  test.each(['under way', 'waiting'])(
    'a client that goes away while its run is %s stops it and has its unit back',
    async (when) => {
      const release = when === 'waiting' ? keepBusy(app.simulations, long, 1) : async () => undefined
      const before = await unitsUsed()
      const { trialsRun } = app.simulations.load()
      const client = post({ ...threeNumbers, simulation: { trials: 1_000_000 } })
      await until(() => {
        const { long: line, trialsRun: now } = app.simulations.load()
        return when === 'waiting' ? line.waiting === 1 : now > trialsRun
      })

      client.destroy()

      await until(() => app.simulations.load().long.waiting === 0)
      await release()
      await until(() => app.simulations.load().long.running === 0)
      if (when === 'under way') expect(app.simulations.load().trialsRun - trialsRun).toBeLessThan(1_048_576)
      await until(async () => (await unitsUsed()) === before)
    },
  )

  test('a client that has left before its run begins is noticed', async () => {
    const server = createServer((_req, res) => {
      const inTime = whileConnected(res as never) // Express's response is a ServerResponse
      res.once('close', () => server.emit('left', inTime.aborted, whileConnected(res as never).aborted))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const client = request({ host: '127.0.0.1', port, method: 'POST' }).on('error', () => undefined) // it is cut
    client.write('{')
    const left = once(server, 'left')
    await once(server, 'request')

    client.destroy()

    expect(await left).toEqual([true, true])
    server.close()
  })

  async function unitsUsed(): Promise<number> {
    const { body } = await app.call('get', '/v1/account/usage', { key })
    return body.data.windows.daily.used
  }

  /** A request whose connection can be cut. */
  function post(body: object) {
    const { port } = app.server.address() as AddressInfo // it listens on a port
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const sent = request({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/v1/calculate/monte-carlo',
      headers,
    })
    sent.on('error', () => undefined) // it is cut
    sent.end(JSON.stringify(body))
    return sent
  }
})

const idle = { running: 0, waiting: 0 }

/** The bytes of a run that nobody divides. */
function inOneGo(simulation: SimulationRequest): string {
  const run = planRun(input, simulation)
  const out = trialArrays(run.trials)
  runTrials(run, 0, run.trials, out)
  return JSON.stringify(summarise(run, out))
}

/** Runs so many at a time over and over, so that no place is free for longer than it takes to give it on. */
function keepBusy(simulations: Simulations, work: Work, atATime: number): () => Promise<void> {
  let isOver = false
  const loops = Array.from({ length: atATime }, async () => {
    while (!isOver) await simulations.run(work, forever)
  })
  return async () => {
    isOver = true
    await Promise.all(loops)
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await nextTurn()
}

type Work = Parameters<Simulations['run']>[0]
