import { isDown } from '@hearth/chassis/database'
import type { Gate, GateRequest, Verdict } from './gate.ts'
import { RedisAway } from './redis-records.ts'
import type { RedisTrust } from './redis-trust.ts'

/**
 * Serves from Redis while it is trusted, from Postgres while it is not. A question that Redis failed to answer is put
 * to Postgres, so a caller sees neither the failure nor a wait beyond Redis's deadline.
 */
export function failoverGate(redis: Gate, postgres: Gate, trust: RedisTrust): Gate {
  const viaRedis = trustedAsker(redis, trust)

  async function check(request: GateRequest): Promise<Verdict> {
    if (trust.holds() || (await trust.renew())) {
      try {
        return await viaRedis((gate) => gate.check(request))
      } catch (error) {
        if (!(error instanceof RedisAway)) throw error
      }
    }
    return checkInPostgres(request)
  }

  /** Without Postgres there is only Redis, late or not. */
  async function checkInPostgres(request: GateRequest): Promise<Verdict> {
    try {
      return await postgres.check(request)
    } catch (error) {
      if (!isDown(error) || !(await trust.goesOn())) throw error
      return viaRedis((gate) => gate.check(request)).catch((again: unknown) => {
        throw again instanceof RedisAway ? error : again
      })
    }
  }

  return {
    check,
    async refund(charge) {
      if (charge.by === 'postgres' || !(trust.holds() || (await trust.renew())))
        return postgres.refund(charge)
      try {
        await viaRedis((gate) => gate.refund(charge))
      } catch (error) {
        // What Redis may have given back after all is not given back again: that would admit more than the limit.
        if (!(error instanceof RedisAway) || error.mayHaveRun) throw error
        await postgres.refund(charge)
      }
    },
  }
}

/** Asks Redis, and tells of what became of it. @throws RedisAway when Redis did not do it; trust has then heard of it */
function trustedAsker(redis: Gate, trust: RedisTrust) {
  return async function viaRedis<T>(ask: (gate: Gate) => Promise<T>): Promise<T> {
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
}
