import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** What wrk says of one measurement. Latencies in milliseconds. */
export type Load = {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Where a measurement sends its requests. */
export type LoadOptions = {
  readonly url: string
  readonly core: string
  readonly connections: number
  readonly seconds: number
  readonly keyFile: string
  readonly keyCount: number
  readonly keyLength: number
  /** Draws the keys. */
  readonly seed: number
  /** Makes the request a POST. */
  readonly body?: string | undefined
}

/** Runs wrk, pinned to a core. @throws Error when an answer was not a success */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, core, connections, seconds, keyFile, keyCount, keyLength, seed, body } = options
  const wrk = spawn('taskset', [
    ...['-c', core, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--latency'],
    ...['-s', script, url, '--', keyFile, String(keyCount), String(keyLength), String(seed)],
    ...(body === undefined ? [] : [body]),
  ])
  const [output, errors] = await Promise.all([text(wrk.stdout), text(wrk.stderr), once(wrk, 'close')])
  const [, requests] = /(\d+) requests in/.exec(output) ?? []
  if (requests === undefined || requests === '0' || /Non-2xx|Socket errors/.test(output)) {
    throw new Error(`Not every answer of ${url} was a success:\n${output}${errors}`)
  }
  return {
    requests: Number(requests),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p50: milliseconds(output, '50%'),
    p99: milliseconds(output, '99%'),
  }
}

const script = fileURLToPath(new URL('keys.lua', import.meta.url))

function milliseconds(output: string, percentile: string): number {
  const [, value = '', unit = ''] = new RegExp(`${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? []
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1)
}
