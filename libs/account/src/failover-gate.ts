import { isDown, isRefusal } from '@hearth/chassis/database'
import type { Charge, Gate, GateRequest, Verdict } from './gate.ts'
import { RedisAway } from './redis-questions.ts'
import type { RedisTrust } from './redis-trust.ts'

/**
 * Serves from Redis while it is trusted, from Postgres while it is not. A question that Redis failed to answer is put
 * to Postgres, so a caller sees no failure, and waits for Redis's deadline and Postgres.
 */
export function failoverGate(redis: Gate, postgres: Gate, trust: RedisTrust): Gate {
  async function check(request: GateRequest): Promise<Verdict> {
    if (trust.holds() || (await trust.renew())) {
      const asked = askNow(trust)
      try {
        const verdict = await redis.check(request)
        hear(trust, asked)
        return verdict
      } catch (error) {
        if (!isAway(trust, asked, error)) throw error
      }
    }
    // Who waits for that often need not wait for others: when nobody counts in Redis any more, Postgres counts at once.
    await trust.leaving()
    return checkInPostgres(request)
  }

  /** Without Postgres, or when it takes no writes, there is only Redis, late or not. */
  async function checkInPostgres(request: GateRequest): Promise<Verdict> {
    try {
      const verdict = await postgres.check(request)
      trust.wentElsewhere()
      return verdict
    } catch (error) {
      if (!(isDown(error) || isRefusal(error)) || !(await trust.goesOn())) throw error
      const asked = askNow(trust)
      try {
        const verdict = await redis.check(request)
        hear(trust, asked)
        return verdict
      } catch (again) {
        throw isAway(trust, asked, again) ? error : again
      }
    }
  }

  return { check, refund: (charge) => refund(redis, postgres, trust, charge) }
}

async function refund(redis: Gate, postgres: Gate, trust: RedisTrust, charge: Charge): Promise<void> {
  if (charge.by === 'postgres' || !(trust.holds() || (await trust.renew()))) return postgres.refund(charge)
  const asked = askNow(trust)
  try {
    await redis.refund(charge)
    hear(trust, asked)
  } catch (error) {
    // What Redis may have given back after all is not given back again: that would admit more than the limit.
    if (!isAway(trust, asked, error) || error.mayHaveRun) throw error
    await postgres.refund(charge)
  }
}

/** When a question is put, and in which spell of trust. (Not a function around the question: each would cost a promise.) */
type Asked = { readonly sentAt: number; readonly losses: number }

function askNow(trust: RedisTrust): Asked {
  return { sentAt: performance.now(), losses: trust.losses() }
}

/** @throws RedisAway when trust was lost meanwhile: others may have been told that nothing comes any more */
function hear(trust: RedisTrust, { sentAt, losses }: Asked): void {
  if (trust.losses() !== losses) throw new RedisAway('Redis answered when it was no longer trusted.')
  trust.heard(sentAt)
}

/** Whether Redis did not do it; trust then hears of an outage, unless it has since heard of one and is won back. */
function isAway(trust: RedisTrust, { losses }: Asked, error: unknown): error is RedisAway {
  if (!(error instanceof RedisAway)) return false
  if (error.isOutage && trust.losses() === losses) trust.failed(error)
  return true
}
