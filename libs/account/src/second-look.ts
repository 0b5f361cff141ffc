import type { Unreplicated } from './outbox.ts'

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
 * @param replicate makes the records of accounts follow Postgres; what only grows merges by the maximum
 */
export function secondLook(
  replicate: (tags: readonly string[]) => Promise<readonly Unreplicated[]>,
): SecondLook {
  let fresh = new Set<string>()
  let due = new Set<string>()

  return {
    gaveAnew: (tag) => fresh.add(tag),
    async look() {
      const all = [...due]
      due = fresh
      fresh = new Set()
      for (let at = 0; at < all.length; at += atOnce) {
        const some = all.slice(at, at + atOnce)
        try {
          for (const { tag } of await replicate(some)) due.add(tag)
        } catch (error) {
          for (const tag of all.slice(at)) due.add(tag)
          throw error
        }
      }
    },
    forget() {
      due = new Set()
      fresh = new Set()
    },
  }
}

const atOnce = 200
