/** Digests of keys that were good lately. It decides nothing about a key, only whether asking is worth it. */
export type RecentKeys = {
  readonly add: (digest: string) => void
  readonly has: (digest: string) => boolean
}

/** Remembers the last `size` digests, in the order in which they were first seen. */
export function recentKeys(size = 10_000): RecentKeys {
  const digests = new Set<string>()
  return {
    add(digest) {
      if (digests.has(digest)) return
      const [oldest] = digests
      if (digests.size >= size && oldest !== undefined) digests.delete(oldest)
      digests.add(digest)
    },
    has: (digest) => digests.has(digest),
  }
}
