import type { LoadReply } from '@hearth/account/testing/http-load'
import type { RigAccount, ServiceRig } from '@hearth/account/testing/service-rig'
import type { Loss } from '@hearth/account/testing/service-log'
import { isCampaign, measured, size } from '@hearth/infra/campaign'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { calculate, usedOf } from './solar-rig.ts'

/** What came of a load during which something broke. */
export type LoadOutcome = {
  /** Answers to requests that cost a unit, by account. */
  readonly replies: ReadonlyMap<RigAccount, readonly LoadReply[]>
  /** All answers, those of free requests too. */
  readonly all: readonly LoadReply[]
  /** Times of the requests since the fault began, by the access logs, in milliseconds, the longest first. */
  readonly times: readonly number[]
  /** The longest of them by the client, which is also where all links are. */
  readonly clientMs: number
  /** Times before anything broke, the longest first: what the machine itself costs at this moment. */
  readonly control: readonly number[]
  /** The longest of these. */
  readonly controlMs: number
  /** The longest that this process stood still meanwhile, through which all requests and links go. */
  readonly stallMs: number
  /** Each time that an instance gave Redis up. */
  readonly losses: readonly Loss[]
}

/**
 * Sends requests of several accounts to random instances at a steady rate, whatever becomes of them: first for a
 * while as a control, then while `fault` runs. Three in four cost a unit, the others are free.
 */
export async function underLoad(
  rig: ServiceRig,
  accounts: readonly RigAccount[],
  fault: () => Promise<unknown>,
): Promise<LoadOutcome> {
  const lossesBefore = rig.instances.map(({ losses }) => losses().length)
  const controlFrom = marksOf(rig)
  const load = startLoad(rig, accounts, size(100, 200))
  await sleep(controlForMs)
  const faultFrom = marksOf(rig)
  const brokenAt = performance.now()
  const control = timesOf(rig, controlFrom)
  const [controlMs = 0] = control
  const loop = monitorEventLoopDelay({ resolution: 5 })
  loop.enable()
  await fault().finally(() => load.stop())
  const stallMs = loop.max / 1e6
  const losses = rig.instances.flatMap((one, i) => one.losses().slice(lossesBefore[i]))
  const times = timesOf(rig, faultFrom)
  const ofClient = load.all.map(({ startedAt, endedAt }) => (endedAt < brokenAt ? 0 : endedAt - startedAt))
  return { ...load, times, clientMs: Math.max(...ofClient), control, controlMs, stallMs, losses }
}

const controlForMs = 1_000

function startLoad(rig: ServiceRig, accounts: readonly RigAccount[], perSecond: number) {
  const replies = new Map<RigAccount, LoadReply[]>(accounts.map((account) => [account, []]))
  const all: LoadReply[] = []
  const pending = new Set<Promise<void>>()
  let sent = 0
  const startedAt = performance.now()

  function sendOne(): void {
    const account = accounts[Math.floor(rig.random() * accounts.length)]
    if (account === undefined) throw new Error('A load needs accounts.')
    const isFree = sent % 4 === 3
    const answer = isFree ? rig.send('/v1/nothing', { key: account.key }) : calculate(rig, account.key)
    const done = answer.then((reply) => {
      all.push(reply)
      if (!isFree) replies.get(account)?.push(reply)
    })
    pending.add(done)
    void done.finally(() => pending.delete(done))
  }

  // A steady rate: what this process was too busy to send in time follows at once.
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    for (; sent < due; sent++) sendOne()
  }, 5)
  return {
    ...{ replies, all },
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      await sleep(100) // the last lines of the access logs
    },
  }
}

function marksOf({ instances }: ServiceRig): number[] {
  return instances.map(({ mark }) => mark())
}

function timesOf({ instances }: ServiceRig, marks: readonly number[]): number[] {
  return instances.flatMap(({ logged }, i) => logged(marks[i]).map(({ ms }) => ms)).toSorted((a, b) => b - a)
}

/** Whether the machine is so busy with other things, outside a campaign, that times say nothing. */
export function isStarved({ controlMs, stallMs }: LoadOutcome): boolean {
  return !isCampaign && Math.max(controlMs, stallMs) > 100
}

/**
 * Why Redis was given up; outside a campaign only where it was for another reason than a late answer, which on a
 * machine that others use too may be late for no fault of Redis or ours.
 */
export function reasonsOf({ losses }: LoadOutcome): readonly string[] {
  const reasons = losses.map(({ reason }) => reason)
  return isCampaign
    ? reasons
    : reasons.filter((reason) => !/timed out|was heard|no answer within/.test(reason))
}

