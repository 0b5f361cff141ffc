import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { findBinary } from './binaries.ts'

/** Whether a process runs. One that has ended and waits for its parent to notice (a zombie) does not. */
export function isAlive(pid: number): boolean {
  return processTable().some((entry) => entry.pid === pid && !entry.isZombie)
}

/** The process and its direct children, without those that have ended. */
export function treeOf(pid: number): number[] {
  return processTable()
    .filter((entry) => !entry.isZombie && (entry.pid === pid || entry.parent === pid))
    .sort((a, b) => Number(b.pid === pid) - Number(a.pid === pid))
    .map((entry) => entry.pid)
}

/** The full command line of a process, or an empty string if there is none. */
export function commandOf(pid: number): string {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  }
  return readProc(`${String(pid)}/cmdline`).replaceAll('\0', ' ')
}

/** Signals processes that may already be gone. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // Already gone, which is what every caller wants.
    }
  }
}

/**
 * Wraps a command so that its process gets `signal` when this one ends, even when this one is killed outright.
 * Only Linux can do that; elsewhere the command is returned as it is.
 */
export function diesWithParent(command: Command, signal: 'KILL' | 'TERM'): Command {
  const setpriv = process.platform === 'linux' ? findBinary('setpriv') : undefined
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', signal, '--', ...command]
}

/** Linux without the ps program is common in containers, so /proc is read there. */
function processTable(): ProcessEntry[] {
  if (process.platform !== 'linux') return readPs()
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? parseStat(readProc(`${name}/stat`)) : [],
  )
}

/** `pid (name) state ppid …`; the name may itself contain brackets and spaces. */
function parseStat(stat: string): ProcessEntry[] {
  const [, pid, state, parent] = /^(\d+) \(.*\) (\S) (\d+) /s.exec(stat) ?? []
  return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), isZombie: state === 'Z' }]
}

function readPs(): ProcessEntry[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, state] = line.trim().split(/\s+/)
    return pid === undefined || pid === ''
      ? []
      : [{ pid: Number(pid), parent: Number(parent), isZombie: state?.startsWith('Z') === true }]
  })
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

type ProcessEntry = { pid: number; parent: number; isZombie: boolean }

/** A program and its arguments. */
export type Command = [program: string, ...args: string[]]
