import type { Charge, Gate, GateRequest, Verdict } from './gate.ts'
import { RedisAway } from './redis-records.ts'
import type { RedisTrust } from './redis-trust.ts'

/**
 * Serves from Redis while it is trusted, from Postgres while it is not. A question that Redis failed to answer is put
 * to Postgres, so a caller sees neither the failure nor a wait beyond Redis's deadline.
 */
export function failoverGate(redis: Gate, postgres: Gate, trust: RedisTrust): Gate {
  /** @throws RedisAway when Redis did not do it; trust has then heard of it */
  async function viaRedis<T>(ask: (gate: Gate) => Promise<T>): Promise<T> {
    const sentAt = performance.now()
    const losses = trust.losses()
    try {
      const answer = await ask(redis)
      // What comes after trust was lost is no more counted on: others may have been told that nothing comes any more.
      if (trust.losses() !== losses) throw new RedisAway('Redis answered when it was no longer trusted.')
      trust.heard(sentAt)
      return answer
    } catch (error) {
      if (error instanceof RedisAway && error.isOutage) trust.failed(error)
      throw error
    }
  }

  async function check(request: GateRequest): Promise<Verdict> {
    if (trust.holds() || (await trust.renew())) {
      try {
        return await viaRedis((gate) => gate.check(request))
      } catch (error) {
        if (!(error instanceof RedisAway)) throw error
      }
    }
    return postgres.check(request)
  }

  /**
   * A refund that Redis may have made after all is not made again: giving back twice would admit more than the limit.
   */
  async function refund(charge: Charge): Promise<void> {
    if (charge.by === 'postgres' || !(trust.holds() || (await trust.renew()))) return postgres.refund(charge)
    try {
      await viaRedis((gate) => gate.refund(charge))
    } catch (error) {
      if (!(error instanceof RedisAway) || error.mayHaveRun) throw error
      await postgres.refund(charge)
    }
  }

  return { check, refund }
}
