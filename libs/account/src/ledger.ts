import type { AccountDatabase } from './database.ts'
import { writeCalls, writeCounters, writeUses, type Call, type Counter, type Use } from './ledger-rows.ts'
import { remembering, talliesInMemory, type Tallies, type Tally } from './tallies.ts'
import { inTurn, unwritten, type Unwritten } from './unwritten.ts'

/** What an instance has seen the Redis gate count for an account on its latest day. Both only grow within a day. */
export type Seen = { readonly day: number; readonly used: number; readonly refunded: number }

/**
 * Carries the counts of the Redis gate, the calls by endpoint and the last use of keys to Postgres.
 *
 * Everything is written as an absolute value and merged by the maximum: a flush may be repeated, may fail and may
 * arrive in any order, and any number of instances may report the same counter. What is remembered also serves as
 * a floor: should Redis come back with less, the highest count seen repairs it.
 *
 * A flush writes what has changed before it began; what changes meanwhile is for the next.
 */
export type Ledger = {
  /** What is remembered of an account. Nothing is kept for asking. */
  readonly of: (tag: string) => Tally
  /** Records the state of a counter after a decision of the Redis gate. */
  readonly saw: (tally: Tally, seen: Seen) => void
  /** Records a successful call. */
  readonly called: (tally: Tally, day: number, endpoint: string) => void
  /** Records that a key was used, unless that was noted lately. */
  readonly used: (key: UsedKey, nowMs: number) => void
  /** Writes what may wait no longer; to be called every paceMs. @throws as flush does */
  readonly keepUp: () => Promise<void>
  /** Writes all counters and the last use of keys. @throws when Postgres does not answer; nothing is lost then */
  readonly flush: () => Promise<void>
  /** Writes the calls by endpoint, which decide nothing. @throws as flush does */
  readonly flushCalls: () => Promise<void>
  /** Writes the calls of one account, for who is about to read them. @throws as flush does */
  readonly flushCallsOf: (tag: string) => Promise<void>
}

/** A key, and when its use was last noted, in Unix seconds. */
export type UsedKey = { readonly tag: string; readonly selector: string; notedAt: number }

export type LedgerOptions = {
  /** Unique name of this process. */
  readonly instance: string
  /**
   * Told of accounts for which Postgres holds charges of its own gate that Redis may not know yet. When it fails, it is
   * told again with the next flush.
   */
  readonly onDirect?: (tags: readonly string[]) => Promise<void>
  /** Number of counters, and of calls by account and endpoint, that are remembered beyond what is yet to be written. */
  readonly most?: number
  /** Milliseconds of a clock that is never set. */
  readonly clock?: () => number
}

/** How long counters and uses of keys may wait to be written, in milliseconds: see README.md. */
export const writtenWithinMs = 250

/** Calls by endpoint decide nothing, and a row of them does for all calls meanwhile. */
const callsWrittenWithinMs = 5_000

/** A part of a ledger can write everything that it holds, or what may wait no longer. */
type Part = Pick<Unwritten<never>, 'writeAll' | 'writeDue'>

/** What the parts of a ledger work with. */
type LedgerParts = Required<Pick<LedgerOptions, 'most' | 'clock'>> & {
  readonly db: AccountDatabase
  readonly tallies: Tallies
}

export function createLedger(db: AccountDatabase, options: LedgerOptions): Ledger {
  const { instance, onDirect = () => Promise.resolve(), most = mostRemembered } = options
  const { clock = () => performance.now() } = options
  const tallies = talliesInMemory()
  const parts = { db, tallies, most, clock }
  const counters = countersOf(parts, onDirect)
  const calls = callsOf(parts, instance)
  const uses = usesOf(parts)
  const decisive = inTurn(
    async () => {
      await counters.writeAll()
      await uses.writeAll()
    },
    async () => {
      await counters.writeDue()
      await uses.writeDue()
    },
  )
  const byEndpoint = inTurn(calls.writeAll, calls.writeDue)
  return {
    of: tallies.of,
    saw: counters.saw,
    called: calls.called,
    used: uses.used,
    async keepUp() {
      await Promise.all([decisive.whatIsDue(), byEndpoint.whatIsDue()])
    },
    flush: decisive.everything,
    flushCalls: byEndpoint.everything,
    flushCallsOf: calls.flushCallsOf,
  }
}

function counterOf(tag: string, day: number): Counter {
  return { tag, day, used: 0, refunded: 0, direct: 0, isWaiting: false, isListed: false }
}

