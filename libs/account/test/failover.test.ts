import { keptConnections } from '@hearth/chassis/database'
import { sql } from 'kysely'
import type { Verdict } from '../src/gate.ts'
import { openRig, until, type Rig } from './failover-rig.ts'
import { openTestGate } from './support.ts'

const allowed = (verdicts: readonly Verdict[]) => verdicts.filter(({ outcome }) => outcome === 'ok')
const usedOf = (verdict: Verdict) => ('plan' in verdict ? verdict.usedToday : -1)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

test('an outage finds connections to Postgres, also when those of the start have ended (T13)', async () => {
  const test_ = await openTestGate('redis')
  const ours = sql`datname = current_database() and application_name = 'hearth-test' and query like '%pass_gate%'`
  const opened = async () => {
    const { rows } = await sql<{
      pid: number
    }>`select pid from pg_stat_activity where ${ours} and pid <> pg_backend_pid()`.execute(test_.db)
    return rows.map(({ pid }) => pid)
  }
  // Not all are rehearsed, and the last question of a few may have been another.
  const enough = keptConnections - 4
  const first = await opened()
  for (const pid of first)
    await sql`select pg_terminate_backend(${pid}::integer)`.execute(test_.db).catch(() => 0)
  await until(async () => (await opened()).filter((pid) => !first.includes(pid)).length >= enough)
  await test_.close()

  expect(first.length).toBeGreaterThanOrEqual(enough)
})

