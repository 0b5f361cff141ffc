/** Accounts that are read from Postgres into Redis once more. */
export type SecondLook = {
  /** Redis had no record of an account, and has been given one from Postgres. */
  readonly gaveAnew: (tag: string) => void
  /** Reads again what was given anew one interval ago or longer. @throws when it fails; it is due again then */
  readonly look: () => Promise<void>
  /** Nothing is due any more. */
  readonly forget: () => void
}

/**
 * A Redis that has forgotten a record is given it anew from Postgres, which may not have heard yet of the last counts
 * of another instance. That instance raises the record when it is asked about the account again, but it may never be.
 * So each such record is read once more, when every instance has written what it had seen.
 *
 * @param replicate makes the record of an account follow Postgres; what only grows merges by the maximum
 */
export function secondLook(replicate: (tag: string) => Promise<void>): SecondLook {
  let fresh = new Set<string>()
  let due = new Set<string>()

  return {
    gaveAnew: (tag) => fresh.add(tag),
    async look() {
      for (const tag of due) {
        await replicate(tag)
        due.delete(tag)
      }
      due = fresh
      fresh = new Set()
    },
    forget() {
      due = new Set()
      fresh = new Set()
    },
  }
}
