import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Packages of the operating system that bring the servers of the test suite. */
export const SERVER_PACKAGES = {
  apt: ['redis-server', 'postgresql'],
  brew: ['redis', 'postgresql@17'],
} as const

/** What some tests need that are skipped, and say so, without it: promtool for the alerts. */
export const OPTIONAL_PACKAGES = { apt: ['prometheus'] } as const

/**
 * Finds an executable on PATH or in the places where Debian and Homebrew keep Postgres and Redis.
 * `beside` names programs that must lie in the same directory (initdb belongs to one version of postgres).
 *
 * @returns the absolute path, or undefined if the machine does not have it
 */
export function findBinary(name: string, beside: readonly string[] = []): string | undefined {
  const directory = candidateDirectories().find((candidate) =>
    [name, ...beside].every((program) => isExecutable(join(candidate, program))),
  )
  return directory === undefined ? undefined : join(directory, name)
}

/** Names of the servers that the test suite needs and this machine does not have. */
export function missingServers(): string[] {
  const missing: string[] = []
  if (findBinary('redis-server') === undefined) missing.push('redis-server')
  if (findBinary('postgres', ['initdb']) === undefined) missing.push('postgres')
  return missing
}

function candidateDirectories(): string[] {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '')
  const debian = versionsOf('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
  const homebrew = ['/opt/homebrew/opt', '/usr/local/opt'].flatMap((root) =>
    versionsOf(root).map((formula) => join(root, formula, 'bin')),
  )
  return [...onPath, ...debian, ...homebrew]
}

/** Newest first, so that a machine with several Postgres versions uses the latest. */
function versionsOf(directory: string): string[] {
  try {
    return readdirSync(directory).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
