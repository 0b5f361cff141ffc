import { unavailable } from '@hearth/chassis/errors'
import { dictionary } from '@zxcvbn-ts/language-common'
import { availableParallelism } from 'node:os'
import type { Hasher } from './argon2-hasher.ts'
import { hashingProcess } from './hashing-process.ts'

/** Hashes and checks passwords, a few at a time. */
export type Passwords = {
  /**
   * Does work with a password in it, unless so many others do that there is no room for its hash: then nothing is done
   * at all, so that a flood costs next to nothing.
   *
   * @throws HttpError 503
   */
  readonly ifRoom: <T>(work: () => Promise<T>) => Promise<T>
  /** PHC string of a password. @throws HttpError 503 when too many others wait */
  readonly hash: (password: string) => Promise<string>
  /** Whether a password fits a hash; with no hash at all it does the same work and says no. @throws as hash */
  readonly verify: (hash: string | undefined, password: string) => Promise<boolean>
  readonly close: () => void
}

/**
 * A hash takes some 25 ms of a core and 19 MB, so at most two run at once, and on two cores one, which leaves the other
 * to everybody else; 20 wait, and the rest is told to come back.
 */
export function createPasswords(
  hasher: Hasher = hashingProcess(),
  running = hashesAtOnce(availableParallelism()),
  waiting = 20,
): Passwords {
  const limit = limiter(running, waiting)
  return {
    ifRoom: limiter(running + waiting, 0),
    hash: (password) => limit(() => hasher.hash(password)),
    verify: (hash, password) =>
      limit(async () => {
        const matches = await hasher.verify(hash ?? nobodysHash, password)
        return hash !== undefined && matches
      }),
    close: hasher.close,
  }
}

/** Of a password that was random and nobody has, with the parameters of argon2-hasher.ts: as much work as any other. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,p=1,t=2$bAepluSrXPQnlN8w3jGypw$+lE+HtW24pkztJcNBZA0sDe/LTWtvHbkhsjzkOAMock'

/** How many hashes may run at once on so many cores. */
export function hashesAtOnce(cores: number): number {
  return Math.max(1, Math.min(2, cores - 1))
}

/** Why a password of the right length is refused, or undefined. */
export function passwordProblem(password: string, email: string, name: string): string | undefined {
  if (!password.isWellFormed()) return 'password must be valid Unicode text.'
  const lower = password.toLowerCase()
  const own = [email, email.split('@')[0] ?? '', name].map((text) => text.toLowerCase())
  if (commonPasswords.has(lower) || own.includes(lower) || /^(.)\1*$/u.test(password)) {
    return 'password is one of those that are guessed first; choose one that is not a common password, a name or an e-mail address.'
  }
  return undefined
}

const commonPasswords = new Set(dictionary['passwords-common'])

function limiter(running: number, waiting: number) {
  let active = 0
  const queue: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (active >= running) {
      if (queue.length >= waiting) throw unavailable('Too many passwords are being checked at this moment.')
      await new Promise<void>((start) => queue.push(start))
    } else {
      active += 1
    }
    try {
      return await work()
    } finally {
      // The place goes straight to the next in line, so nobody can slip in between.
      const next = queue.shift()
      if (next === undefined) active -= 1
      else next()
    }
  }
}
