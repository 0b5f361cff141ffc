import { isCampaign, measured, size } from '@hearth/infra/campaign'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeAccount } from '../../src/context.ts'
import { gateInstances, noteForInstances } from '../../src/gate-instances.ts'
import { burstOf } from '../../src/gate.ts'
import { openGate } from '../../src/quota-gate.ts'
import { createLogger } from '@hearth/chassis/logger'
import { redisOutbox } from '../../src/outbox.ts'
import { milliseconds, openRig, until, type Rig, type TestAccount } from '../failover-rig.ts'
import { sightOfChanges } from '../../src/sight.ts'
import { openTestDatabase, silent, testPlans, withoutWrites } from '../support.ts'

import.meta.jest.setTimeout(size(60_000, 300_000))

/*
 * A change is answered when every instance that counts in Redis has seen it, or counts there no longer. None of them may
 * rely on that when the changes are more than can be delivered in time.
 */

describe('two instances, of which one has lost Redis', () => {
  let rig: Rig
  let accounts: TestAccount[]
  beforeAll(async () => {
    rig = await openRig({ instances: 2 })
    accounts = await Promise.all(Array.from({ length: size(400, 4_000) }, () => rig.account()))
  })
  afterAll(() => rig.close())
  beforeEach(async () => {
    for (const { redis } of rig.links) redis.heal()
    await rig.serving('redis')
  })

  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from outbox`.execute(
      rig.database.db,
    )
    return rows[0]?.count
  }
  const joined = async () =>
    (await rig.database.db.selectFrom('gate_instance').select('instance').execute()).length
  const epoch = async () => {
    const { epoch: current } = await rig.database.db
      .selectFrom('gate_epoch')
      .selectAll()
      .executeTakeFirstOrThrow()
    return current
  }

  test('a revocation behind thousands of changes holds from the answer to it on (T29)', async () => {
    for (let run = 0; run < size(3, 10); run++) {
      const account = await rig.account()
      await rig.callAtOnce(account, 2)
      rig.links[0]?.redis.cut()
      await until(() => rig.gates[0]?.serving() === 'postgres')
      const tags = Array.from({ length: 5 }, () => accounts.map(({ tag }) => tag)).flat()
      await sql`insert into outbox (tag) select unnest(${tags}::text[])`.execute(rig.database.db)

      const ms = await milliseconds(rig.revoke(account, 0))

      expect((await rig.call(account, 0, 1)).outcome).not.toBe('ok')
      measured(`revoked behind ${tags.length} changes in ${ms.toFixed(0)} ms`)
      rig.links[0]?.redis.heal()
      await rig.serving('redis')
    }
  })

  test('a revocation behind a thousand changes that are delivered and cannot be removed holds (T29)', async () => {
    const { db } = rig.database
    const [other] = accounts
    const account = await rig.account()
    await rig.callAtOnce(account, 2)
    await sleep(2_500) // nobody reads it once more by himself
    rig.links[0]?.redis.cut()
    await until(() => rig.gates[0]?.serving() === 'postgres')
    await sql`create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'no' using errcode = '57014'; end $$`.execute(db)
    await sql`create trigger refuse before delete on outbox for each row execute function refuse()`.execute(
      db,
    )
    await sql`insert into outbox (tag, version) select ${other?.tag}, 1 from generate_series(1, 1000)`.execute(
      db,
    )
    await sleep(300) // delivered

    try {
      await rig.revoke(account, 0)
      expect((await rig.call(account, 1, 1)).outcome).toBe('revoked')
      if (isCampaign) expect(rig.gates[1]?.serving()).toBe('redis') // a busy machine gives it up now and then
    } finally {
      await sql`drop trigger refuse on outbox`.execute(db) // the tests that follow use this database
    }
    await until(async () => (await waiting()) === 0)
  })

  test('the other gives Redis up when it cannot deliver a change in time, and comes back', async () => {
    const before = await epoch()
    const logged = rig.log.length
    const [account] = accounts
    const record = `slr:{${account?.tag}}`
    await rig.clients[1]?.set(record, 'no record')
    await sql`insert into outbox (tag, version) values (${account?.tag}, 2)`.execute(rig.database.db)

    await until(() => rig.log.slice(logged).some(({ msg }) => String(msg).includes('Redis is away')))
    expect(await waiting()).toBe(1)
    await rig.clients[1]?.del(record)
    await until(async () => (await epoch()) > before && (await waiting()) === 0)
    await rig.serving('redis')
  })

  test('whoever counts in Redis delivers its own changes, whatever Postgres knows of it', async () => {
    const account = await rig.account()
    await rig.callAtOnce(account, 2)
    await sql`delete from gate_instance`.execute(rig.database.db)

    await rig.revoke(account, 0)

    expect((await rig.call(account, 0, 0)).outcome).toBe('revoked')
    await until(async () => (await joined()) === 2) // each finds out that it was forgotten
  })

  test('nothing waits for anybody while both have lost it, and Redis is used again at once', async () => {
    for (const { redis } of rig.links) redis.cut()
    await rig.serving('postgres')
    const account = await rig.account()
    for (const one of accounts) await rig.call(one, 1)
    expect(await waiting()).toBe(0)

    rig.links[1]?.redis.heal()
    await until(() => rig.gates[1]?.serving() === 'redis')
    const ms = await milliseconds(rig.revoke(account, 0))

    expect((await rig.call(account, 0, 1)).outcome).toBe('revoked')
    expect(await rig.call(accounts[0] ?? account, 0, 1)).toMatchObject({ usedToday: 1 })
    measured(`revoked after an outage with ${accounts.length} accounts in ${ms.toFixed(0)} ms`)
  })
})

describe('a Postgres that is put back to an earlier state', () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await openRig({ instances: 2 })
  })
  afterAll(() => rig.close())

  const suspend = ({ tag }: TestAccount) =>
    changeAccount({ db: rig.database.db, outbox: outboxOf(rig) }, tag, (trx) =>
      trx.updateTable('account').set({ suspended_at: new Date() }).where('tag', '=', tag).execute(),
    )

  test('is followed by the records in Redis, and what they have counted is not lost', async () => {
    const account = await rig.account()
    await rig.callAtOnce(account, 6)
    const { tag } = account
    // As of a backup that is fifty changes old, from which the service has gone on once.
    await rig.database.db.updateTable('account').set({ version: 50 }).where('tag', '=', tag).execute()
    await changeAccount({ db: rig.database.db, outbox: outboxOf(rig) }, tag, () => Promise.resolve())
    await rig.database.db.updateTable('account').set({ version: 1 }).where('tag', '=', tag).execute()

    await suspend(account)

    expect(await rig.call(account, 1, 0)).toEqual({ outcome: 'suspended' })
    expect(await rig.call(account, 1, 1)).toEqual({ outcome: 'suspended' })
    await changeAccount({ db: rig.database.db, outbox: outboxOf(rig) }, tag, (trx) =>
      trx.updateTable('account').set({ suspended_at: null }).where('tag', '=', tag).execute(),
    )
    expect(await rig.call(account, 1, 1)).toMatchObject({ outcome: 'ok', usedToday: 7 })
  })

  // The last: to the state before the last change, so that the next one has its number.
  test.each([1, 50])(
    'is followed by the records also when the change comes from one that has lost Redis, at version %i',
    async (version) => {
      const account = await rig.account()
      const { tag } = account
      const { db } = rig.database
      await rig.callAtOnce(account, 2)
      await db.updateTable('account').set({ version: 50 }).where('tag', '=', tag).execute()
      await changeAccount({ db, outbox: outboxOf(rig) }, tag, () => Promise.resolve())
      await rig.call(account, 1, 1)
      await sleep(2_500) // nobody reads it once more by himself
      await db.updateTable('account').set({ version }).where('tag', '=', tag).execute()
      rig.links[0]?.redis.cut()
      await until(() => rig.gates[0]?.serving() === 'postgres')

      await suspend(account)

      expect(await rig.call(account, 0, 1)).toEqual({ outcome: 'suspended' })
      rig.links[0]?.redis.heal()
      await rig.serving('redis')
    },
  )

  test('has an account again that was deleted since', async () => {
    const account = await rig.account()
    await rig.callAtOnce(account, 2)
    const { tag } = account
    const { db } = rig.database
    const row = await db.selectFrom('account').selectAll().where('tag', '=', tag).executeTakeFirstOrThrow()
    const key = await db.selectFrom('api_key').selectAll().where('tag', '=', tag).executeTakeFirstOrThrow()
    await changeAccount({ db, outbox: outboxOf(rig) }, tag, (trx) =>
      trx.deleteFrom('account').where('tag', '=', tag).execute(),
    )
    expect(await rig.call(account, 1, 1)).toEqual({ outcome: 'unknown' })

    await db.insertInto('account').values(row).execute()
    await db.insertInto('api_key').values(key).execute()
    await db.deleteFrom('deleted_account').where('tag', '=', tag).execute()

    expect(await rig.call(account, 1, 1)).toMatchObject({ outcome: 'ok' })
  })

  test('begins with an epoch later than all that were', async () => {
    const { db } = rig.database
    const { epoch: before } = await db.selectFrom('gate_epoch').selectAll().executeTakeFirstOrThrow()
    await db.updateTable('gate_epoch').set({ epoch: 3 }).execute()

    expect(await gateInstances(db, randomUUID()).join()).toBeGreaterThan(before)
  })
})

describe('what instances know of each other', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>
  const time = { now: 0 }
  beforeAll(async () => {
    database = await openTestDatabase('postgres')
  })
  afterAll(() => database.close())
  afterEach(() => database.db.deleteFrom('gate_instance').execute())

  const open = () => {
    const name = randomUUID()
    return { name, ...gateInstances(database.db, name, () => time.now) }
  }
  const seesOthers = async (one: ReturnType<typeof open>) => {
    const { rows } = await sql<{ others: boolean }>`select ${one.othersCount} as others`.execute(database.db)
    return rows[0]?.others
  }
  const isKnown = async (one: ReturnType<typeof open>) => {
    const { rows } = await sql<{ known: boolean }>`select ${one.place().isKnown} as known`.execute(
      database.db,
    )
    return rows[0]?.known
  }
  const isThere = async ({ name }: { readonly name: string }) =>
    (await database.db.selectFrom('gate_instance').select('spell').where('instance', '=', name).execute())
      .length > 0
  /** Time goes on for so long, and these say in between that they are there. */
  const goOn = async (seconds: number, ...there: ReturnType<typeof open>[]) => {
    for (let i = 0; i < seconds; i++) {
      time.now += 1_000
      for (const one of there) await one.stay()
    }
  }

  test('one that was not heard of for 15 seconds counts as crashed, and finds that out when it is there again', async () => {
    const [one, other] = [open(), open()]
    await one.join()
    expect([await seesOthers(one), await seesOthers(other)]).toEqual([false, true])
    await goOn(40, one, other)
    expect([await seesOthers(other), await isKnown(one)]).toEqual([true, true])

    await goOn(9, other)
    expect(await seesOthers(other)).toBe(true)
    await goOn(12, other)

    expect([await seesOthers(other), await isKnown(one)]).toEqual([false, false])
    await one.join()
    expect([await seesOthers(other), await isKnown(one)]).toEqual([true, true])
  })

  test.each(['-1 hour', '20 seconds', '2 hours'])(
    'a clock of Postgres that is %s wrong makes nobody look crashed, nor a crashed one be there',
    async (step) => {
      const [one, other, crashed] = [open(), open(), open()]
      await one.join()
      await crashed.join()
      await sql`update gate_instance set seen_at = seen_at - ${step}::interval`.execute(database.db)

      await goOn(10, one, other)
      await open().join()

      expect([await isKnown(one), await isThere(crashed)]).toEqual([true, true])
      await goOn(30, one, other)
      expect([await isKnown(one), await isThere(crashed)]).toEqual([true, false])
    },
  )

  test('one that finds Postgres put back to what it said before has to join again, within five seconds', async () => {
    const one = open()
    await one.join()
    await goOn(6, one)
    const { seen_at: backup } = await database.db
      .selectFrom('gate_instance')
      .select(sql<string>`seen_at::text`.as('seen_at'))
      .executeTakeFirstOrThrow()
    await goOn(6, one)
    expect(await isKnown(one)).toBe(true)

    await database.db
      .updateTable('gate_instance')
      .set({ seen_at: sql<Date>`${backup}::timestamptz` })
      .execute()
    await goOn(6, one)

    expect([await isThere(one), await isKnown(one)]).toEqual([true, false])
    await one.join()
    await goOn(12, one)
    expect(await isKnown(one)).toBe(true)
  })

  test('one whose sign of life was heard, and the answer to it was not, need not join again', async () => {
    const one = open()
    await one.join()
    await goOn(6, one)
    await sql`update gate_instance set seen_at = seen_at + interval '1 second'`.execute(database.db)

    await goOn(12, one)

    expect(await isKnown(one)).toBe(true)
  })

  test('who could not look for long does not take the others for crashed: perhaps nobody could say anything', async () => {
    const [one, other] = [open(), open()]
    await one.join()
    await goOn(6, other)
    time.now += 20_000

    await goOn(14, other)

    expect([await seesOthers(other), await isKnown(one)]).toEqual([true, true])
    await goOn(10, other)
    expect([await seesOthers(other), await isKnown(one)]).toEqual([false, false])
  })

  test('a Postgres that takes no writes for long makes nobody look crashed, and the first who can write does not remove the others', async () => {
    const [one, other] = [open(), open()]
    await one.join()
    await goOn(6, one, other)
    await withoutWrites(database.url, async () => {
      for (let seconds = 0; seconds < 20; seconds++) {
        time.now += 1_000
        const said = await Promise.allSettled([one.stay(), other.stay()])
        expect(said.map(({ status }) => status === 'rejected')).toEqual(Array(2).fill(seconds >= 4))
      }
    })

    await goOn(14, other)

    expect(await isKnown(one)).toBe(true)
    await goOn(10, other)
    expect(await isKnown(one)).toBe(false)
  })

  test('one that was not allowed to leave is still in, and waited for', async () => {
    const [one, other] = [open(), open()]
    expect(one.isIn()).toBe(false)
    await one.join()
    await withoutWrites(database.url, () => expect(one.leave()).rejects.toThrow('read-only'))
    expect([one.isIn(), await seesOthers(other)]).toEqual([true, true])

    let leaving = Promise.resolve()
    await database.db.transaction().execute(async (trx) => {
      await sql`select from gate_instance for update`.execute(trx)
      leaving = one.leave()
      expect(one.isIn()).toBe(false) // it may be heard from now on
    })
    await leaving
    expect([one.isIn(), await seesOthers(other)]).toEqual([false, false])
  })

  test('one that has left is not brought back by what it had begun to say, and one that went on has to join again', async () => {
    const [one, other] = [open(), open()]
    await one.join()
    time.now += 5_000
    const saying = one.stay()
    await one.leave()
    await saying
    expect(await seesOthers(other)).toBe(false)

    one.comeBack()
    expect([await isKnown(one), one.place().isCurrent()]).toEqual([false, true])
    expect(await seesOthers(other)).toBe(false)
  })

  test('a change that was begun before one joins is seen by it, one that ends after is left in the outbox', async () => {
    const one = open()
    const { db } = database
    const noted = () => db.selectFrom('outbox').select('tag').execute()

    await db.transaction().execute(async (trx) => {
      await noteForInstances(trx, 'before', 2, false)
      // It waits, and not for so long that others who note a change would wait with it.
      await expect(one.join()).rejects.toThrow('lock timeout')
    })
    await one.join()
    expect(await noted()).toEqual([])

    await db.transaction().execute((trx) => noteForInstances(trx, 'after', 2, false))
    expect(await noted()).toEqual([{ tag: 'after' }])
  })
})

test('a standby that begins the sequence of changes earlier than it had come gives none of their ids again', async () => {
  const database = await openTestDatabase('postgres')
  const { db } = database
  const note = async () => {
    const noting = db.insertInto('outbox').values({ tag: 'AAAAAAAAAA' }).returning('id')
    return (await noting.executeTakeFirstOrThrow()).id
  }
  const ids: number[] = []
  for (let run = 0; run < 2; run++) {
    await sql`select setval('outbox_number', 40)`.execute(db)
    for (let i = 0; i < 10; i++) ids.push(await note())
  }
  await database.close()

  expect(new Set(ids).size).toBe(20)
  expect(ids.every(Number.isSafeInteger)).toBe(true)
})

test('an instance without Redis complains of others that count there', async () => {
  const rig = await openRig()
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const gate = await openGate({
    ...{ database: rig.database, plans: testPlans, burst: burstOf(0), instance: randomUUID() },
    log: createLogger({ level: 'error', service: 'test', destination }),
    deployment: { name: 'test', code: 'slr', keyHeader: 'X-API-Key' },
  })

  await until(() => lines.some((line) => line.includes('this one has no REDIS_URL')))
  await gate.close()
  await rig.close()
})

test.each([
  ['change', 2, 500],
  ['move', null, 150],
])(
  'a %s that cannot be delivered in time is told of before it is, and stays until it is',
  async (_, version, overdueMs) => {
    const database = await openTestDatabase('postgres')
    const { db } = database
    const told = { lateMs: NaN }
    const refusal = new Error('Redis does not take it.')
    const instances = gateInstances(db, randomUUID())
    await instances.join()
    const outbox = redisOutbox({
      ...{ db, aside: db, log: silent, instances, sight: sightOfChanges(), trusting: () => true },
      ...{ forgotten: () => undefined, missed: () => undefined },
      late: () => void (told.lateMs = performance.now() - startedAt),
      async outdate(tag) {
        await sleep(1_000)
        if (tag === 'refused') throw refusal
        return true
      },
      async replicate(tags) {
        await sleep(1_000)
        return tags.slice(1).map((tag) => ({ tag, cause: refusal }))
      },
    })
    const startedAt = performance.now()
    await db
      .insertInto('outbox')
      .values(['delivered', 'refused'].map((tag) => ({ tag, version })))
      .execute()

    await expect(outbox.drain()).rejects.toThrow('does not take it')

    expect(told.lateMs).toBeGreaterThan(overdueMs - 10)
    expect(told.lateMs).toBeLessThan(1_000)
    const waiting = () => db.selectFrom('outbox').select('tag').execute()
    await until(async () => (await waiting()).length === 1)
    expect(await waiting()).toEqual([{ tag: 'refused' }])
    await database.close()
  },
)

function outboxOf(rig: Rig) {
  const [gate] = rig.gates
  if (gate === undefined) throw new Error('The rig has no instance.')
  return gate.outbox
}
