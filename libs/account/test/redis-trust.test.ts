import { setTimeout as sleep } from 'node:timers/promises'
import { redisTrust, type RedisTrust } from '../src/redis-trust.ts'
import { silent } from './support.ts'

/*
 * What no test with a real Redis can bring about: that a process learns of its own stop between two steps of the loss of
 * Redis, or of its return. Redis and Postgres are switches here.
 */

let world: World
afterEach(() => world.trust.close())

describe('a doubt whether the process was stopped', () => {
  beforeEach(async () => {
    world = openWorld()
    expect(await world.trust.restore()).toBe(true)
  })

  test('ends with a renewal, when Postgres answers', async () => {
    world.trust.doubt()
    expect(world.trust.holds()).toBe(false)

    expect(await world.trust.renew()).toBe(true)
    expect(world.trust.holds()).toBe(true)
  })

  test.each<[string, (trust: RedisTrust) => void]>([
    [
      'before trust is lost',
      (trust) => {
        trust.doubt()
        trust.failed(silence)
      },
    ],
    [
      'after it was lost',
      (trust) => {
        trust.failed(silence)
        trust.doubt()
      },
    ],
  ])('that comes %s keeps it from going on without Postgres', async (_, happens) => {
    world.hasPostgres = false
    happens(world.trust)

    expect(await world.trust.goesOn()).toBe(false)
    await sleep(600) // two tries to go on
    expect(world.trust.isTrusted()).toBe(false)

    world.hasPostgres = true
    await sleep(600)
    expect(world.trust.holds()).toBe(true)
  })

  test('that a renewal cannot clear without Postgres ends trust until Postgres is back', async () => {
    world.hasPostgres = false
    world.trust.doubt()

    expect(await world.trust.renew()).toBe(false)
    await sleep(600)
    expect(world.trust.isTrusted()).toBe(false)
  })

  test('that comes while Redis is won back must be cleared before it is asked', async () => {
    world.trust.failed(silence)
    world.whileWinningBack = () => {
      world.trust.doubt()
    }
    expect(await world.trust.restore()).toBe(true)
    expect(world.trust.holds()).toBe(false)

    expect(await world.trust.renew()).toBe(true)
    expect(world.trust.holds()).toBe(true)
  })
})

test('trust goes on without Postgres when Redis merely hesitated', async () => {
  world = openWorld()
  await world.trust.restore()
  world.hasPostgres = false
  world.trust.failed(silence)

  expect(await world.trust.goesOn()).toBe(true)
  expect(world.trust.holds()).toBe(true)
})

test.each<[string, (trust: RedisTrust) => void]>([
  [
    'Postgres has answered a question since',
    (trust) => {
      trust.wentElsewhere()
    },
  ],
  [
    'a change was answered since',
    (trust) => {
      trust.missed()
    },
  ],
  [
    'the connection to Redis has ended since',
    (trust) => {
      trust.disconnected()
    },
  ],
])('trust does not go on without Postgres when %s, however late it turns out', async (_, happens) => {
  world = openWorld()
  await world.trust.restore()
  world.hasPostgres = false
  world.whileRedisAnswers = () => {
    happens(world.trust)
  }
  world.trust.failed(silence)

  expect(await world.trust.goesOn()).toBe(false)
})

describe('while Postgres answers and takes no writes', () => {
  beforeEach(async () => {
    world = openWorld()
    await world.trust.restore()
    world.takesWrites = false
  })

  test('trust goes on when Redis merely hesitated', async () => {
    world.trust.failed(silence)

    expect(await world.trust.goesOn()).toBe(true)
    expect(world.trust.holds()).toBe(true)
  })

  test('trust does not go on before Redis answers', async () => {
    world.whileRedisAnswers = () => {
      throw silence
    }
    world.trust.failed(silence)
    expect(await world.trust.goesOn()).toBe(false)

    world.whileRedisAnswers = () => undefined
    await sleep(400)
    expect(world.trust.holds()).toBe(true)
  })

  test.each<[string, () => void]>([
    [
      'the others may wait for this instance no longer',
      () => {
        world.isWaitedFor = false
      },
    ],
    [
      'the connection to Redis has ended',
      () => {
        world.trust.disconnected()
      },
    ],
  ])('trust is not won back when %s, before Postgres takes them', async (_, happens) => {
    world.whileRedisAnswers = happens
    world.trust.failed(silence)
    expect(await world.trust.goesOn()).toBe(false)
    await sleep(400)
    expect(world.trust.isTrusted()).toBe(false)

    world.whileRedisAnswers = () => undefined
    world.takesWrites = true
    await sleep(700)
    expect(world.trust.holds()).toBe(true)
  })

  test('a change that is answered meanwhile is looked for before trust goes on', async () => {
    world.whileRedisAnswers = () => {
      world.trust.missed()
    }
    world.trust.failed(silence)
    expect(await world.trust.goesOn()).toBe(false)

    world.whileRedisAnswers = () => undefined
    const delivered: boolean[] = []
    world.catchesUp = () => void delivered.push(world.trust.isTrusted())
    await sleep(400)
    expect([world.trust.holds(), delivered[0]]).toEqual([true, false])
  })

  test.each<[string, 'isSure' | 'redisTakesWrites']>([
    ['the look at the changes was longer ago than others wait', 'isSure'],
    ['Redis answers and takes no writes', 'redisTakesWrites'],
  ])('trust does not go on when %s', async (_, condition) => {
    world[condition] = false
    world.trust.failed(silence)
    expect(await world.trust.goesOn()).toBe(false)
    await sleep(400)
    expect(world.trust.isTrusted()).toBe(false)

    world[condition] = true
    await sleep(400)
    expect(world.trust.holds()).toBe(true)
  })
})