/**
 * The promise for every outage of Redis: every request is answered, none with 5xx, none later than 250 ms. What the
 * machine itself had cost just before is allowed on top of it, 50 ms at most; in a usual run, on a machine that others
 * use too, more than that, and where Postgres cannot answer in time either, requests may be told to come back.
 */
export function expectNoHarm(rig: ServiceRig, outcome: LoadOutcome, withinMs = 250): void {
  const { all, times, clientMs, controlMs, stallMs } = outcome
  const mayPutOff = isStarved(outcome)
  const bad = all.filter(({ status }) => status === 0 || (status >= 500 && !(mayPutOff && status === 503)))
  const later = all.filter(({ status }) => status === 503)
  const [slowestMs = 0] = times
  const medianMs = times[times.length >> 1] ?? 0
  const numbers = {
    requests: all.length,
    medianMs,
    slowestMs,
    clientMs,
    controlMs,
    stallMs,
    later: later.length,
  }
  const what = JSON.stringify({ seed: rig.seed, ...numbers })
  expect([what, bad.slice(0, 3).map(({ status, text }) => [status, text])]).toEqual([what, []])
  if (mayPutOff) return
  expect([what, later.length <= all.length / 4]).toEqual([what, true])
  const allowance = isCampaign ? Math.min(50, Math.max(controlMs, stallMs)) : 10 * controlMs + 1_000
  expect([what, slowestMs <= withinMs + allowance, medianMs <= withinMs + allowance / 10]).toEqual([
    ...[what, true, true],
  ])
  if (isCampaign) expect([what, clientMs <= withinMs + allowance]).toEqual([what, true])
}

/**
 * Every success was counted, and no account got more than its quota. A call under way at the moment of a failure may
 * have been counted in Redis and, because the answer was lost, once more: at most five each time an instance gives
 * Redis up. (More calls are under way at once where a busy machine lets them pile up.)
 */
export async function expectCounted(
  rig: ServiceRig,
  { replies, losses }: LoadOutcome,
  quota: (account: RigAccount) => number = () => Infinity,
): Promise<void> {
  let twice = 0
  for (const [account, of] of replies) {
    const successes = of.filter(({ status }) => status === 200).length
    const { daily } = await usedOf(rig, account.key)
    const what = JSON.stringify({ seed: rig.seed, successes, daily, quota: quota(account) })
    expect([what, daily >= successes, successes <= quota(account)]).toEqual([what, true, true])
    twice += daily - successes
  }
  const what = JSON.stringify({ seed: rig.seed, twice, losses })
  expect([what, twice <= losses.length * size(50, 5)]).toEqual([what, true])
}

/**
 * The same where Redis forgets: of each account no more than what was counted in a quarter of a second before, or is
 * under way then, is counted once less, and may come on top of its quota.
 *
 * @param instants when it forgot, by performance.now()
 */
export async function expectNearlyCounted(
  rig: ServiceRig,
  { replies }: LoadOutcome,
  quota: (account: RigAccount) => number,
  instants: readonly number[],
): Promise<void> {
  for (const [account, of] of replies) {
    const successes = of.filter(({ status }) => status === 200)
    const unwritten = successes.filter(({ startedAt, endedAt }) =>
      instants.some((at) => endedAt >= at - size(1_000, 300) && startedAt <= at),
    ).length
    const { daily } = await usedOf(rig, account.key)
    const [gap, over] = [successes.length - daily, successes.length - quota(account)]
    const what = JSON.stringify({ seed: rig.seed, successes: successes.length, gap, over, unwritten })
    measured(`forgotten: ${what}`)
    expect([what, gap <= unwritten, over <= unwritten]).toEqual([what, true, true])
  }
}

/** One line of what a campaign has measured. */
export function report(test: string, outcome: LoadOutcome): void {
  const { all, times, clientMs, controlMs, stallMs, losses } = outcome
  const p99 = times[Math.floor(times.length / 100)] ?? 0
  const later = all.filter(({ status }) => status >= 500).length
  measured(
    `${test}: ${all.length} requests, ${later} with 5xx, p99 ${p99} ms, slowest ${times[0]} ms (${clientMs.toFixed(0)} by the client), ` +
      `before the fault ${controlMs} ms, the rig itself ${stallMs.toFixed(0)} ms, given up ${losses.length} times`,
  )
}

/** How long it takes until something is done. */
export async function milliseconds(done: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await done
  return performance.now() - startedAt
}

/** The value that so many percent do not exceed; NaN of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN
}
