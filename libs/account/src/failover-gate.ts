import type { Gate } from './gate.ts'
import { RedisAway } from './redis-records.ts'
import type { RedisTrust } from './redis-trust.ts'

/**
 * Serves from Redis while it is trusted, from Postgres while it is not. A question that Redis failed to answer is put
 * to Postgres, so a caller sees neither the failure nor a wait beyond Redis's deadline.
 */
export function failoverGate(redis: Gate, postgres: Gate, trust: RedisTrust): Gate {
  async function either<T>(ask: (gate: Gate) => Promise<T>): Promise<T> {
    if (!trust.holds()) return ask(postgres)
    try {
      const answer = await ask(redis)
      trust.succeeded()
      return answer
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error
      trust.failed(error)
      return ask(postgres)
    }
  }

  return {
    check: (request) => either((gate) => gate.check(request)),
    // What Postgres has charged it also gives back; what Redis has charged either may give back.
    refund: (charge) =>
      charge.by === 'postgres' ? postgres.refund(charge) : either((gate) => gate.refund(charge)),
  }
}
