import { hash } from 'node:crypto'
import type { Tally } from './tallies.ts'

/** A key that was good lately, with what is found out about it once. */
export type KnownKey = {
  readonly tag: string
  readonly selector: string
  /** What is stored of it under each pepper, separated by spaces. */
  readonly digests: string
  /** What the ledger remembers of its account. */
  tally: Tally
}

/**
 * Keys that were good lately. That decides nothing about a key: it saves reading it, making its digests, which takes
 * five times as long as finding it here, and looking for its account. Keys themselves are not kept, but their
 * SHA-256: at 190 bits of chance nothing can be learnt from it.
 */
export type KnownKeys = {
  /** Remembers a key that was good. */
  readonly add: (fingerprint: string, key: KnownKey) => void
  readonly find: (fingerprint: string) => KnownKey | undefined
  /** Forgets a key that has turned out to be good no longer: from now on it is as strange as any other. */
  readonly forget: (fingerprint: string) => void
}

/** What a key is remembered by. */
export function fingerprintOf(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Remembers at least the last `size` keys, and at most twice as many. */
export function knownKeys(size = 10_000): KnownKeys {
  // Two maps that take turns: to drop the oldest of one map, all that were dropped before it are passed over first.
  let newer = new Map<string, KnownKey>()
  let older = new Map<string, KnownKey>()

  function add(fingerprint: string, key: KnownKey): void {
    if (newer.size >= size && !newer.has(fingerprint)) {
      older = newer
      newer = new Map()
    }
    newer.set(fingerprint, key)
  }

  return {
    add,
    find(fingerprint) {
      const key = newer.get(fingerprint)
      if (key !== undefined) return key
      const old = older.get(fingerprint)
      if (old !== undefined) add(fingerprint, old)
      return old
    },
    forget(fingerprint) {
      newer.delete(fingerprint)
      older.delete(fingerprint)
    },
  }
}
