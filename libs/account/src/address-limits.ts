import { isIPv4, isIPv6 } from 'node:net'
import type { Window } from './windows.ts'

/** Limits per network address, for requests without a valid key. */
export type AddressLimits = {
  /** The window of unauthenticated and failed requests as the address has it now. */
  readonly peek: (address: string) => Window
  /** Counts such a request; undefined when the window was already used up. */
  readonly take: (address: string) => Window | undefined
}

/**
 * Limits unauthenticated and failed requests to `perMinute` per address and UTC minute (0: no limit). Kept per
 * process: it bounds work, it is not a quota.
 */
export function createAddressLimits(perMinute: number, clock: () => number): AddressLimits {
  let minute = 0
  const counts = new Map<string, number>()
  const limit = perMinute === 0 ? noLimit : perMinute

  function windowOf(count: number): Window {
    return {
      name: 'address',
      limit,
      remaining: Math.max(0, limit - count),
      resetsAt: (minute + 1) * 60,
      seconds: 60,
    }
  }

  function current(address: string): [bucket: string, count: number] {
    const now = Math.floor(clock() / 60_000)
    if (now !== minute) {
      minute = now
      counts.clear()
    }
    const bucket = addressBucket(address)
    return [bucket, counts.get(bucket) ?? 0]
  }

  return {
    peek: (address) => windowOf(current(address)[1]),
    take(address) {
      const [bucket, count] = current(address)
      if (count >= limit) return undefined
      if (perMinute > 0) counts.set(bucket, count + 1)
      return windowOf(counts.get(bucket) ?? 0)
    },
  }
}

/** What counts as one caller: an IPv4 address, or the /56 of an IPv6 address (what one household is given). */
export function addressBucket(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (isIPv4(address) || !isIPv6(address)) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  const [a, b, c, d] = groups.map((group) => Number.parseInt(group, 16))
  return `${[a, b, c].map((group) => (group ?? 0).toString(16)).join(':')}:${((d ?? 0) & 0xff00).toString(16)}::/56`
}

/** A limit that is switched off; what it shows in the headers. */
export const noLimit = 2 ** 31 - 1
