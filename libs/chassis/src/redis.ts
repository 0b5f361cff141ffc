import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis'
import type { Logger } from 'pino'
import { LateError } from './in-time.ts'
import { isError } from './system-error.ts'

/**
 * Opens a client that never lets a caller wait for long: a command fails within `commandTimeoutMs`, and at once while
 * there is no connection; nothing is queued, nothing is sent twice (a counter would count twice). It reconnects for
 * ever, at most 250 ms after an attempt. Who cannot wait that long asks with inTime(), which tells an answer that is
 * late from one that this process was too busy to read.
 * @param url one `redis://` or `rediss://` URL, or several with commas between them for a Redis Cluster (a comma
 * after a single one also means a cluster; user, password and TLS are those of the first)
 * @param options.commandTimeoutMs milliseconds, 1000 unless told
 */
export function openRedis(url: string, options: { log: Logger; commandTimeoutMs?: number }): Redis | Cluster {
  const connection = connectionOptions(options.commandTimeoutMs ?? 1_000)
  const client = url.includes(',')
    ? openCluster(url, connection)
    : new Redis(url, { ...connection, enableOfflineQueue: false, retryStrategy: retryDelayMs })
  logState(client, options.log)
  return client
}

/**
 * True when an error of a command says that Redis is away, too slow, loading, read-only or full, so that another
 * store must answer; false for a wrong command or script.
 */
export function isRedisUnavailable(error: unknown): boolean {
  if (!isError(error)) return false
  if (error instanceof LateError) return true
  if (error.name === 'ReplyError') return AWAY_REPLIES.test(error.message)
  if (AWAY_NAMES.has(error.name) || AWAY_MESSAGES.test(error.message)) return true
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code)
}

const AWAY_REPLIES =
  /^(LOADING|READONLY|OOM|MISCONF|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|TRYAGAIN|BUSY|MOVED|ASK|NOAUTH|WRONGPASS)\b/
const AWAY_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'AbortError'])
const AWAY_MESSAGES =
  /^(Command timed out|Connection is closed|Stream isn't writeable|Cluster isn't ready|Too many Cluster redirections|Socket timeout)/

type ConnectionOptions = NonNullable<ClusterOptions['redisOptions']>

function connectionOptions(commandTimeoutMs: number): ConnectionOptions {
  return {
    commandTimeout: commandTimeoutMs,
    connectTimeout: 500,
    // A connection whose other end vanished without a word is given up, instead of after many minutes of TCP.
    socketTimeout: 2_000,
    keepAlive: 10_000,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    // After a fail-over the old primary is a replica; a new connection finds the new primary.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  } satisfies RedisOptions
}

function openCluster(url: string, connection: ConnectionOptions): Cluster {
  const nodes = url.split(',').filter((node) => node !== '')
  const first = new URL(nodes[0] ?? '')
  return new Cluster(nodes.map(nodeOf), {
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelayMs,
    clusterNodeRetryStrategy: retryDelayMs,
    slotsRefreshTimeout: 500,
    // A replica that took the place of a node that hangs, without a word to us, is found by looking.
    slotsRefreshInterval: 1_000,
    // Redirections to where a slot has moved are followed (the first node did nothing); what may have run is not
    // sent again after a lost connection.
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: {
      ...connection,
      ...(first.username === '' ? {} : { username: decodeURIComponent(first.username) }),
      ...(first.password === '' ? {} : { password: decodeURIComponent(first.password) }),
      ...(first.protocol === 'rediss:' ? { tls: {} } : {}),
    },
  })
}

function nodeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 6379 : Number(port) }
}

function retryDelayMs(attempt: number): number {
  return Math.min(20 * attempt, 250)
}

/** One line when Redis goes and one when it is back, however many attempts lie between. */
function logState(client: Redis | Cluster, log: Logger): void {
  let state: 'new' | 'ready' | 'away' = 'new'
  const away = (error?: unknown) => {
    if (state === 'away') return
    state = 'away'
    log.warn({ err: error }, 'Redis is away; trying to reconnect.')
  }
  client.on('ready', () => {
    if (state !== 'ready') log.info('Redis is ready.')
    state = 'ready'
  })
  client.on('error', away)
  // Both kinds of client close before they reconnect; `end` follows a close on purpose, which is no news.
  client.on('reconnecting', () => away())
  client.on('node error', () => {})
}
