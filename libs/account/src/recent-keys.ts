import { hash } from 'node:crypto'

/**
 * Keys that were good lately, with their digests, which take five times as long to make as to find here. It decides
 * nothing about a key: only whether asking is worth it. Keys themselves are not kept, but their SHA-256: at 190 bits
 * of chance nothing can be learnt from it.
 */
export type RecentKeys = {
  /** Remembers the digests of a key that was good. */
  readonly add: (fingerprint: string, digests: readonly string[]) => void
  readonly digestsOf: (fingerprint: string) => readonly string[] | undefined
}

/** What a key is remembered by. */
export function fingerprintOf(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Remembers at least the last `size` keys, and at most twice as many. */
export function recentKeys(size = 10_000): RecentKeys {
  // Two maps that take turns: to drop the oldest of one map, all that were dropped before it are passed over first.
  let newer = new Map<string, readonly string[]>()
  let older = new Map<string, readonly string[]>()
  return {
    add(fingerprint, digests) {
      if (newer.has(fingerprint)) return
      if (newer.size >= size) {
        older = newer
        newer = new Map()
      }
      newer.set(fingerprint, digests)
    },
    digestsOf: (fingerprint) => newer.get(fingerprint) ?? older.get(fingerprint),
  }
}
