import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

/** What came of one request. */
export type LoadReply = {
  /** 0: the connection broke before an answer. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body as it came. */
  readonly text: string
  /** The body as JSON, `{}` when it is none. */
  readonly body: any // eslint-disable-line @typescript-eslint/no-explicit-any -- whatever the service says
  /** performance.now() when it was sent, and when the whole answer was there. */
  readonly startedAt: number
  readonly endedAt: number
}

/** A request; GET, or POST with a body. */
export type LoadRequest = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in place of a body. */
  readonly text?: string
}

/** A client for many requests at once, on connections that it keeps. It never rejects. */
export type LoadClient = {
  readonly send: (url: string, request?: LoadRequest) => Promise<LoadReply>
  readonly close: () => void
}

/** Opens a client with any number of connections. */
export function openLoadClient(): LoadClient {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 1024 })
  return {
    send: (url, request = {}) => sendOn(agent, url, request),
    close: () => {
      agent.destroy()
    },
  }
}

function sendOn(agent: Agent, url: string, { method, headers, body, text }: LoadRequest): Promise<LoadReply> {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const finish = (status: number, answered: IncomingHttpHeaders, answer: string): void => {
      const endedAt = performance.now()
      resolve({ ...{ status, headers: answered, text: answer, startedAt, endedAt }, body: parse(answer) })
    }
    const outgoing = httpRequest(url, {
      ...{ agent, method: method ?? (content === undefined ? 'GET' : 'POST') },
      headers: {
        ...(content !== undefined && {
          ...{ 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) },
        }),
        ...headers,
      },
    })
    outgoing.once('error', () => {
      finish(0, {}, '')
    })
    outgoing.once('response', (incoming) => {
      let received = ''
      incoming.setEncoding('utf8').on('data', (part: string) => (received += part))
      incoming.once('end', () => {
        finish(incoming.statusCode ?? 0, incoming.headers, received)
      })
      incoming.once('error', () => {
        finish(0, {}, '')
      })
    })
    outgoing.end(content)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
