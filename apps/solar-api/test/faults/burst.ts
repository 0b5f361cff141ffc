import type { LoadReply } from '@hearth/account/testing/http-load'
import type { ServiceRig } from '@hearth/account/testing/service-rig'
import { size } from '@hearth/infra/campaign'
import { setTimeout as sleep } from 'node:timers/promises'
import { calculate } from './solar-rig.ts'

/** A quota, and three times as many requests, spread over so many milliseconds that some are always under way. */
export const { plan, limit, burstMs } = size(
  { plan: 'free', limit: 50, burstMs: 1_000 },
  { plan: 'pro', limit: 500, burstMs: 3_000 },
)

/** An answer, and the number of the instance that was asked. */
export type BurstReply = LoadReply & { readonly instance: number }

/** Asks all instances in turn, at random moments. */
export function burst(rig: ServiceRig, key: string): Promise<BurstReply[]> {
  return Promise.all(
    Array.from({ length: 3 * limit }, async (_, i) => {
      const instance = i % rig.instances.length
      await sleep(rig.random() * burstMs)
      return { ...(await calculate(rig, key, { instance })), instance }
    }),
  )
}

/** How long after the start of a burst something is to break: before the quota is used up. */
export function earlyIn(rig: ServiceRig): Promise<unknown> {
  return sleep((rig.random() * burstMs) / 3)
}
