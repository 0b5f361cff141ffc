import type { AccountDatabase } from './database.ts'
import { keyUses, type KeyUses } from './key-uses.ts'
import { writeCounters, type Counter } from './ledger-rows.ts'
import { remembering, talliesInMemory, type Tallies, type Tally } from './tallies.ts'
import { inTurn, unwritten, wantedOf, type Unwritten } from './unwritten.ts'

/** What an instance has seen the Redis gate count for an account on its latest day. Both only grow within a day. */
export type Seen = { readonly day: number; readonly used: number; readonly refunded: number }

/**
 * Carries the counts of the Redis gate, and what keys are used for, to Postgres.
 *
 * Counts are written as absolute values and merged by the maximum: a flush may be repeated, may fail and may arrive in
 * any order, and any number of instances may report the same counter. What is remembered also serves as a floor: should
 * Redis come back with less, the highest count seen repairs it. What keys are used for is added: see key-uses.ts.
 *
 * A flush writes what has changed before it began; what changes meanwhile is for the next.
 */
export type Ledger = {
  /** What is remembered of an account. Nothing is kept for asking. */
  readonly of: (tag: string) => Tally
  /** Records the state of a counter after a decision of the Redis gate. */
  readonly saw: (tally: Tally, seen: Seen) => void
  /** Records a use of a key. */
  readonly used: KeyUses['used']
  /** Writes what may wait no longer; to be called every paceMs. @throws as flush does */
  readonly keepUp: () => Promise<void>
  /** Writes all counters. @throws when Postgres does not answer; nothing is lost then */
  readonly flush: () => Promise<void>
  /** Writes the counters of one account, for who is about to read them. @throws as flush does */
  readonly flushOf: (tag: string) => Promise<void>
  /** Writes all that keys were used for. @throws as flush does */
  readonly flushUses: () => Promise<void>
  /** Writes what the keys of one account were used for, for who is about to read it. @throws as flush does */
  readonly flushUsesOf: (tag: string) => Promise<void>
}

export type LedgerOptions = {
  /**
   * Told of accounts for which Postgres holds charges of its own gate that Redis may not know yet. When it fails, it is
   * told again with the next flush.
   */
  readonly onDirect?: (tags: readonly string[]) => Promise<void>
  /** Number of counters that are remembered beyond those that are yet to be written. */
  readonly most?: number
  /** Milliseconds of a clock that is never set. */
  readonly clock?: () => number
}

/** How long counters may wait to be written, in milliseconds: see README.md. */
export const writtenWithinMs = 250

export function createLedger(db: AccountDatabase, options: LedgerOptions = {}): Ledger {
  const { clock = () => performance.now() } = options
  const tallies = talliesInMemory()
  const counters = countersOf(db, tallies, { ...options, clock })
  const uses = keyUses(db, tallies, clock)
  const wanted = wantedOf()

  function writeWanted(): Promise<void> {
    const { everybody, tags } = wanted.take()
    return everybody ? counters.writeAll() : counters.writeSome(({ tag }) => tags.has(tag))
  }

  const turns = inTurn(writeWanted, counters.writeDue)
  return {
    of: tallies.of,
    saw: counters.saw,
    used: uses.used,
    async keepUp() {
      await Promise.all([turns.whatIsDue(), uses.writeDue()])
    },
    flush() {
      wanted.addEverybody()
      return turns.everything()
    },
    flushOf(tag) {
      wanted.add(tag)
      return turns.everything()
    },
    flushUses: uses.writeAll,
    flushUsesOf: uses.writeOf,
  }
}

type CountersOptions = LedgerOptions & Required<Pick<LedgerOptions, 'clock'>>

function counterOf(tag: string, day: number): Counter {
  return { tag, day, used: 0, refunded: 0, direct: 0, isWaiting: false, isListed: false }
}

function countersOf(
  db: AccountDatabase,
  tallies: Tallies,
  { most = mostRemembered, onDirect = () => Promise.resolve(), clock }: CountersOptions,
): Pick<Ledger, 'saw'> & Pick<Unwritten<Counter>, 'writeAll' | 'writeSome' | 'writeDue'> {
  const changed: Unwritten<Counter> = unwritten({
    ...{ withinMs: writtenWithinMs, clock },
    write: (rows) => writeAndTell(db, rows, onDirect, changed.add),
    // Postgres knows them then, so a record that Redis loses is read with them.
    written: remembering(most, (counter) => {
      const tally = tallies.of(counter.tag)
      if (tally.counter !== counter) return
      tally.counter = undefined
      tallies.letGo(tally)
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
    writeSome: changed.writeSome,
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

/** Some 35 MB. */
const mostRemembered = 50_000