function countersOf(
  { db, tallies, most, clock }: LedgerParts,
  onDirect: (tags: readonly string[]) => Promise<void>,
): Pick<Ledger, 'saw'> & Part {
  const changed: Unwritten<Counter> = unwritten({
    ...{ withinMs: writtenWithinMs, clock },
    write: (rows) => writeAndTell(db, rows, onDirect, changed.add),
    // Postgres knows them then, so a record that Redis loses is read with them.
    written: remembering(most, (counter) => {
      tallies.take(counter.tag, (tally) => {
        if (tally.counter === counter) tally.counter = undefined
      })
    }),
  })

  return {
    saw(found, { day, used, refunded }) {
      if (used === 0 && refunded === 0) return
      const tally = tallies.keep(found)
      // Also when the clock of the store was set back: what it counts now must be written down.
      if (tally.counter?.day !== day) tally.counter = counterOf(tally.tag, day)
      const { counter } = tally
      if (used <= counter.used && refunded <= counter.refunded) return
      counter.used = Math.max(counter.used, used)
      counter.refunded = Math.max(counter.refunded, refunded)
      changed.add(counter)
    },
    writeAll: changed.writeAll,
    writeDue: changed.writeDue,
  }
}

/** Tells of charges that Postgres knows and Redis may not; when that fails, the counters are to be written again. */
async function writeAndTell(
  db: AccountDatabase,
  rows: readonly Counter[],
  onDirect: (tags: readonly string[]) => Promise<void>,
  again: (counter: Counter) => void,
): Promise<void> {
  const news = await writeCounters(db, rows)
  if (news.length === 0) return
  const before = news.map(({ counter }) => counter.direct)
  for (const { counter, direct } of news) counter.direct = direct
  onDirect(news.map(({ counter }) => counter.tag)).catch(() => {
    for (const [index, { counter }] of news.entries()) {
      counter.direct = before[index] ?? 0
      again(counter)
    }
  })
}

function callsOf(
  { db, tallies, most, clock }: LedgerParts,
  instance: string,
): Pick<Ledger, 'called' | 'flushCallsOf'> & Part {
  let timesForgotten = 0
  const changed = unwritten<Call>({
    ...{ withinMs: callsWrittenWithinMs, clock },
    write: (rows) => writeCalls(db, rows),
    written: remembering(most, (call) => {
      tallies.take(call.tag, (tally) => {
        forget(tally, (other) => other === call)
      })
    }),
  })

  function forget(tally: Tally, isOver: (call: Call) => boolean): void {
    const calls = listOf(tally.calls)
    const kept = calls.filter((call) => !isOver(call))
    if (kept.length === calls.length) return
    tally.calls = linked(kept)
    // What is forgotten is counted from zero again, so it needs a row of its own.
    timesForgotten += 1
  }

  function firstCall(tally: Tally, day: number, endpoint: string): Call {
    // One of yesterday may still be under way.
    forget(tally, (call) => !call.isWaiting && call.day < day - 1)
    const countedBy = `${instance}${timesForgotten || ''}`
    const state = { used: 0, isWaiting: false, isListed: false, next: tally.calls }
    tally.calls = { tag: tally.tag, day, endpoint, countedBy, ...state }
    return tally.calls
  }

  return {
    called(found, day, endpoint) {
      const tally = tallies.keep(found)
      const call = callOf(tally, day, endpoint) ?? firstCall(tally, day, endpoint)
      call.used += 1
      changed.add(call)
    },
    writeAll: changed.writeAll,
    writeDue: changed.writeDue,
    flushCallsOf: (tag) => writeCalls(db, listOf(tallies.of(tag).calls)),
  }
}

function callOf({ calls }: Tally, day: number, endpoint: string): Call | undefined {
  for (let call = calls; call !== undefined; call = call.next)
    if (call.endpoint === endpoint && call.day === day) return call
  return undefined
}

function listOf(first: Call | undefined): Call[] {
  const calls: Call[] = []
  for (let call = first; call !== undefined; call = call.next) calls.push(call)
  return calls
}

/** Makes a list of calls; the first of it, if there is one. */
function linked(calls: readonly Call[]): Call | undefined {
  let first: Call | undefined
  for (const call of calls) {
    call.next = first
    first = call
  }
  return first
}

/** Notes the last use of each key once in a while. */
function usesOf({ db, clock }: LedgerParts): Pick<Ledger, 'used'> & Part {
  const waiting = new Map<string, Use>()
  const changed = unwritten<Use>({
    ...{ withinMs: writtenWithinMs, clock },
    write: (uses) => writeUses(db, uses),
    written(uses) {
      for (const use of uses) if (!use.isWaiting) waiting.delete(nameOf(use))
    },
  })

  return {
    used(key, usedAt) {
      const second = Math.floor(usedAt / 1000)
      if (Math.abs(second - key.notedAt) < usePrecisionSeconds) return
      key.notedAt = second
      const { tag, selector } = key
      const use = waiting.get(nameOf(key)) ?? { tag, selector, usedAt, isWaiting: false }
      use.usedAt = usedAt
      waiting.set(nameOf(use), use)
      changed.add(use)
    },
    writeAll: changed.writeAll,
    writeDue: changed.writeDue,
  }
}

function nameOf({ tag, selector }: Pick<Use, 'tag' | 'selector'>): string {
  return `${tag} ${selector}`
}

/**
 * When a key was last used is known to a minute: a use is noted at most this often, and written unless one of the 20
 * seconds before it is written already.
 */
const usePrecisionSeconds = 30

/** Some 35 MB. */
const mostRemembered = 50_000
