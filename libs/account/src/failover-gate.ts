import type { Charge, Gate } from './gate.ts'
import { RedisAway } from './redis-records.ts'
import type { RedisTrust } from './redis-trust.ts'

/**
 * Serves from Redis while it is trusted, from Postgres while it is not. A question that Redis failed to answer is put
 * to Postgres, so a caller sees neither the failure nor a wait beyond Redis's deadline.
 */
export function failoverGate(redis: Gate, postgres: Gate, trust: RedisTrust): Gate {
  /** @throws RedisAway when Redis did not answer; trust has then heard of it */
  async function viaRedis<T>(ask: (gate: Gate) => Promise<T>): Promise<T> {
    const sentAt = performance.now()
    try {
      const answer = await ask(redis)
      trust.succeeded(sentAt)
      return answer
    } catch (error) {
      if (error instanceof RedisAway) trust.failed(error)
      throw error
    }
  }

  /**
   * A refund that Redis may have made after all is not made again: giving back twice would admit more than the limit.
   */
  async function refund(charge: Charge): Promise<void> {
    if (charge.by === 'postgres' || !trust.holds()) return postgres.refund(charge)
    try {
      await viaRedis((gate) => gate.refund(charge))
    } catch (error) {
      if (!(error instanceof RedisAway) || error.mayHaveRun) throw error
      await postgres.refund(charge)
    }
  }

  return {
    async check(request) {
      if (!trust.holds()) return postgres.check(request)
      try {
        return await viaRedis((gate) => gate.check(request))
      } catch (error) {
        if (!(error instanceof RedisAway)) throw error
        return postgres.check(request)
      }
    },
    refund,
  }
}
