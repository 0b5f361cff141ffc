import type { Call, Counter } from './ledger-rows.ts'

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
  /** The first of a list. */
  calls: Call | undefined
}

/** The tallies of the accounts of which there is something to remember. */
export function talliesInMemory() {
  const kept = new Map<string, Tally>()

  return {
    of: (tag: string): Tally => kept.get(tag) ?? { tag, isKept: false, counter: undefined, calls: undefined },
    /** The tally to write into: another, when one was kept meanwhile. */
    keep(tally: Tally): Tally {
      if (tally.isKept) return tally
      const other = kept.get(tally.tag)
      if (other !== undefined) return other
      kept.set(tally.tag, tally)
      tally.isKept = true
      return tally
    },
    /** Goes through all of them, and lets go of those with nothing left to remember. */
    forget(some: (tally: Tally) => void): void {
      for (const [tag, tally] of kept) {
        some(tally)
        if (tally.counter !== undefined || tally.calls !== undefined) continue
        kept.delete(tag)
        tally.isKept = false
      }
    },
  }
}

export type Tallies = ReturnType<typeof talliesInMemory>

/** Says what is to be forgotten: all when there is too much of it, and on a new day what is of days that are over. */
export function memoryOf(most: number) {
  let newest = 0
  let keptFrom = 0
  return {
    /** Number of accounts with something of this kind. */
    size: 0,
    sawDay(day: number): void {
      if (day > newest) newest = day
    },
    /**
     * What may go once it is written, or undefined when nothing need to.
     *
     * @param unwritten how much has to stay
     */
    over(unwritten: number): ((of: { readonly day: number }) => boolean) | undefined {
      if (this.size - unwritten > most) return () => true
      const from = newest - 1 // a call of yesterday may still be under way
      if (from <= keptFrom) return undefined
      keptFrom = from
      return ({ day }) => day < from
    },
  }
}