test.each([
  [0, 'until Postgres has heard of it'],
  [400, 'no longer than 50 ms'],
])('the loss of trust is waited for, when Postgres takes %d ms: %s', async (postgresMs) => {
  world = openWorld()
  await world.trust.restore()
  expect(world.trust.leaving()).toBeUndefined()
  world.postgresMs = postgresMs
  const heard = world.heardOfEnd.promise.then(() => 'heard')

  world.trust.failed(silence)
  const first = await Promise.race([heard, Promise.resolve(world.trust.leaving()).then(() => 'given up')])

  expect(first).toBe(postgresMs < 50 ? 'heard' : 'given up')
  await heard
  await sleep(60)
  expect(world.trust.leaving()).toBeUndefined()
})

test('Redis is not trusted when the process was stopped while it was won back', async () => {
  world = openWorld()
  world.whileRedisAnswers = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
  }
  expect(await world.trust.restore()).toBe(false)

  world.whileRedisAnswers = () => undefined
  expect(await world.trust.restore()).toBe(true)
})

test('Redis is not trusted when the connection ends while it is won back', async () => {
  world = openWorld()
  world.whileWinningBack = () => {
    world.trust.disconnected()
  }
  expect(await world.trust.restore()).toBe(false)

  world.whileWinningBack = () => undefined
  expect(await world.trust.restore()).toBe(true)
})

const silence = new Error('Redis did not answer.')

type World = {
  hasPostgres: boolean
  takesWrites: boolean
  redisTakesWrites: boolean
  isWaitedFor: boolean
  isSure: boolean
  catchesUp: () => void
  postgresMs: number
  readonly heardOfEnd: PromiseWithResolvers<undefined>
  whileWinningBack: () => void
  whileRedisAnswers: () => void
  readonly trust: RedisTrust
}

function openWorld(): World {
  const askPostgres = async () => {
    if (open.postgresMs > 0) await sleep(open.postgresMs)
    if (!open.hasPostgres) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  }
  const writeToPostgres = async () => {
    await askPostgres()
    if (!open.takesWrites) throw Object.assign(new Error('read-only'), { severity: 'ERROR', code: '25006' })
  }
  const open: World = {
    ...{ hasPostgres: true, takesWrites: true, redisTakesWrites: true, isWaitedFor: true, isSure: true },
    catchesUp: () => undefined,
    postgresMs: 0,
    heardOfEnd: Promise.withResolvers<undefined>(),
    whileWinningBack: () => undefined,
    whileRedisAnswers: () => undefined,
    trust: redisTrust({
      ...{ log: silent, hasOneNode: true, connected: () => true, isSure: () => open.isSure },
      ...{ reachPostgres: askPostgres, isWaitedFor: () => open.isWaitedFor },
      checkWritable: () => (open.redisTakesWrites ? Promise.resolve() : Promise.reject(silence)),
      async catchUp() {
        await askPostgres()
        open.catchesUp()
      },
      async afterTrust() {
        await writeToPostgres()
        open.heardOfEnd.resolve(undefined)
      },
      async beat() {
        await Promise.resolve()
        open.whileRedisAnswers()
      },
      async beforeTrust() {
        await writeToPostgres()
        open.whileWinningBack()
      },
      onReturn: () => undefined,
    }),
  }
  return open
}
