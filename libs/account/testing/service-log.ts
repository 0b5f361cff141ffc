import type { ServiceProcess } from '@hearth/chassis/testing/service-process'

/** A line of the access log. */
export type LoggedRequest = { readonly route: string; readonly status: number; readonly ms: number }

type LogState = {
  serving: 'redis' | 'postgres'
  /** Why Redis was given up, each time. */
  losses: string[]
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
        state.losses.push(errorOf(line))
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
  const { time, msg } = JSON.parse(line) as { time: number; msg: string }
  return `${time} ${msg} ${errorOf(line)}`
}

function errorOf(line: string): string {
  const { err } = JSON.parse(line) as { err?: { message: string } }
  return err?.message ?? ''
}
