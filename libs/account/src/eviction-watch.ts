import type { Cluster, Redis } from 'ioredis'
import type { Logger } from 'pino'
import { evictionPolicy } from './redis-nodes.ts'

/** Whether Redis may forget counters to make room. They are read from the ledger again, but it is not meant so. */
export type EvictionWatch = {
  /** As it was found last. */
  readonly mayEvict: () => boolean
  /** Looks anew, and logs what is new. @throws when Redis does not answer */
  readonly look: () => Promise<void>
}

export function evictionWatch(redis: Redis | Cluster, log: Logger): EvictionWatch {
  let found: string | undefined
  return {
    mayEvict: () => found !== undefined,
    async look() {
      const policy = await evictionPolicy(redis)
      if (policy === found) return
      found = policy
      if (policy === undefined) {
        log.info('quota gate: Redis no longer evicts counters')
        return
      }
      log.error(
        { policy },
        'quota gate: Redis may evict counters when its memory is full; set its maxmemory-policy to noeviction',
      )
    },
  }
}
