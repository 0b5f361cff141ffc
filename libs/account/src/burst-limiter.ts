import type { Burst } from './gate.ts'

/** A limit on calls in quick succession, per key and process. */
export type BurstLimiter = {
  /** Counts a call when it is allowed now (`wait` 0, else milliseconds); says how many more are allowed at once. */
  readonly take: (key: string, now: number) => { readonly wait: number; readonly remaining: number }
  /** Forgets a key that turned out not to be one. */
  readonly forget: (key: string) => void
}

/** The generic cell rate algorithm, in memory; entries that are no longer late are dropped as the table grows. */
export function burstLimiter({ perSecond, size }: Burst): BurstLimiter {
  const due = new Map<string, number>()
  const interval = 1000 / perSecond
  const tolerance = interval * size

  function prune(now: number): void {
    for (const [key, at] of due) if (at <= now) due.delete(key)
  }

  return {
    take(key, now) {
      if (perSecond === 0) return { wait: 0, remaining: Number.MAX_SAFE_INTEGER }
      const next = Math.max(now, due.get(key) ?? now) + interval
      const wait = Math.max(0, next - tolerance - now)
      if (wait > 0) return { wait, remaining: 0 }
      if (due.size >= pruneAt) prune(now)
      due.set(key, next)
      return { wait, remaining: Math.max(0, Math.floor((tolerance - (next - now)) / interval)) }
    },
    forget(key) {
      due.delete(key)
    },
  }
}

const pruneAt = 10_000
