import type { Counter, Use } from './ledger-rows.ts'
import type { Waiting } from './unwritten.ts'

/**
 * What an instance remembers of an account. A request finds it once and hands it on: to look up one among many is
 * what costs most of the whole.
 */
export type Tally = {
  readonly tag: string
  /** False when the ledger knows nothing of the account, or has forgotten it: then it is to be asked for anew. */
  isKept: boolean
  /** The highest state seen. */
  counter: Counter | undefined
  /** The first of a list of those that are yet to be written. */
  uses: Use | undefined
}

/** The tallies of the accounts of which there is something to remember. */
export function talliesInMemory() {
  const kept = new Map<string, Tally>()

  return {
    of: (tag: string): Tally => kept.get(tag) ?? { tag, isKept: false, counter: undefined, uses: undefined },
    /** The tally to write into: another, when one was kept meanwhile. */
    keep(tally: Tally): Tally {
      if (tally.isKept) return tally
      const other = kept.get(tally.tag)
      if (other !== undefined) return other
      kept.set(tally.tag, tally)
      tally.isKept = true
      return tally
    },
    /** Forgets an account of which nothing is left to remember. */
    letGo(tally: Tally): void {
      if (!tally.isKept || tally.counter !== undefined || tally.uses !== undefined) return
      kept.delete(tally.tag)
      tally.isKept = false
    },
  }
}

export type Tallies = ReturnType<typeof talliesInMemory>

/** Something that is remembered for a while when it is written: then it is on the list of what to forget. */
export type Remembered = Waiting & { isListed: boolean }

/**
 * Remembers what is written, and forgets that which has been on the list for longest when there is too much of it: a few
 * at a time, because going through all of them would stop the service for a tenth of a second.
 *
 * @returns told of what was written; all of it must be, or wait to be written again
 */
export function remembering<T extends Remembered>(
  most: number,
  forget: (entry: T) => void,
): (written: readonly T[]) => void {
  let list: T[] = []
  let forgotten = 0

  function forgetFirst(): void {
    const entry = list[forgotten++]
    if (entry === undefined) return
    entry.isListed = false
    // One that has changed since is listed again when that is written.
    if (!entry.isWaiting) forget(entry)
  }

  return (written) => {
    for (const entry of written) {
      if (entry.isListed) continue
      entry.isListed = true
      list.push(entry)
    }
    while (list.length - forgotten > most) forgetFirst()
    if (forgotten <= most) return
    list = list.slice(forgotten)
    forgotten = 0
  }
}
