import { inTime } from '@hearth/chassis/in-time'
import { isRedisUnavailable } from '@hearth/chassis/redis'
import { ReplyError, type Cluster, type Redis } from 'ioredis'
import { createHash } from 'node:crypto'
import type { Snapshot } from './account-snapshot.ts'
import { batched } from './batched.ts'
import type { Burst, GateRequest } from './gate.ts'
import type { Seen } from './ledger.ts'
import type { Plans } from './plans.ts'
import { clockOfRedis } from './redis-clock.ts'
import {
  gateReplyFields,
  gateReplyHeader,
  gateScript,
  outdateScript,
  refundScript,
  scriptOutcomes,
  unpackReply,
  writeScript,
} from './redis-scripts.ts'
import type { Tally } from './tallies.ts'

/** Redis did not do what it was asked, or not in time. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway'
  /** False when the question was never sent, or was refused; else it may have been done after all. */
  readonly mayHaveRun: boolean
  /** False when Redis answers, and the fault is with this one record or question. */
  readonly isOutage: boolean

  constructor(
    message: string,
    {
      cause,
      mayHaveRun = mayBeDone(cause),
    }: { readonly cause?: unknown; readonly mayHaveRun?: boolean } = {},
  ) {
    super(message, { cause })
    this.mayHaveRun = mayHaveRun
    this.isOutage = isRedisUnavailable(cause)
  }
}

