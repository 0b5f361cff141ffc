import { unavailable } from '@hearth/chassis/errors'
import { fork, type ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import type { Hasher } from './argon2-hasher.ts'

/** To the process: hash the password, or with a hash see whether it fits. */
export type HashingTask = { readonly id: number; readonly hash?: string; readonly password: string }

/** From the process. */
export type HashingAnswer =
  | { readonly id: number; readonly value: string | boolean }
  | { readonly id: number; readonly problem: string }

/**
 * Hashes in a process of its own, of lower priority: on a machine with nothing left to give, the requests of others go
 * before the hashes of a flood of signups, which in this process would compete with them as equals.
 *
 * The process starts with the first task and ends after a minute without one, so a service that nobody signs in to
 * does not pay for it (up to 90 MB). Should it die, its tasks are answered with 503 and the next starts another.
 */
export function hashingProcess({ idleMs = 60_000 } = {}): Hasher & {
  readonly pid: () => number | undefined
} {
  let current: Worker | undefined

  async function run(task: Omit<HashingTask, 'id'>): Promise<string | boolean> {
    current ??= startWorker(idleMs, () => (current = undefined))
    return current.run(task)
  }

  return {
    hash: (password) => run({ password }) as Promise<string>,
    verify: (hash, password) => run({ hash, password }) as Promise<boolean>,
    close: () => current?.end(),
    pid: () => current?.pid,
  }
}

type Worker = {
  readonly pid: number | undefined
  readonly run: (task: Omit<HashingTask, 'id'>) => Promise<string | boolean>
  readonly end: () => void
}

function startWorker(idleMs: number, ended: () => void): Worker {
  const child = forkWorker()
  const pending = new Map<number, PromiseWithResolvers<string | boolean>>()
  const idle = setTimeout(() => (pending.size === 0 ? end() : idle.refresh()), idleMs).unref()
  let [tasks, isOver] = [0, false]

  /** From now on the next task starts another process; those under way fail. */
  function over(cause?: unknown): void {
    if (isOver) return
    isOver = true
    clearTimeout(idle)
    ended()
    for (const task of pending.values())
      task.reject(unavailable('The process that checks passwords has ended.', cause))
  }

  function end(): void {
    over()
    if (child.connected) child.disconnect()
  }

  child.on('message', (message) => {
    const { id, ...answer } = message as HashingAnswer // from our own password-worker.ts
    const task = pending.get(id)
    pending.delete(id)
    if ('value' in answer) task?.resolve(answer.value)
    else task?.reject(new Error(answer.problem))
  })
  child.once('error', over)
  child.once('exit', (code, signal) => {
    over(new Error(`It ended with ${signal ?? `exit code ${code}`}.`))
  })

  return {
    ...{ pid: child.pid, end },
    run(task) {
      const settle = Promise.withResolvers<string | boolean>()
      tasks += 1
      pending.set(tasks, settle)
      idle.refresh()
      child.send({ id: tasks, ...task } satisfies HashingTask, (error) => error !== null && over(error))
      return settle.promise
    },
  }
}

/** Starts password-worker.ts, which must not keep a service alive that has nothing else to do. */
function forkWorker(): ChildProcess {
  const child = fork(new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url), {
    execArgv: [],
    // None of the service's secrets. With an arena for each thread, glibc would keep the 19 MB of a hash once for each.
    env: { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '1' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.unref()
  child.channel?.unref()
  return child
}
