import { inTime } from '@hearth/chassis/in-time'
import { isRedisUnavailable } from '@hearth/chassis/redis'
import { ReplyError, type Cluster, type Redis } from 'ioredis'
import { createHash } from 'node:crypto'
import { clockOfRedis } from './redis-clock.ts'
import { timeOf, timesOf } from './redis-nodes.ts'
import { unpackReply } from './redis-scripts.ts'

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

/** How questions are put. */
export type AskingOptions = {
  readonly redis: Redis | Cluster
  /** How long an answer is waited for, in milliseconds; after that the question holds no more. 75 unless told. */
  readonly answerWithinMs?: number | undefined
  /** Told that a question came too late, before any other is put: the process may have been stopped. */
  readonly onLate?: () => void
  /** When Redis was last found to be trusted (performance.now()): a question holds from then on. Now unless told. */
  readonly trustedAt?: () => number
}

/**
 * Puts questions that hold no longer than their answer is waited for, reckoned from the instant at which Redis was found
 * to be trusted before they were asked: a process that is stopped anywhere between that and their sending asks as
 * somebody whom the others no longer wait for.
 *
 * The clock of Redis is known from its replies. Of one that was set forward, or of a process whose own clock was stopped
 * with it, it is known by the first question that is too late, or by a sign of life; what was asked before that is too
 * late as well.
 */
export function askingInTime({ redis, answerWithinMs = 75, onLate, trustedAt = thisInstant }: AskingOptions) {
  const clock = clockOfRedis()
  const run = (script: Script, keys: readonly string[], args: readonly Argument[]): Promise<number[]> =>
    within(answerWithinMs, runScript(redis, script, keys, args))
  const signsOfLife = (): Promise<number[]> => within(answerWithinMs, timesOf(redis))
  const hear = (instants: readonly number[]) => {
    for (const instant of instants) clock.heard(instant)
  }

  return {
    /** Runs a script that may be late, and gives its numbers. */
    run,
    /** Unix milliseconds by the clock of Redis. */
    time: (): Promise<number> => within(answerWithinMs, timeOf(redis)),
    /** Learns what Redis takes for now; what was known of its clock before may be of another machine. */
    hearClock: async (): Promise<void> => {
      const instants = await signsOfLife()
      clock.forget()
      hear(instants)
    },
    /** Asks every node that counts for a sign of life: it, too, tells when the clock of this process was stopped. */
    beat: async (): Promise<void> => {
      const instants = await signsOfLife()
      const known = clock.at(performance.now())
      if (Number.isFinite(known) && Math.max(...instants) > known + answerWithinMs) onLate?.()
      hear(instants)
    },
    /** Until when a question holds that is asked now, by the clock of Redis; -Infinity before its first reply. */
    holdsUntil: (): number => clock.at(trustedAt()) + answerWithinMs,
    /** Runs a script that does nothing after that instant; see isTooLate. */
    put: async (
      script: Script,
      keys: readonly string[],
      args: readonly Argument[],
      until: number,
    ): Promise<number[]> => {
      const holdsUntil = Number.isFinite(until) ? Math.ceil(until) : ''
      const flat = await run(script, keys, [holdsUntil, ...args])
      if (isTooLate(flat)) onLate?.()
      clock.heard(flat[0] ?? 0)
      return flat
    },
  }
}

const thisInstant = () => performance.now()

/** Redis has done nothing, because the question held no longer. */
export function isTooLate(flat: readonly number[]): boolean {
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

export type Argument = string | number
export type Script = { readonly text: string; readonly sha: string }

export function prepare(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
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
