import { setPriority } from 'node:os'
import { argon2Hasher } from './argon2-hasher.ts'
import type { HashingAnswer, HashingTask } from './hashing-process.ts'

/* What the process of hashing-process.ts does: the entry of a process of its own, bundled beside main.js. */

/** A tenth of the weight of a process that answers requests, where both want the same core. */
const lowered = 10

setPriority(lowered)
process.on('message', (task: HashingTask) => {
  work(task).then(
    (value) => answer({ id: task.id, value }),
    (error: unknown) =>
      answer({ id: task.id, problem: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit())
// The service ends this process when it has answered its last request; a terminal or a supervisor tells both.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)

function work({ hash, password }: HashingTask): Promise<string | boolean> {
  return hash === undefined ? argon2Hasher.hash(password) : argon2Hasher.verify(hash, password)
}

function answer(message: HashingAnswer): void {
  // Without a listener for failures an answer to a service that has gone would end in an uncaught error.
  process.send?.(message, undefined, undefined, () => undefined)
}
