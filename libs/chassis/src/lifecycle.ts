import { setTimeout as sleep } from 'node:timers/promises'

/** Where the process stands between its start and its end. Readiness and shutdown share one. */
export type Lifecycle = {
  /** True from {@link Lifecycle.start} on: dependencies were reached once, migrations are there. */
  isStarted: () => boolean
  isDraining: () => boolean
  start: () => void
  drain: () => void
}

export function createLifecycle(): Lifecycle {
  let started = false
  let draining = false
  return {
    isStarted: () => started,
    isDraining: () => draining,
    start: () => (started = true),
    drain: () => (draining = true),
  }
}

/** What a readiness probe is told. */
export type Readiness = {
  readonly status: 200 | 503
  /**
   * `degraded`: a dependency is away, requests are still answered as documented. With 503: `starting`, `draining`
   * (being stopped), `unavailable` (every dependency, or a required one, is away).
   */
  readonly state: 'ok' | 'degraded' | 'starting' | 'draining' | 'unavailable'
  /** By name of the dependency; empty while starting or draining. */
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>
}

/**
 * Makes the function that answers readiness probes. A dependency that all instances share being away does not make
 * an instance unready, or one outage would take all of them out of service at once.
 * @param options.checks rejected when the dependency does not answer within the milliseconds given
 * @param options.required names of checks that alone make the instance unready
 * @param options.deadlineMs for each check, 500 unless told; a check that ignores it counts as failed
 * @param options.cacheMs for how long a result serves later probes, 1000 unless told
 */
export function readiness(options: {
  lifecycle: Lifecycle
  checks: Readonly<Record<string, (deadlineMs: number) => Promise<void>>>
  required?: readonly string[]
  deadlineMs?: number
  cacheMs?: number
  /** Monotonic clock in milliseconds; `performance.now` unless told. */
  now?: () => number
}): () => Promise<Readiness> {
  const { lifecycle, now = () => performance.now(), cacheMs = 1_000 } = options
  let latest: { at: number; result: Promise<Readiness> } | undefined
  return async () => {
    if (lifecycle.isDraining()) return { status: 503, state: 'draining', checks: {} }
    if (!lifecycle.isStarted()) return { status: 503, state: 'starting', checks: {} }
    if (latest === undefined || now() - latest.at >= cacheMs) {
      latest = {
        at: now(),
        result: runChecks(options.checks, options.required ?? [], options.deadlineMs ?? 500),
      }
    }
    return latest.result
  }
}

async function runChecks(
  checks: Readonly<Record<string, (deadlineMs: number) => Promise<void>>>,
  required: readonly string[],
  deadlineMs: number,
): Promise<Readiness> {
  const names = Object.keys(checks)
  const outcomes = await Promise.all(Object.values(checks).map((check) => isPassing(check, deadlineMs)))
  const failed = names.filter((_, at) => outcomes[at] === false)
  const isDown =
    (names.length > 0 && failed.length === names.length) || failed.some((name) => required.includes(name))
  return {
    status: isDown ? 503 : 200,
    state: isDown ? 'unavailable' : failed.length > 0 ? 'degraded' : 'ok',
    checks: Object.fromEntries(names.map((name) => [name, failed.includes(name) ? 'failed' : 'ok'])),
  }
}

async function isPassing(check: (deadlineMs: number) => Promise<void>, deadlineMs: number): Promise<boolean> {
  const timer = new AbortController()
  // The check has the same deadline; a little more lets its own, better known, failure win.
  const timeout = sleep(deadlineMs + 50, false, { signal: timer.signal }).catch(() => false)
  try {
    return await Promise.race([check(deadlineMs).then(() => true), timeout])
  } catch {
    return false
  } finally {
    timer.abort()
  }
}
