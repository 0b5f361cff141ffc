/** Digests of keys that were good lately. It decides nothing about a key, only whether asking is worth it. */
export type RecentKeys = {
  readonly add: (digest: string) => void
  readonly has: (digest: string) => boolean
}

/** Remembers at least the last `size` digests, and at most twice as many. */
export function recentKeys(size = 10_000): RecentKeys {
  // Two sets that take turns: to drop the oldest of one set, all that were dropped before it are passed over first.
  let newer = new Set<string>()
  let older = new Set<string>()
  return {
    add(digest) {
      if (newer.has(digest)) return
      if (newer.size >= size) {
        older = newer
        newer = new Set()
      }
      newer.add(digest)
    },
    has: (digest) => newer.has(digest) || older.has(digest),
  }
}
