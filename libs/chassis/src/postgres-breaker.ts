import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Postgres has stopped answering, and is not asked again until it does. */
export class PostgresHangsError extends Error {
  override readonly name = 'PostgresHangsError'

  constructor() {
    super('Postgres does not answer; nobody waits to connect until it does.')
  }
}

/** Keeps callers from waiting, one behind the other, for a Postgres that hangs. */
export type PostgresBreaker = {
  /** A question or a connection was not answered in time. */
  readonly suspect: () => void
  /**
   * Waits for a connection, but not while Postgres hangs.
   *
   * @param late gets a connection that comes when nobody waits for it any more
   * @throws PostgresHangsError at once while it does, or as soon as it is found to
   */
  readonly whileItAnswers: <T>(connection: () => Promise<T>, late: (connection: T) => void) => Promise<T>
  /** @throws PostgresHangsError while it does */
  readonly check: () => void
  /** Stops asking. */
  readonly close: () => void
}

/**
 * A circuit breaker for a server that accepts connections and answers nothing. Without it a caller waits for a
 * connection first and for its answer then, and a request with several questions does so for each.
 *
 * A first sign of trouble may have its cause in this process, so it is checked: a sign of life on a new connection
 * within `checkMs` clears the suspicion. Otherwise everybody who waits is told, and a sign of life is asked for every
 * `retryMs` until there is one.
 *
 * @param ask resolves when Postgres gives a sign of life; it rejects after the milliseconds given
 */
export function postgresBreaker(
  ask: (deadlineMs: number) => Promise<unknown>,
  log: Logger,
  { checkMs = 150, retryMs = 250 } = {},
): PostgresBreaker {
  const stop = new AbortController()
  const state: BreakerState = { isOpen: false, waiting: new Set() }
  let checking: Promise<void> | undefined

  async function investigate(): Promise<void> {
    for (let deadlineMs = checkMs; !stop.signal.aborted; deadlineMs = longestCheckMs) {
      if (await answers(ask, deadlineMs)) break
      open(state, log)
      await sleep(retryMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
    }
    if (state.isOpen && !stop.signal.aborted) log.info('Postgres answers again.')
    state.isOpen = false
  }

  return {
    check: () => {
      if (state.isOpen) throw new PostgresHangsError()
    },
    suspect: () => {
      checking ??= investigate().finally(() => (checking = undefined))
    },
    whileItAnswers: (connection, late) => whileItAnswers(state, connection, late),
    close: () => stop.abort(),
  }
}

type BreakerState = { isOpen: boolean; readonly waiting: Set<(error: PostgresHangsError) => void> }

const longestCheckMs = 1_000

function open(state: BreakerState, log: Logger): void {
  if (!state.isOpen) log.warn('Postgres does not answer; requests that need it are refused until it does.')
  state.isOpen = true
  for (const refuse of state.waiting) refuse(new PostgresHangsError())
  state.waiting.clear()
}

async function whileItAnswers<T>(
  { isOpen, waiting }: BreakerState,
  connection: () => Promise<T>,
  late: (connection: T) => void,
): Promise<T> {
  if (isOpen) throw new PostgresHangsError()
  const refusal = Promise.withResolvers<never>()
  waiting.add(refusal.reject)
  const coming = connection()
  try {
    return await Promise.race([coming, refusal.promise])
  } catch (error) {
    if (error instanceof PostgresHangsError) coming.then(late, () => undefined)
    throw error
  } finally {
    waiting.delete(refusal.reject)
  }
}

async function answers(ask: (deadlineMs: number) => Promise<unknown>, deadlineMs: number): Promise<boolean> {
  try {
    await ask(deadlineMs)
    return true
  } catch {
    return false
  }
}
