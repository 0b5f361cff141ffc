import { randomBytes } from 'node:crypto'
import type { AccountDatabase } from './database.ts'
import { writeUses, type Batch, type Use } from './ledger-rows.ts'
import type { Tallies, Tally } from './tallies.ts'
import { inTurn, rowsPerStatement, slicedQueue, wantedOf } from './unwritten.ts'

/** A use of a key. */
export type KeyUse = {
  readonly selector: string
  /** Day number. */
  readonly day: number
  /** Empty when it was no call that counts. */
  readonly endpoint: string
  /** Unix milliseconds. */
  readonly at: number
  /** 1 when it was a call that counts, and was answered with success. */
  readonly calls: 0 | 1
}

/** What keys are used for, on its way to Postgres. */
export type KeyUses = {
  /** Records a use of a key. */
  readonly used: (tally: Tally, use: KeyUse) => void
  /** Writes everything. @throws when Postgres does not answer; nothing is lost then, and nothing written twice */
  readonly writeAll: () => Promise<void>
  /** Writes what an account's keys were used for. @throws as writeAll does */
  readonly writeOf: (tag: string) => Promise<void>
  /** Writes what may wait no longer. @throws as writeAll does */
  readonly writeDue: () => Promise<void>
}

/** Uses decide nothing, and a row of them does for all calls meanwhile. */
const writtenWithinMs = 5_000

export function keyUses(db: AccountDatabase, tallies: Tallies, clock: () => number): KeyUses {
  const queue = slicedQueue<Use>(writtenWithinMs, clock)
  const wanted = wantedOf()
  const write = writingOnce(db)
  const detached = (uses: Use[]) => detachedFrom(tallies, uses)

  /** What is due goes with it: otherwise that would wait for as long as readers come one after another. */
  function takeWanted(): Use[] {
    const { everybody, tags } = wanted.take()
    if (everybody) return detached(queue.takeAll())
    const ofReaders = detached([...tags].flatMap((tag) => listOf(tallies.of(tag))))
    return [...ofReaders, ...detached(queue.takeDue())]
  }

  const turns = inTurn(
    () => write(takeWanted),
    () => write(() => detached(queue.takeDue())),
  )
  return {
    used(found, { selector, day, endpoint, at, calls }) {
      const tally = tallies.keep(found)
      let use = useOf(tally, selector, day, endpoint)
      if (use === undefined) {
        const state = { calls: 0, usedAt: at, isWaiting: true, next: tally.uses }
        use = tally.uses = { tally, selector, day, endpoint, ...state }
        queue.add(use)
      }
      use.calls += calls
      if (at > use.usedAt) use.usedAt = at
    },
    writeAll() {
      wanted.addEverybody()
      return turns.everything()
    },
    writeOf(tag) {
      wanted.add(tag)
      return turns.everything()
    },
    writeDue: turns.whatIsDue,
  }
}

/**
 * What has been counted is added to what Postgres has, so each batch must be written once: one that may or may not have
 * been written is sent again as it was, with its number, before any other is made up.
 */
function writingOnce(db: AccountDatabase): (take: () => readonly Use[]) => Promise<void> {
  const writer = randomBytes(12).toString('base64url')
  let number = 0
  let batches: Batch[] = []

  async function writeBatches(): Promise<void> {
    for (const batch of batches) {
      await writeUses(db, batch)
      batches = batches.slice(1)
    }
  }

  return async (take) => {
    await writeBatches()
    const uses = take()
    for (let from = 0; from < uses.length; from += rowsPerStatement)
      batches.push({ writer, number: ++number, uses: uses.slice(from, from + rowsPerStatement) })
    await writeBatches()
  }
}

function useOf({ uses }: Tally, selector: string, day: number, endpoint: string): Use | undefined {
  for (let use = uses; use !== undefined; use = use.next)
    if (use.endpoint === endpoint && use.selector === selector && use.day === day) return use
  return undefined
}

function listOf({ uses }: Tally): Use[] {
  const list: Use[] = []
  for (let use = uses; use !== undefined; use = use.next) list.push(use)
  return list
}

/** Takes uses from their accounts: whatever the keys are used for from now on is for another batch. */
function detachedFrom(tallies: Tallies, uses: Use[]): Use[] {
  for (const use of uses) detach(tallies, use)
  return uses
}

function detach(tallies: Tallies, use: Use): void {
  const { tally } = use
  use.isWaiting = false
  if (tally.uses === use) {
    tally.uses = use.next
  } else {
    const before = listOf(tally).find(({ next }) => next === use)
    if (before !== undefined) before.next = use.next
  }
  use.next = undefined
  tallies.letGo(tally)
}
