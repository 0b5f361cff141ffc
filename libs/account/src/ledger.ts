import type { AccountDatabase } from './database.ts'
import {
  writeCalls,
  writeCounters,
  writeUses,
  type Call,
  type Counter,
  type Use,
  type Waiting,
} from './ledger-rows.ts'
import { memoryOf, talliesInMemory, type Tallies, type Tally } from './tallies.ts'

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
  /** Writes counters and the last use of keys. @throws when Postgres does not answer; nothing is lost then */
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
  /** Number of accounts, and of those with calls, that are remembered beyond what is yet to be written. */
  readonly most?: number
}

export function createLedger(db: AccountDatabase, options: LedgerOptions): Ledger {
  const { instance, onDirect = () => Promise.resolve(), most = mostRemembered } = options
  const tallies = talliesInMemory()
  const counters = countersOf(db, tallies, onDirect, most)
  const calls = callsOf(db, tallies, instance, most)
  const uses = usesOf(db)
  return {
    of: tallies.of,
    saw: counters.saw,
    called: calls.called,
    used: uses.used,
    flush: sharing(async () => {
      await counters.flush()
      await uses.flush()
    }),
    flushCalls: sharing(calls.flushCalls),
    flushCallsOf: calls.flushCallsOf,
  }
}

function counterOf(tag: string, day: number): Counter {
  return { tag, day, used: 0, refunded: 0, direct: 0, isWaiting: false }
}

function countersOf(
  db: AccountDatabase,
  tallies: Tallies,
  onDirect: (tags: readonly string[]) => Promise<void>,
  most: number,
): Pick<Ledger, 'saw' | 'flush'> {
  const changed = unwritten<Counter>()
  const memory = memoryOf(most)

  return {
    saw(found, { day, used, refunded }) {
      const tally = tallies.keep(found)
      if (tally.counter === undefined) memory.size += 1
      // Also when the clock of the store was set back: what it counts now must be written down.
      if (tally.counter?.day !== day) tally.counter = counterOf(tally.tag, day)
      const { counter } = tally
      if (used <= counter.used && refunded <= counter.refunded) return
      counter.used = Math.max(counter.used, used)
      counter.refunded = Math.max(counter.refunded, refunded)
      memory.sawDay(day)
      changed.add(counter)
    },
    async flush() {
      await changed.write((rows) => writeAndTell(db, rows, onDirect, changed.add))
      // Postgres knows them now, so a record that Redis loses is read with them.
      const isOver = memory.over()
      if (isOver === undefined) return
      tallies.forget((tally) => {
        const { counter } = tally
        if (counter === undefined || counter.isWaiting || !isOver(counter)) return
        tally.counter = undefined
        memory.size -= 1
      })
    },
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
  db: AccountDatabase,
  tallies: Tallies,
  instance: string,
  most: number,
): Pick<Ledger, 'called' | 'flushCalls' | 'flushCallsOf'> {
  const changed = unwritten<Call>()
  const memory = memoryOf(most)
  let timesForgotten = 0

  function firstCall(tally: Tally, day: number, endpoint: string): Call {
    if (tally.calls === undefined) memory.size += 1
    const countedBy = `${instance}${timesForgotten || ''}`
    const call = { tag: tally.tag, day, endpoint, countedBy, used: 0, isWaiting: false, next: tally.calls }
    tally.calls = call
    return call
  }

  return {
    called(found, day, endpoint) {
      const tally = tallies.keep(found)
      const call = callOf(tally, day, endpoint) ?? firstCall(tally, day, endpoint)
      call.used += 1
      memory.sawDay(day)
      changed.add(call)
    },
    async flushCalls() {
      await changed.write((rows) => writeCalls(db, rows))
      const isOver = memory.over()
      if (isOver === undefined) return
      tallies.forget((tally) => {
        if (tally.calls === undefined) return
        tally.calls = linked(listOf(tally.calls).filter((call) => call.isWaiting || !isOver(call)))
        if (tally.calls === undefined) memory.size -= 1
      })
      // What is forgotten is counted from zero again, so it needs rows of its own.
      timesForgotten += 1
    },
    async flushCallsOf(tag) {
      await writeCalls(db, listOf(tallies.of(tag).calls))
    },
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
function usesOf(db: AccountDatabase): Pick<Ledger, 'used' | 'flush'> {
  let noted = new Map<string, Use>()
  return {
    used(key, usedAt) {
      const second = Math.floor(usedAt / 1000)
      if (Math.abs(second - key.notedAt) < usePrecisionSeconds) return
      key.notedAt = second
      const { tag, selector } = key
      noted.set(`${tag} ${selector}`, { tag, selector, usedAt })
    },
    async flush() {
      const due = noted
      noted = new Map()
      const rows = [...due.values()]
      try {
        for (let at = 0; at < rows.length; at += rowsPerStatement)
          await writeUses(db, rows.slice(at, at + rowsPerStatement))
      } catch (error) {
        // What was written already may be written again; what was noted meanwhile is newer.
        noted = new Map([...due, ...noted])
        throw error
      }
    },
  }
}

/**
 * When a key was last used is known to a minute: a use is noted at most this often, and written unless one of the 20
 * seconds before it is written already.
 */
const usePrecisionSeconds = 30

/** Entries that have changed since they were last written. What a write fails on is kept for the next. */
function unwritten<T extends Waiting>() {
  let entries: T[] = []

  function add(entry: T): void {
    if (entry.isWaiting) return
    entry.isWaiting = true
    entries.push(entry)
  }

  return {
    add,
    async write(write: (rows: readonly T[]) => Promise<void>): Promise<void> {
      const due = entries
      entries = []
      for (const entry of due) entry.isWaiting = false
      let written = 0
      try {
        for (; written < due.length; written += rowsPerStatement)
          await write(due.slice(written, written + rowsPerStatement))
      } catch (error) {
        for (const entry of due.slice(written)) add(entry)
        throw error
      }
    },
  }
}

const rowsPerStatement = 1000

/** Some 35 MB. */
const mostRemembered = 50_000

/** Runs work one at a time; all who ask while it runs share the next run, which sees what they have done. */
function sharing(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function start(): Promise<void> {
    next = undefined
    running = work().finally(() => (running = undefined))
    return running
  }

  return () => {
    if (running === undefined) return start()
    next ??= running.catch(ignore).then(start)
    return next
  }
}

function ignore(): void {
  // a failed flush has told its own caller
}