describe('when Redis goes away and comes back', () => {
  let rig: Rig
  afterEach(() => rig.close())

  test('a stopped Redis delays nobody beyond its deadline; all is counted by Postgres and once it runs again (T14)', async () => {
    rig = await openRig({ instances: 2 })
    const account = await rig.account()
    expect(allowed(await rig.callAtOnce(account, 10))).toHaveLength(10)
    await Promise.all(rig.gates.map((gate) => gate.ledger.flush()))
    rig.server.pause()

    const start = performance.now()
    const first = await rig.callAtOnce(account, 6)
    const waited = performance.now() - start
    const later = await rig.callAtOnce(account, 10)

    expect(
      allowed([...first, ...later])
        .map(usedOf)
        .toSorted((a, b) => a - b),
    ).toEqual(upTo(26).slice(10))
    expect(waited).toBeLessThan(2_000) // the deadline of a command is 250 ms
    expect(rig.gates.map((gate) => gate.serving())).toEqual(['postgres', 'postgres'])
    rig.server.resume()
    await rig.serving('redis')
    const used = usedOf(await rig.call(account, 0))
    // Redis may still have done what it was asked when it was stopped.
    expect(used).toBeGreaterThanOrEqual(26)
    expect(used).toBeLessThanOrEqual(26 + 6)
  })

  test('a killed and emptied Redis loses no count and forgets no revocation (T13)', async () => {
    rig = await openRig({ instances: 2 })
    const [account, revoked] = [await rig.account('free'), await rig.account('free')]
    await rig.call(revoked)
    await rig.revoke(revoked)
    for (let i = 0; i < 3; i++) await rig.call(account, 1, i)
    await Promise.all(rig.gates.map((gate) => gate.ledger.flush()))
    await rig.server.kill()
    const during = await rig.call(account, 1, 1)
    expect(await rig.call(revoked, 1, 1)).toEqual({ outcome: 'revoked' })
    await rig.server.restart()
    await rig.serving('redis')

    expect(during).toMatchObject({ outcome: 'ok', usedToday: 4 })
    expect(await rig.callAtOnce(revoked, 2)).toEqual([{ outcome: 'revoked' }, { outcome: 'revoked' }])
    const verdicts = await rig.callAtOnce(account, 10)
    expect(allowed(verdicts).map(usedOf)).toEqual([5])
  })

  test('a key revoked meanwhile is refused although the old data of Redis still has it', async () => {
    rig = await openRig({ appendonly: true })
    const account = await rig.account()
    await rig.call(account)
    await rig.clients[0]?.call('BGREWRITEAOF').catch(() => undefined)
    await rig.server.kill()
    await rig.revoke(account)
    expect(await rig.call(account)).toEqual({ outcome: 'revoked' })
    await rig.server.restart()
    await rig.serving('redis')

    expect(await rig.call(account)).toEqual({ outcome: 'revoked' })
    const outbox = await rig.database.db.selectFrom('outbox').selectAll().execute()
    expect(outbox).toEqual([])
  })

  test('a key revoked before is refused when Redis comes back with older data and nobody had asked meanwhile', async () => {
    rig = await openRig({ instances: 2 })
    const account = await rig.account()
    await rig.callAtOnce(account, 2)
    await rig.clients[0]?.call('SAVE')
    await rig.revoke(account)
    expect(await rig.call(account)).toEqual({ outcome: 'revoked' })
    await rig.server.kill()
    await rig.server.restart()
    await rig.connected()

    expect(await rig.callAtOnce(account, 4)).toEqual(upTo(4).map(() => ({ outcome: 'revoked' })))
  })

  test('charges made meanwhile are counted after it, those of others while one is cut off too', async () => {
    rig = await openRig({ redisUp: false })
    expect(rig.gates[0]?.serving()).toBe('postgres')
    const account = await rig.account()
    expect(allowed(await rig.callAtOnce(account, 20))).toHaveLength(20)
    await rig.server.restart()
    await rig.serving('redis')

    const verdicts = await rig.callAtOnce(account, 60)

    expect(
      allowed(verdicts)
        .map(usedOf)
        .toSorted((a, b) => a - b),
    ).toEqual(upTo(50).slice(20))
  })

  test('charges that another instance makes in Postgres reach the record in Redis', async () => {
    rig = await openRig({ instances: 2 })
    const account = await rig.account()
    await rig.call(account, 1, 0)
    rig.clients[1]?.disconnect()
    await until(() => rig.clients[1]?.status !== 'ready')
    for (let i = 0; i < 4; i++) expect((await rig.call(account, 1, 1)).outcome).toBe('ok')
    expect(rig.gates.map((gate) => gate.serving())).toEqual(['redis', 'postgres'])

    await rig.call(account, 1, 0)

    await until(async () => usedOf(await rig.call(account, 0, 0)) === 6)
    expect(usedOf(await rig.call(account, 0, 1))).toBe(6)
  })

  test('a revocation by an instance that is cut off from Redis holds on the others when it is answered', async () => {
    rig = await openRig({ instances: 2 })
    const account = await rig.account()
    await rig.callAtOnce(account, 2)
    rig.clients[1]?.disconnect()
    await until(() => rig.clients[1]?.status !== 'ready')
    await rig.revoke(account, 1)

    expect(await rig.callAtOnce(account, 2)).toEqual([{ outcome: 'revoked' }, { outcome: 'revoked' }])
  })

  test('a unit charged by Redis is given back while Redis is away, and once only', async () => {
    rig = await openRig()
    const account = await rig.account()
    for (let i = 0; i < 4; i++) await rig.call(account)
    const verdict = await rig.call(account)
    await rig.gates[0]?.ledger.flush()
    await rig.server.kill()
    await rig.serving('postgres')
    if (verdict.outcome === 'ok' && verdict.charge !== undefined) await rig.gates[0]?.refund(verdict.charge)

    expect(usedOf(await rig.call(account, 0))).toBe(4)
    await rig.server.restart()
    await rig.serving('redis')
    expect(usedOf(await rig.call(account, 0))).toBe(4)
    expect(await rig.call(account)).toMatchObject({ outcome: 'ok', usedToday: 5 })
  })

  test('a refund that Redis may have made is not made again', async () => {
    rig = await openRig()
    const account = await rig.account()
    const verdict = await rig.call(account)
    await rig.call(account)
    rig.server.pause()
    const refund =
      verdict.outcome === 'ok' && verdict.charge !== undefined
        ? rig.gates[0]?.refund(verdict.charge)
        : undefined
    await expect(refund).rejects.toThrow('Redis did not answer')
    rig.server.resume()
    await rig.serving('redis')

    expect(usedOf(await rig.call(account, 0))).toBeGreaterThanOrEqual(1)
  })

  test('an idle instance does not accept a key that was revoked while Redis hung', async () => {
    rig = await openRig({ instances: 2 })
    for (let round = 0; round < 4; round++) {
      const account = await rig.account()
      await rig.callAtOnce(account, 2)
      rig.server.pause()
      await rig.revoke(account, 0)
      rig.server.resume()

      expect(await rig.call(account, 1, 1)).toEqual({ outcome: 'revoked' })
      await rig.serving('redis')
    }
  })

  test('an account that Redis has in a newer version than Postgres neither fails nor ends the trust in Redis', async () => {
    rig = await openRig()
    const [account, other] = [await rig.account(), await rig.account()]
    await rig.call(account)
    await rig.clients[0]?.hset(`slr:{${account.tag}}`, 'v', 1000, 'e', 0)

    expect(await rig.call(account)).toMatchObject({ outcome: 'ok' })
    expect(await rig.call(other)).toMatchObject({ outcome: 'ok', usedToday: 1 })
    expect(rig.gates[0]?.serving()).toBe('redis')
  })

  test('a flapping Redis makes no call fail, and all that was allowed is counted (T27)', async () => {
    rig = await openRig({ instances: 2, appendonly: true })
    const account = await rig.account()
    const verdicts: Verdict[] = []
    const state = { done: false }
    const calling = (async () => {
      while (!state.done) verdicts.push(...(await rig.callAtOnce(account, 2)))
    })()
    for (let flap = 0; flap < 3; flap++) {
      await rig.server.kill()
      await rig.server.restart()
      await new Promise((resume) => setTimeout(resume, 300))
    }
    await rig.serving('redis')
    await until(() => verdicts.at(-1)?.outcome === 'over')
    state.done = true
    await calling

    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['ok', 'over']))
    expect(allowed(verdicts).length).toBeLessThanOrEqual(50)
    expect(await rig.call(account)).toMatchObject({ outcome: 'over' })
  })
})
