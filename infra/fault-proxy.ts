import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** Which way bytes go: `up` from the client to the server, `down` back. */
export type Direction = 'up' | 'down'

/** What a link does to the bytes of one direction. Milliseconds. */
export type Toxics = {
  /** Added to every chunk. */
  readonly latencyMs?: number
  /** Added besides, between 0 and this, by the random source of the proxy. Chunks keep their order. */
  readonly jitterMs?: number
  /** Share of chunks that reset the connection instead of arriving, 0 to 1. */
  readonly resets?: number
  /** Nothing arrives, not even the end of the connection, until the link heals: a host that has vanished. */
  readonly frozen?: boolean
}

/** A TCP proxy on 127.0.0.1 between one client and one server, for tests that break the network between them. */
export type FaultProxy = {
  readonly port: number
  /** The URL of the server with the address of the proxy in place of the server's own. */
  readonly through: (url: string) => string
  /** Sets what happens to each direction from now on; a direction that is left out stays as it is. */
  readonly disturb: (toxics: Partial<Readonly<Record<Direction, Toxics>>>) => void
  /** Nothing passes in these directions (both unless told), connections stay open, new ones are silent. */
  readonly freeze: (...directions: Direction[]) => void
  /** Resets every connection, and every new one as soon as it comes. */
  readonly cut: () => void
  /** Resets every connection once; new ones pass. */
  readonly reset: () => void
  /** Ends every disturbance. What a freeze has held back arrives. */
  readonly heal: () => void
  /** Where new connections go from now on; present ones are reset. */
  readonly retarget: (port: number) => void
  /** Connections that are open. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/**
 * Starts a proxy to a port of 127.0.0.1.
 *
 * @param random numbers from 0 to 1 for jitter and resets; seed it so that a failure can be repeated
 */
export async function startFaultProxy(
  target: number,
  random: () => number = Math.random,
): Promise<FaultProxy> {
  const state: State = { target, toxics: { up: {}, down: {} }, isCut: false, links: new Set(), random }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    accept(state, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    port,
    through: (url) => withPort(url, port),
    disturb(toxics) {
      Object.assign(state.toxics, toxics)
      releaseAll(state)
    },
    freeze(...directions) {
      for (const one of directions.length === 0 ? (['up', 'down'] as const) : directions)
        state.toxics[one] = { ...state.toxics[one], frozen: true }
    },
    cut() {
      state.isCut = true
      resetAll(state)
    },
    reset: () => {
      resetAll(state)
    },
    heal() {
      state.isCut = false
      state.toxics = { up: {}, down: {} }
      releaseAll(state)
    },
    retarget(next) {
      state.target = next
      resetAll(state)
    },
    connections: () => state.links.size,
    close: () => closeProxy(state, server),
  }
}

type State = {
  target: number
  toxics: Record<Direction, Toxics>
  isCut: boolean
  readonly links: Set<Link>
  readonly random: () => number
}

/** One connection of a client and the one to the server that belongs to it. */
type Link = {
  readonly client: Socket
  readonly server: Socket
  readonly pipes: readonly Pipe[]
  /** One side has ended with an error. */
  isBroken: boolean
}

function accept(state: State, client: Socket): void {
  if (state.isCut) {
    client.resetAndDestroy()
    return
  }
  const server = connect({ port: state.target, host: '127.0.0.1', allowHalfOpen: true })
  for (const socket of [client, server]) socket.setNoDelay(true)
  const link: Link = {
    ...{ client, server, isBroken: false },
    pipes: [pipe(state, 'up', client, server), pipe(state, 'down', server, client)],
  }
  state.links.add(link)
  for (const socket of [client, server]) {
    socket.on('error', () => {
      // A side that vanishes behind a frozen link is not heard of on the other side until it heals.
      link.isBroken = true
      if (!isFrozen(state)) reset(state, link)
    })
  }
  // Each side ends only after everything for it has arrived.
  client.on('close', () => {
    if (server.destroyed) state.links.delete(link)
  })
  server.on('close', () => {
    if (client.destroyed) state.links.delete(link)
  })
}

function isFrozen({ toxics: { up, down } }: State): boolean {
  return up.frozen === true || down.frozen === true
}

type Pipe = { readonly release: () => void }

/** Carries one direction of a connection: chunk after chunk, each when it is due and the direction is not frozen. */
function pipe(state: State, direction: Direction, from: Socket, to: Socket): Pipe {
  const waiting: { readonly due: number; readonly chunk: Buffer | undefined }[] = []
  let timer: NodeJS.Timeout | undefined

  function add(chunk: Buffer | undefined): void {
    const { latencyMs = 0, jitterMs = 0, resets = 0 } = state.toxics[direction]
    if (chunk !== undefined && resets > 0 && state.random() < resets) {
      abort(from)
      abort(to)
      return
    }
    const delayMs = latencyMs + (jitterMs > 0 ? state.random() * jitterMs : 0)
    // No chunk overtakes the one before it.
    waiting.push({ due: Math.max(performance.now() + delayMs, waiting.at(-1)?.due ?? 0), chunk })
    release()
  }

  function release(): void {
    clearTimeout(timer)
    timer = undefined
    while (waiting[0] !== undefined && state.toxics[direction].frozen !== true) {
      const [{ due, chunk }] = waiting as [(typeof waiting)[number]]
      const inMs = due - performance.now()
      if (inMs > 0.5) {
        timer = setTimeout(release, inMs)
        return
      }
      waiting.shift()
      if (chunk === undefined) to.end()
      else to.write(chunk)
    }
  }

  from.on('data', add)
  from.on('end', () => add(undefined))
  to.on('close', () => clearTimeout(timer))
  return { release }
}

function releaseAll(state: State): void {
  for (const link of [...state.links]) {
    if (link.isBroken && !isFrozen(state)) reset(state, link)
    else for (const one of link.pipes) one.release()
  }
}

function reset({ links }: State, link: Link): void {
  links.delete(link)
  abort(link.client)
  abort(link.server)
}

/** A socket that has said its end cannot be reset any more, and Node would keep its handle. */
function abort(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

function resetAll(state: State): void {
  for (const link of [...state.links]) reset(state, link)
}

async function closeProxy(state: State, server: Server): Promise<void> {
  resetAll(state)
  await new Promise((resolve) => server.close(resolve))
}

function withPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.hostname = '127.0.0.1'
  changed.port = String(port)
  return changed.href
}
