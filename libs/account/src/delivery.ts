import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OutboxOptions } from './outbox.ts'

/**
 * Waits for a change to be delivered, up to a time: whoever counts in Redis delivers within it, or has lost its trust in
 * Redis and reads Postgres. When nobody does, there is nothing to wait for. One question is put for all who wait: when
 * an instance alone loses Redis, they are as many as the accounts that it is asked about.
 *
 * @returns false when the time was up
 */
export function waitingForDelivery({ db, instances, trusting, missed }: WaitingOptions) {
  const waiting = new Set<Wait>()
  let isLooking = false

  async function look(): Promise<void> {
    const asked = [...waiting]
    const countsHere = trusting()
    try {
      const { rows } = await sql<{ tag: string }>`select distinct tag from outbox
        where tag = any(${asked.map(({ tag }) => tag)}::text[])
          and (${countsHere} or ${instances.othersCount})`.execute(db)
      // Won back meanwhile: then this instance must hear of the change as well.
      if (trusting() && !countsHere) return
      if (!trusting()) missed()
      const undelivered = new Set(rows.map(({ tag }) => tag))
      for (const wait of asked) {
        const isDelivered = !undelivered.has(wait.tag)
        if (isDelivered || performance.now() >= wait.end) end(wait).resolve(isDelivered)
      }
    } catch (error) {
      for (const wait of asked) end(wait).reject(error)
    }
  }

  function end(wait: Wait): PromiseWithResolvers<boolean> {
    waiting.delete(wait)
    return wait.settle
  }

  async function lookForAll(): Promise<void> {
    isLooking = true
    while (waiting.size > 0) {
      await look()
      if (waiting.size > 0) await sleep(lookAgainMs)
    }
    isLooking = false
  }

  return (tag: string, withinMs: number): Promise<boolean> => {
    const settle = Promise.withResolvers<boolean>()
    waiting.add({ tag, end: performance.now() + withinMs, settle })
    if (!isLooking) void lookForAll()
    return settle.promise
  }
}

type Wait = { readonly tag: string; readonly end: number; readonly settle: PromiseWithResolvers<boolean> }

type WaitingOptions = Pick<OutboxOptions, 'db' | 'instances' | 'trusting' | 'missed'>

const lookAgainMs = 15
