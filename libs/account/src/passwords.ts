import { unavailable } from '@hearth/chassis/errors'
import { dictionary } from '@zxcvbn-ts/language-common'
import argon2 from 'argon2'
import { availableParallelism } from 'node:os'

/** Hashes and checks passwords, a few at a time. */
export type Passwords = {
  /** PHC string of a password. @throws HttpError 503 when too many others wait */
  hash(password: string): Promise<string>
  /** Whether a password fits a hash; with no hash at all it does the same work and says no. @throws as hash */
  verify(hash: string | undefined, password: string): Promise<boolean>
}

/**
 * argon2id with m = 19456 KiB, t = 2, p = 1 (the OWASP minimum). Each hash keeps a thread of the pool that gzip, DNS
 * and files share busy for about 25 ms, so at most two run at once, and on two cores one, which leaves the other to
 * everybody else; 20 wait, and the rest is told to come back.
 */
export function createPasswords(running = hashesAtOnce(availableParallelism()), waiting = 20): Passwords {
  const limit = limiter(running, waiting)
  const nobody = limit(() => argon2.hash('nobody has this password', parameters))
  nobody.catch(() => undefined)
  return {
    hash: (password) => limit(() => argon2.hash(password, parameters)),
    verify: (hash, password) =>
      limit(async () => {
        const matches = await argon2.verify(hash ?? (await nobody), password)
        return hash !== undefined && matches
      }),
  }
}

/** How many hashes may run at once on so many cores. */
export function hashesAtOnce(cores: number): number {
  return Math.max(1, Math.min(2, cores - 1))
}

/** Whether a hash was made with weaker parameters than the present ones. */
export function needsRehash(hash: string): boolean {
  return argon2.needsRehash(hash, parameters)
}

/** Why a password is refused, or undefined. Length is counted in code points. */
export function passwordProblem(password: string, email: string, name: string): string | undefined {
  const length = Array.from(password).length
  if (!password.isWellFormed()) return 'password must be valid Unicode text.'
  if (length < shortest) return `password must have at least ${shortest} characters; 15 or more are better.`
  if (length > longest) return `password must have at most ${longest} characters.`
  const lower = password.toLowerCase()
  const own = [email, email.split('@')[0] ?? '', name].map((text) => text.toLowerCase())
  if (commonPasswords.has(lower) || own.includes(lower) || /^(.)\1*$/u.test(password)) {
    return 'password is one of those that are guessed first; choose one that is not a common password, a name or an e-mail address.'
  }
  return undefined
}

const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const commonPasswords = new Set(dictionary['passwords-common'])
const shortest = 8
const longest = 256

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