function mayBeDone(failure: unknown): boolean {
  return !(failure instanceof ReplyError || /isn't (writeable|ready)/.test(String(failure)))
}

/** Where the records are and how they are counted. */
export type RedisRecordsOptions = {
  readonly redis: Redis | Cluster
  /** First part of every Redis key: one per deployment. */
  readonly prefix: string
  readonly plans: Plans
  readonly burst: Burst
  /** The epoch in which this instance trusts Redis. */
  readonly epoch: () => number
  /** Overrides the clock of Redis (Unix milliseconds), for tests. */
  readonly clock: (() => number) | undefined
  /** The highest count this instance has seen for an account: a record that shows less is raised to it. */
  readonly floor: (of: { readonly tag: string; readonly tally?: Tally }) => Seen | undefined
  /** How long an answer is waited for, in milliseconds; after that the question holds no more. 75 unless told. */
  readonly answerWithinMs?: number | undefined
  /** Told that a question came too late, before any other is put: the process may have been stopped. */
  readonly onLate?: () => void
  /** When Redis was last found to be trusted (performance.now()): a question holds from then on. Now unless told. */
  readonly trustedAt?: () => number
}

/** The records of accounts in Redis; see redis-scripts.ts. Everything rejects with RedisAway when Redis fails. */
export type RedisRecords = {
  /** Puts a question to the record of its account; all questions of one turn of the event loop share one call. */
  readonly ask: (request: GateRequest) => Promise<Reply>
  /**
   * Makes a record follow Postgres unless it is newer.
   *
   * @param epoch the epoch in which the snapshot was read, or an earlier one
   * @param found what the write before has found, when the snapshot was read after it
   * @returns what the record has counted, and what is to be written once more
   */
  readonly write: (tag: string, epoch: number, snapshot: Snapshot, found?: Found) => Promise<Written>
  /**
   * A record of this version or an earlier one is not used any more before it is written anew.
   *
   * @returns false when the record shows a later one
   */
  readonly outdate: (tag: string, version: number) => Promise<boolean>
  /** Gives a unit back; the number given back that day, or undefined when the record cannot take it. */
  readonly refund: (tag: string, day: number) => Promise<number | undefined>
  /** Learns what Redis takes for now: before, it is not known until when a question holds. */
  readonly hearClock: () => Promise<void>
  /** Unix milliseconds by the clock that decides. */
  readonly now: () => Promise<number>
}

/** What the gate script says of one request; `late`: it came to Redis when it no longer held, and changed nothing. */
export type Reply = RecordReply | { readonly outcome: 'late' }

/** What the gate script finds in the record of an account. */
export type RecordReply = {
  readonly outcome: (typeof scriptOutcomes)[number]
  /** Unix milliseconds. */
  readonly now: number
  /** Position in the plan table. */
  readonly plan: number
  readonly day: number
  readonly used: number
  readonly refunded: number
  /** Net charges of the Postgres gate on that day. */
  readonly direct: number
  readonly usedBefore: number
  readonly burstRemaining: number
  readonly waitMs: number
}

/** What a write finds in the way. */
export type Found = Pick<Written, 'unconfirmed' | 'newer'>

/** What a record has counted. */
export type Written = Seen & {
  /** The same of the day before, as far as it is known. */
  readonly before: Seen
  /** Number of a record that is not used before it is confirmed; 0 when there is nothing to confirm. */
  readonly unconfirmed: number
  /** Its version, when it was left as it was because that is newer. */
  readonly newer: number | undefined
}

export function redisRecords(options: RedisRecordsOptions): RedisRecords {
  const { redis, epoch, clock, floor, answerWithinMs = 75 } = options
  const gate = prepare(gateScript(options.plans, options.burst))
  const { holdsUntil, put, hearAnew } = askingInTime(options)
  const recordOf = (tag: string): string => `${options.prefix}:{${tag}}`
  const testClock = (): Argument => (clock === undefined ? '' : clock())

  async function askAll(requests: readonly GateRequest[], until: number): Promise<Reply[]> {
    const args = [epoch(), testClock()]
    for (const request of requests) addQuestion(args, request, floor(request))
    const keys = requests.map(({ tag }) => recordOf(tag))
    const flat = await put(gate, keys, args, until)
    return requests.map((_, index) => (isTooLate(flat) ? { outcome: 'late' } : readReply(flat, index)))
  }

  return {
    // In a cluster the records of one call must lie in one slot, so each account has its own call.
    ask: batched(holdsUntil, askAll, redis.isCluster ? 1 : mostPerCall),
    async write(tag, epochRead, snapshot, { unconfirmed, newer } = { unconfirmed: 0, newer: undefined }) {
      // Postgres, asked again, still has an older version: it was put back to an earlier state, and the record follows it.
      const over = newer !== undefined && snapshot.version < newer ? newer : ''
      const args = [testClock(), epochRead, over, unconfirmed, ...recordFields(snapshot, floor({ tag }))]
      const written = runScript(redis, write, [recordOf(tag)], args)
      return readWritten(await within(answerWithinMs, written))
    },
    async outdate(tag, version) {
      const outdating = runScript(redis, outdate, [recordOf(tag)], [version])
      return (await within(answerWithinMs, outdating))[0] === 1
    },
    async refund(tag, day) {
      const flat = await put(refund, [recordOf(tag)], [epoch(), day], holdsUntil())
      if (isTooLate(flat)) throw new RedisAway('Redis was asked too late.', { mayHaveRun: false })
      const [, state, refunded] = flat
      return state === 1 ? refunded : undefined
    },
    async hearClock() {
      hearAnew(await within(answerWithinMs, redisTime(redis)))
    },
    now: async () => (clock === undefined ? within(answerWithinMs, redisTime(redis)) : clock()),
  }
}

/**
 * So few that Redis works on the first questions of a turn while the rest are still being put, and its first answers
 * are worked on while it has others to do: all in one call, each of the two would wait for the other half of the time.
 */
const mostPerCall = 16

/**
 * Puts questions that hold no longer than their answer is waited for, reckoned from the instant at which Redis was found
 * to be trusted before they were asked: a process that is stopped anywhere between that and their sending asks as
 * somebody whom the others no longer wait for.
 * The clock of Redis is known from its replies. Of one that was set forward, or of a process whose own clock was stopped
 * with it, it is known by the first question that is too late; what was asked before that is too late as well.
 */
function askingInTime({ redis, answerWithinMs = 75, onLate, trustedAt = thisInstant }: RedisRecordsOptions) {
  const clock = clockOfRedis()

  return {
    /** What was known of the clock before may be of another machine. */
    hearAnew: (instant: number) => {
      clock.forget()
      clock.heard(instant)
    },
    /** Until when a question holds that is asked now, by the clock of Redis; -Infinity before its first reply. */
    holdsUntil: (): number => clock.at(trustedAt()) + answerWithinMs,
    put: async (
      script: Script,
      keys: readonly string[],
      args: readonly Argument[],
      until: number,
    ): Promise<number[]> => {
      const holdsUntil = Number.isFinite(until) ? Math.ceil(until) : ''
      const flat = await within(answerWithinMs, runScript(redis, script, keys, [holdsUntil, ...args]))
      if (isTooLate(flat)) onLate?.()
      clock.heard(flat[0] ?? 0)
      return flat
    },
  }
}

const thisInstant = () => performance.now()

/** Redis has done nothing, because the question held no longer. */
function isTooLate(flat: readonly number[]): boolean {
  return flat[1] === 0
}

/** @throws RedisAway when the answer does not come within that time, or is an error */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  try {
    return await inTime(ms, answer)
  } catch (error) {
    throw new RedisAway('Redis did not answer.', { cause: error })
  }
}

