import type { LoadReply } from '@hearth/account/testing/http-load'
import type { RigAccount, ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll, newSecret, send } from '@hearth/chassis/testing/service-process'
import { isCampaign, measured, size } from '@hearth/infra/campaign'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from './load.ts'
import { calculate, openSolarRig, statuses } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 600_000))
afterAll(endAll)

describe('a flood of signups', () => {
  let rig: ServiceRig
  let account: RigAccount
  beforeAll(async () => {
    rig = await openSolarRig({ instances: 1, links: false })
    await rig.serving('redis')
    account = await rig.account('api_business')
  })
  afterAll(() => rig.close())

  test('is served as far as one or two hashes at a time go, told to come back beyond that, and delays nobody else (T46)', async () => {
    const forMs = size(1_500, 6_000)
    const [alone, refused, flooded]: [number[][], number[][], number[][]] = [[], [], []]
    const signups: LoadReply[] = []
    await steadily(size(500, 5_000)) // warms up
    const grown: number[] = []
    for (let round = 0; round < size(1, 7); round++) {
      account = await rig.account('api_business') // whose quota is enough for a round
      alone.push(await timesWhile(() => sleep(forMs)))
      // As many requests, but with passwords that are too long to be hashed.
      refused.push(await timesWhile(() => flood(forMs, 'x'.repeat(257))))
      const before = await residentBytes()
      flooded.push(
        await timesWhile(async () => signups.push(...(await flood(forMs, 'a long enough password')))),
      )
      grown.push(((await residentBytes()) - before) / 2 ** 20)
    }
    const grownMb = Math.max(...grown)
    const hasherMb = residentBytesOfChildren(rig.instance(0).service().pid) / 2 ** 20

    const { 201: made = 0, 503: later = 0, ...others } = statuses(signups)
    expect([made > 0, later > 0, others]).toEqual([true, true, {}])
    expect(
      new Set(signups.filter(({ status }) => status === 503).map(({ headers }) => headers['retry-after'])),
    ).toEqual(new Set(['5']))
    const usual = (rounds: readonly number[][], percent: number) =>
      percentile(
        rounds.map((times) => percentile(times, percent)),
        50,
      )
    const p99 = usual(flooded, 99)
    const bases = [alone, refused].map((rounds) => usual(rounds, 99))
    measured(
      `T46: ${made} signups served, ${later} told to come back, memory grown by ${grownMb.toFixed(0)} MB, and ${hasherMb.toFixed(0)} MB of the process that hashes`,
    )
    measured(
      `T46: p99 of other requests ${bases[0]} ms alone, ${bases[1]} ms beside signups that are refused, ${p99} ms during the flood`,
    )
    expect(grownMb).toBeLessThan(64)
    expect(hasherMb).toBeLessThan(128)
    // Whatever the machine, a request does not wait for the hashes of others.
    expect(usual(flooded, 50)).toBeLessThan(250 + 10 * usual(refused, 50))
    if (!isCampaign) return
    const [alone99 = 0, refused99 = 0] = bases
    expect(refused99).toBeLessThanOrEqual(2 * alone99)
    expect(p99).toBeLessThanOrEqual(Math.min(50, 2 * refused99))
  })

  test('with endless passwords costs no hash (T46)', async () => {
    const tooLongAtOnce = await Promise.all(Array.from({ length: 50 }, () => signUp('x'.repeat(257))))
    expect(statuses(tooLongAtOnce)).toEqual({ 400: 50 })
    await sleep(100) // these are in the log
    const from = rig.instance(0).mark()
    for (let i = 0; i < 50; i++) expect((await signUp('x'.repeat(257))).status).toBe(400)
    await sleep(100)
    const times = rig
      .instance(0)
      .logged(from)
      .map(({ ms }) => ms)
    measured(`T46: a password that is too long is refused in ${percentile(times, 50)} ms`)
    if (isCampaign) expect(percentile(times, 50)).toBeLessThan(5)
    // Whoever has to wait for a hash is told to come back while so many wait already.
    const flooding = Array.from({ length: 60 }, () => signUp('a long enough password'))
    const [waiting, tooLong] = await Promise.all([
      Promise.all(flooding),
      Promise.all(Array.from({ length: 20 }, () => signUp('x'.repeat(257)))),
    ])
    expect(statuses(waiting)[503]).toBeGreaterThan(0)
    expect(statuses(tooLong)).toEqual({ 400: 20 })
  })

  /** Fifty strangers who come back five times a second. */
  async function flood(forMs: number, password: string): Promise<LoadReply[]> {
    const end = performance.now() + forMs
    const replies: LoadReply[] = []
    const strangers = Array.from({ length: 50 }, async () => {
      while (performance.now() < end) {
        replies.push(await signUp(password))
        await sleep(200)
      }
    })
    await Promise.all(strangers)
    return replies
  }

  function signUp(password: string): Promise<LoadReply> {
    return rig.send('/v1/signup', { body: { name: 'Eve', email: `${newSecret()}@example.com`, password } })
  }

  /** A calculation each 5 ms. */
  async function steadily(forMs: number): Promise<void> {
    const end = performance.now() + forMs
    const pending: Promise<LoadReply>[] = []
    while (performance.now() < end) {
      pending.push(calculate(rig, account.key))
      await sleep(5)
    }
    expect(statuses(await Promise.all(pending))).toEqual({ 200: pending.length })
  }

  /** Milliseconds of the calculations while something goes on, by the access log. */
  async function timesWhile(work: () => Promise<unknown>): Promise<number[]> {
    const from = rig.instance(0).mark()
    const state = { done: false }
    const working = work().finally(() => (state.done = true))
    while (!state.done) await steadily(100)
    await working
    await sleep(100)
    return rig
      .instance(0)
      .logged(from)
      .filter(({ route }) => route === '/v1/calculate')
      .map(({ ms }) => ms)
  }

  async function residentBytes(): Promise<number> {
    const { body } = await send(`${rig.instance(0).service().internalUrl}/metrics`)
    return Number(/^process_resident_memory_bytes (\d+)/m.exec(String(body))?.[1])
  }
})

/** Of the processes that a process has started, by Linux's account; 0 elsewhere. */
function residentBytesOfChildren(pid: number): number {
  const list = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(list)) return 0
  const children = readFileSync(list, 'utf8').trim().split(' ')
  const kilobytes = children.map((child) =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]),
  )
  return kilobytes.reduce((sum, one) => sum + one, 0) * 1024
}
