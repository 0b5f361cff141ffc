import { treeOf } from '../../processes.ts'
import { readdirSync, readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'

/** Nanoseconds on a CPU so far, by thread, of processes and their children. */
export type CpuTimes = ReadonlyMap<string, number>

/** Read from schedstat, which is finer than the ticks of /proc/PID/stat. */
export function cpuTimes(pids: readonly number[]): CpuTimes {
  return new Map(pids.flatMap(treeOf).flatMap(threadsOf))
}

/** CPU seconds between two readings. Threads that have ended in between are not counted. */
export function cpuSecondsBetween(before: CpuTimes, after: CpuTimes): number {
  let nanoseconds = 0
  for (const [thread, time] of after) nanoseconds += time - (before.get(thread) ?? 0)
  return nanoseconds / 1e9
}

function threadsOf(pid: number): [string, number][] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [time] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      return [thread, Number(time)]
    })
  } catch {
    return [] // it has just ended
  }
}

/** What Redis has done so far. */
export type RedisWork = {
  /** Microseconds in scripts, their commands included. */
  readonly scripts: number
  /** HMGET commands: every script here that decides on a request runs one. */
  readonly decisions: number
}

export async function redisWork(redis: Redis): Promise<RedisWork> {
  const stats = await redis.info('commandstats')
  const scripts = [...stats.matchAll(/cmdstat_(?:evalsha|eval):calls=\d+,usec=(\d+)/g)]
  return {
    scripts: scripts.reduce((sum, [, microseconds]) => sum + Number(microseconds), 0),
    decisions: Number(/cmdstat_hmget:calls=(\d+)/.exec(stats)?.[1] ?? 0),
  }
}

/** Bytes that all keys of a pattern take in Redis, by MEMORY USAGE. */
export async function bytesOf(redis: Redis, pattern: string): Promise<number> {
  const keys = await redis.keys(pattern)
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)))
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}
