import argon2 from 'argon2'

/** Does the work of hashing passwords; see passwords.ts for how much of it at once. */
export type Hasher = {
  /** PHC string of a password. */
  readonly hash: (password: string) => Promise<string>
  /** Whether a password fits a hash. @throws when the hash is none */
  readonly verify: (hash: string, password: string) => Promise<boolean>
  readonly close: () => void
}

/** argon2id with m = 19456 KiB, t = 2, p = 1 (the OWASP minimum): a thread of the pool is busy for about 25 ms. */
export const argon2Hasher: Hasher = {
  hash: (password) => argon2.hash(password, parameters),
  verify: (hash, password) => argon2.verify(hash, password),
  close: () => undefined,
}

/** Whether a hash was made with weaker parameters than the present ones. */
export function needsRehash(hash: string): boolean {
  return argon2.needsRehash(hash, parameters)
}

const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
