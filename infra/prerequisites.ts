import { spawnSync } from 'node:child_process'
import { findBinary, missingServers, OPTIONAL_PACKAGES, SERVER_PACKAGES } from './binaries.ts'

/**
 * Makes sure the machine has the programs of Postgres and Redis; installs them on Debian and Ubuntu when
 * that is possible without a question. No system service is started.
 *
 * @throws Error with one sentence saying what to install by hand
 */
export function ensurePrerequisites(): void {
  const missing = missingServers()
  if (missing.length === 0) return
  const asRoot = rootPrefix()
  if (findBinary('apt-get') === undefined || asRoot === undefined) throw new Error(advice(missing))
  process.stdout.write(
    `Installing ${SERVER_PACKAGES.apt.join(' and ')} for the tests (no service is started) …\n`,
  )
  // The machine's package list may be partly out of reach and still be good enough, so only the installation decides.
  runQuietly([...asRoot, 'apt-get', 'update'])
  const output = install(asRoot, SERVER_PACKAGES.apt)
  if (missingServers().length > 0) throw new Error(`${advice(missingServers())}\n${output}`)
}

/** Where every test is to run (CI is set), also installs what some can be skipped without; it may fail. */
export function ensureOptional(): void {
  if (process.env['CI'] === undefined || findBinary('promtool') !== undefined) return
  const asRoot = rootPrefix()
  if (asRoot === undefined || findBinary('apt-get') === undefined) return
  process.stdout.write(
    `Installing ${OPTIONAL_PACKAGES.apt.join(' and ')} for the tests (no service is started) …\n`,
  )
  install(asRoot, OPTIONAL_PACKAGES.apt)
}

function install(asRoot: readonly string[], packages: readonly string[]): string {
  const command = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages]
  return runQuietly([...asRoot, 'env', ...NO_SERVICES, ...command])
}

/** RUNLEVEL=1 makes invoke-rc.d refuse to start what a package has just installed. */
const NO_SERVICES = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'] as const

function rootPrefix(): string[] | undefined {
  if (process.getuid?.() === 0) return []
  if (findBinary('sudo') === undefined) return undefined
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined
}

function runQuietly([program = '', ...args]: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return `${stdout}${stderr}`
}

function advice(missing: readonly string[]): string {
  return (
    `The tests start a private Postgres and Redis from the programs of this machine, and ${missing.join(' and ')} ` +
    `cannot be found; install them with "sudo apt-get install -y ${SERVER_PACKAGES.apt.join(' ')}" on Debian or ` +
    `Ubuntu, or "brew install ${SERVER_PACKAGES.brew.join(' ')}" on macOS.`
  )
}

if (import.meta.main) {
  try {
    ensurePrerequisites()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
