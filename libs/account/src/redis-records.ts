import type { Snapshot } from './account-snapshot.ts'
import { batched } from './batched.ts'
import type { Burst, GateRequest } from './gate.ts'
import type { Seen } from './ledger.ts'
import type { Plans } from './plans.ts'
import {
  askingInTime,
  isTooLate,
  prepare,
  RedisAway,
  type Argument,
  type AskingOptions,
} from './redis-questions.ts'
import {
  gateReplyFields,
  gateReplyHeader,
  gateScript,
  outdateScript,
  refundScript,
  scriptOutcomes,
  writeScript,
} from './redis-scripts.ts'
import type { Tally } from './tallies.ts'

/** Where the records are and how they are counted. */
export type RedisRecordsOptions = AskingOptions & {
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
  /** Asks every node that counts for a sign of life. @throws RedisAway when one does not give it in time */
  readonly beat: () => Promise<void>
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
  const { redis, epoch, clock, floor } = options
  const gate = prepare(gateScript(options.plans, options.burst))
  const { run, put, holdsUntil, hearClock, beat, time } = askingInTime(options)
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
      return readWritten(await run(write, [recordOf(tag)], args))
    },
    async outdate(tag, version) {
      return (await run(outdate, [recordOf(tag)], [version]))[0] === 1
    },
    async refund(tag, day) {
      const flat = await put(refund, [recordOf(tag)], [epoch(), day], holdsUntil())
      if (isTooLate(flat)) throw new RedisAway('Redis was asked too late.', { mayHaveRun: false })
      const [, state, refunded] = flat
      return state === 1 ? refunded : undefined
    },
    ...{ hearClock, beat },
    now: async () => (clock === undefined ? time() : clock()),
  }
}

/**
 * So few that Redis works on the first questions of a turn while the rest are still being put, and its first answers
 * are worked on while it has others to do: all in one call, each of the two would wait for the other half of the time.
 */
const mostPerCall = 16

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
