import type { LoadReply } from '@hearth/account/testing/http-load'
import type { ServiceRig } from '@hearth/account/testing/service-rig'
import { isCampaign } from '@hearth/infra/campaign'
import { setTimeout as sleep } from 'node:timers/promises'
import { calculate, downFrom, remainingOf, statuses, usedOf } from './solar-rig.ts'

/**
 * Sends requests at once until a quota is used up, and expects exactly as many successes as the quota allows, each
 * with its own Remaining.
 *
 * On a machine that is busy with other things an instance may find Redis late and give it up, and then what was on its
 * way may be counted and not answered (see the README of account). Such a run may admit less, never more; outside a
 * campaign it is made again, with another account.
 *
 * @param keysOf makes an account and returns the keys that the requests use in turn
 */
export async function expectExactly(
  rig: ServiceRig,
  limit: number,
  count: number,
  keysOf: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt++) {
    const keys = await keysOf()
    const before = lossesOf(rig)
    const replies = await sendPatiently(rig, keys, count)
    const { 200: admitted = 0, 429: refused = 0, ...others } = statuses(replies)
    const what = JSON.stringify({ seed: rig.seed, attempt, admitted, refused, given: lossesOf(rig) - before })
    expect([what, others, admitted <= limit, admitted + refused]).toEqual([what, {}, true, count])
    expect([what, new Set(remainingOf(replies)).size]).toEqual([what, admitted])
    const isDisturbed = !isCampaign && admitted < limit && lossesOf(rig) > before && attempt < mostAttempts
    if (isDisturbed) continue
    expect([what, remainingOf(replies)]).toEqual([what, downFrom(limit - 1)])
    const used = await usedOf(rig, keys[0] ?? '', attempt)
    expect([what, used]).toEqual([what, { daily: used.daily, monthly: used.daily }])
    return keys
  }
}

const mostAttempts = 5

/** All at once, to all instances and with all keys in turn. Outside a campaign, who is told to come back does. */
async function sendPatiently(rig: ServiceRig, keys: readonly string[], count: number): Promise<LoadReply[]> {
  const requests = Array.from({ length: count }, async (_, instance) => {
    for (;;) {
      const reply = await calculate(rig, keys[instance % keys.length] ?? '', { instance })
      if (reply.status !== 503 || isCampaign) return reply
      await sleep(200)
    }
  })
  return Promise.all(requests)
}

/** How often the instances of a rig have given Redis up. */
export function lossesOf({ instances }: ServiceRig): number {
  return instances.reduce((sum, { losses }) => sum + losses().length, 0)
}
