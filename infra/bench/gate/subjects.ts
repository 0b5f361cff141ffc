import { findBinary } from '../../binaries.ts'
import { diesWithParent } from '../../processes.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Answer } from './options.ts'

/** Something that answers requests and is measured. */
export type Subject = {
  readonly id: string
  /** What a reader of the table is told. */
  readonly name: string
  readonly answers: readonly Answer[]
  /** Path of the small answer. */
  readonly path?: string
  /** Pattern of the Redis keys of its accounts. */
  readonly records?: string
  /** Program and arguments, given where it must listen; undefined when this machine cannot run it. */
  readonly command: (setting: Setting) => readonly [program: string, ...args: string[]] | undefined
  /** Folder it runs in. */
  readonly cwd?: string
  /** The subject whose process answers this one's path too. */
  readonly within?: string
}

/** What a subject is told by its environment. */
export type Setting = Readonly<Record<string, string>>

/** A subject that runs. */
export type Running = {
  readonly subject: Subject
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

const servers = fileURLToPath(new URL('servers/', import.meta.url))
const root = fileURLToPath(new URL('../../../', import.meta.url))
const both: readonly Answer[] = ['small', 'full']
const small: readonly Answer[] = ['small']

/** Pattern of the records of our gate. */
export const ourRecords = 'slr:*'

export const subjects: readonly Subject[] = [
  {
    ...{ id: 'solar', name: '**solar-api**, the whole service', answers: ['full'], records: ourRecords },
    ...{ cwd: join(root, 'apps/solar-api'), command: () => [process.execPath, 'src/main.ts'] },
  },
  {
    ...{ id: 'gate', name: '**our gate**: meter, log line and metrics on', answers: small },
    ...{ cwd: join(root, 'libs/account'), records: ourRecords },
    command: () => [process.execPath, 'bench/gate-server.ts'],
  },
  {
    ...{ id: 'ungated', name: 'the same without key and quota', answers: small, path: '/unmetered' },
    ...{ within: 'gate', cwd: join(root, 'libs/account') },
    command: () => [process.execPath, 'bench/gate-server.ts'],
  },
  peer('express', 'stock Express, no gate', both),
  peer('node-http-alone', 'bare node:http, no gate', small),
  peer('node-http', 'bare node:http, one Redis script per request', both, 'node-http:*'),
  peer(
    'express-key-and-limits',
    'Express, key from Postgres, two rate-limiter-flexible',
    both,
    'express-key*',
  ),
  peer('express-rate-limit', 'Express, two express-rate-limit (no key check)', both, 'express-rate*'),
  peer('fastify-rate-limit', 'Fastify, two @fastify/rate-limit (no key check)', both, 'fastify*'),
  {
    ...{ id: 'nginx', name: 'nginx, Lua, one Redis script per request', answers: small, records: 'nginx:*' },
    command: nginxCommand,
  },
]

/** Starts a subject on a free port, pinned to a core, and waits until it listens; undefined when it cannot run here. */
export async function start(subject: Subject, common: Setting, core: string): Promise<Running | undefined> {
  const [port, internalPort] = await Promise.all([freePort(), freePort()])
  const setting = {
    ...{ ...common, PORT: String(port), INTERNAL_PORT: String(internalPort), PREFIX: `${subject.id}:` },
  }
  const command = subject.command(setting)
  if (command === undefined) return undefined
  const [program, ...args] = diesWithParent(['taskset', '-c', core, ...command], 'KILL')
  const child = spawn(program, args, {
    env: { ...setting, PATH: process.env['PATH'] },
    cwd: subject.cwd ?? servers,
    stdio: ['ignore', openSync('/dev/null', 'w'), 'inherit'],
  })
  started.add(child)
  const url = `http://127.0.0.1:${port}`
  await listening(subject, child, subject.id === 'solar' ? `${url}/readyz` : url)
  // setpriv and taskset become the program they start, so this is the pid of the server.
  return { subject, url, pid: child.pid ?? 0, stop: () => end(child) }
}

/** To be ended with this process, whatever ends it. */
const started = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL')
})

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
}

function peer(id: string, name: string, answers: readonly Answer[], records?: string): Subject {
  const command = (): [string, string] => [process.execPath, join(servers, `${id}.ts`)]
  return { id, name, answers, command, ...(records !== undefined && { records }) }
}

async function listening({ id }: Subject, child: ChildProcess, url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 503,
    )
    if (status !== 503) return
    if (child.exitCode !== null) throw new Error(`${id} ended with ${child.exitCode}.`)
    await sleep(100)
  }
  throw new Error(`${id} did not start within 30 s.`)
}

/** nginx with its Lua module, from Debian's packages nginx, libnginx-mod-http-lua and lua-nginx-redis. */
function nginxCommand(setting: Setting): [string, ...string[]] | undefined {
  const binary = findBinary('nginx') ?? (existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : undefined)
  const modules = '/usr/lib/nginx/modules'
  const needed = [`${modules}/ngx_http_lua_module.so`, '/usr/share/lua/5.1/nginx/redis.lua']
  if (binary === undefined || !needed.every((file) => existsSync(file))) return undefined
  const directory = join(setting['DIRECTORY'] ?? '', 'nginx')
  mkdirSync(directory, { recursive: true })
  const values: Setting = {
    ...{ ...setting, DIRECTORY: directory, MODULES: modules, SCRIPT_SHA: quotaScript.sha },
    REDIS_PORT: new URL(setting['REDIS_URL'] ?? '').port,
  }
  const template = readFileSync(join(servers, 'nginx.conf'), 'utf8')
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    template.replaceAll(/\{\{([A-Z_]+)\}\}/g, (_, name: string) => values[name] ?? ''),
  )
  return [binary, '-c', file]
}

/** The script of the peers that use one. nginx runs it by its digest, so it must be loaded before. */
export const quotaScript = (() => {
  const text = readFileSync(join(servers, 'quota.lua'), 'utf8')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
})()

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  server.close()
  await once(server, 'close')
  return port
}