type Argument = string | number
type Script = { readonly text: string; readonly sha: string }

function prepare(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const write = prepare(writeScript)
const outdate = prepare(outdateScript)
const refund = prepare(refundScript)

function addQuestion(
  args: Argument[],
  { selector, digests, cost }: GateRequest,
  seen: Seen | undefined,
): void {
  args.push(selector, digests, cost, seen?.day ?? 0, seen?.used ?? 0)
}

function recordFields(snapshot: Snapshot, seen: Seen | undefined): Argument[] {
  const { version, state, plan, day, used, refunded, directUsed, directRefunded, keys } = snapshot
  const known = seen?.day === day ? seen : { used: 0, refunded: 0 }
  const counters = [
    Math.max(used, known.used),
    Math.max(refunded, known.refunded),
    directUsed,
    directRefunded,
    snapshot.usedBefore,
    snapshot.refundedBefore,
  ]
  return [
    version,
    state,
    plan,
    day,
    ...counters,
    ...keys.flatMap((key) => [key.selector, `${key.digest} ${key.expiresAt}`]),
  ]
}

/** Runs a script by its digest, and by its text where the server does not know it yet. */
async function runScript(
  redis: Redis | Cluster,
  { text, sha }: Script,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<number[]> {
  const rest = [keys.length, ...keys, ...args]
  const reply = await redis.callBuffer('evalsha', [sha, ...rest]).catch((error: unknown) => {
    if (String(error).includes('NOSCRIPT')) return redis.callBuffer('eval', [text, ...rest])
    throw error
  })
  return unpackReply(reply as Buffer) // as our scripts reply
}

async function redisTime(redis: Redis | Cluster): Promise<number> {
  const [seconds, micros] = await redis.time()
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
}

function readWritten(reply: readonly number[]): Written {
  const [day = 0, used = 0, refunded = 0, dayBefore = 0, usedThen = 0, refundedThen = 0, ...rest] = reply
  const [unconfirmed = 0, newer] = rest
  const before = { day: dayBefore, used: usedThen, refunded: refundedThen }
  return { day, used, refunded, before, unconfirmed, newer }
}

function readReply(flat: readonly number[], index: number): RecordReply {
  const at = gateReplyHeader + index * gateReplyFields
  const field = (offset: number): number => flat[at + offset] ?? 0
  return {
    outcome: scriptOutcomes[field(0)] ?? 'absent',
    now: flat[1] ?? 0,
    plan: field(1),
    day: field(2),
    used: field(3),
    refunded: field(4),
    direct: field(5),
    usedBefore: field(6),
    burstRemaining: field(7),
    waitMs: field(8),
  }
}
