import type { ServiceProcess } from '@hearth/chassis/testing/service-process'

/** A line of the access log. */
export type LoggedRequest = { readonly route: string; readonly status: number; readonly ms: number }

/** That an instance has given Redis up. */
export type Loss = {
  /** By its clock, in Unix milliseconds. */
  readonly at: number
  readonly reason: string
}

type LogState = {
  serving: 'redis' | 'postgres'
  losses: Loss[]
  gateLines: string[]
  requests: string[]
}

/** Reads the logs of one process after the other, each line once; see redis-trust.ts for what the gate says. */
export function followLog() {
  const state: LogState = { serving: 'postgres', losses: [], gateLines: [], requests: [] }
  let followed: ServiceProcess | undefined
  let at = 0

  return {
    read(service: ServiceProcess): LogState {
      if (service !== followed) [followed, at, state.serving] = [service, 0, 'postgres']
      for (; at < service.lines.length; at++) {
        const line = service.lines[at] ?? ''
        if (line.includes('"msg":"request"')) state.requests.push(line)
        else if (/quota gate|Redis|Postgres/.test(line)) state.gateLines.push(inShort(line))
        if (line.includes('quota gate: serving from Redis')) state.serving = 'redis'
        if (!line.includes('serving from Postgres')) continue
        state.serving = 'postgres'
        const { time, reason } = parseGateLine(line)
        state.losses.push({ at: time, reason })
      }
      return state
    },
  }
}

/** What a line of the access log says. */
export function parseRequest(line: string): LoggedRequest {
  const { route, status, ms } = JSON.parse(line) as LoggedRequest
  return { route, status, ms }
}

function inShort(line: string): string {
  const { time, msg, reason } = parseGateLine(line)
  return `${time} ${msg} ${reason}`
}

type LoggedError = { readonly message: string; readonly cause?: LoggedError }

/** What an error says, and what its causes say. */
function messagesOf(error: LoggedError | undefined): string[] {
  return error === undefined ? [] : [error.message, ...messagesOf(error.cause)]
}

function parseGateLine(line: string): { time: number; msg: string; reason: string } {
  const { time, msg, err } = JSON.parse(line) as { time: number; msg: string; err?: LoggedError }
  return { time, msg, reason: messagesOf(err).join(' ') }
}
