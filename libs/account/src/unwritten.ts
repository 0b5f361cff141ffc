/** Whether something waits to be written. */
export type Waiting = { isWaiting: boolean }

export type UnwrittenOptions<T> = {
  /** Writes some; what it fails on is kept for the next time. */
  readonly write: (entries: readonly T[]) => Promise<void>
  /** Told of what was written, and may wait again, when nothing else is being written. */
  readonly written: (entries: readonly T[]) => void
  /** How long an entry may wait, in milliseconds. */
  readonly withinMs: number
  /** Milliseconds of a clock that is never set. */
  readonly clock: () => number
}

/** Entries that have changed since they were last written, each once. */
export type Unwritten<T> = {
  readonly add: (entry: T) => void
  readonly writeAll: () => Promise<void>
  /** Writes some, and what is due: otherwise that would wait for as long as somebody asks for some. */
  readonly writeSome: (isWanted: (entry: T) => boolean) => Promise<void>
  /** To be called every {@link paceMs}. */
  readonly writeDue: () => Promise<void>
}

/**
 * Writes at a steady pace: every {@link paceMs} what may wait no longer. All at once four times a second would be as
 * many rows, but the requests of that moment would wait for Postgres.
 */
export function unwritten<T extends Waiting>(options: UnwrittenOptions<T>): Unwritten<T> {
  const queue = slicedQueue<T>(options.withinMs, options.clock)

  function add(entry: T): void {
    if (entry.isWaiting) return
    entry.isWaiting = true
    queue.add(entry)
  }

  async function write(entries: readonly T[]): Promise<void> {
    for (const entry of entries) entry.isWaiting = false
    let written = 0
    try {
      for (; written < entries.length; written += rowsPerStatement)
        await options.write(entries.slice(written, written + rowsPerStatement))
    } finally {
      for (const entry of entries.slice(written)) add(entry)
      options.written(entries.slice(0, written))
    }
  }

  return {
    add,
    writeAll: () => write(queue.takeAll()),
    writeSome: (isWanted) => write([...queue.takeSome(isWanted), ...queue.takeDue()]),
    writeDue: () => write(queue.takeDue()),
  }
}

/** Entries that wait, in the order in which they came, in slices of what came between two looks. */
export function slicedQueue<T extends Waiting>(withinMs: number, clock: () => number) {
  let slices: Slice<T>[] = []
  let latest: Slice<T> = { since: clock(), entries: [] }

  /** Ends the latest slice, and takes the first of all. */
  function take(howMany: (now: number) => number): T[] {
    const now = clock()
    if (latest.entries.length > 0) slices.push(latest)
    latest = { since: now, entries: [] }
    const taken = slices.slice(0, howMany(now))
    slices = slices.slice(taken.length)
    return taken.flatMap(({ entries }) => entries.filter(({ isWaiting }) => isWaiting))
  }

  /** Number of slices with entries that may wait no longer, and of those that fit in beside them. */
  function dueAt(now: number): number {
    let count = 0
    let rows = 0
    for (const { since, entries } of slices) {
      const isDue = since + withinMs - paceMs <= now
      if (!isDue && (count === 0 || rows + entries.length > fewRows)) break
      count += 1
      rows += entries.length
    }
    return count
  }

  function takeSome(isWanted: (entry: T) => boolean): T[] {
    const taken: T[] = []
    for (const slice of [...slices, latest]) {
      const { entries } = slice
      if (!entries.some(isWanted)) continue
      taken.push(...entries.filter(isWanted))
      slice.entries = entries.filter((entry) => !isWanted(entry))
    }
    return taken.filter(({ isWaiting }) => isWaiting)
  }

  return {
    add: (entry: T): void => void latest.entries.push(entry),
    takeSome,
    takeAll: () => take(() => slices.length),
    takeDue: () => take(dueAt),
  }
}

type Slice<T> = {
  /** When the first of them came, or earlier. */
  readonly since: number
  entries: T[]
}

/** How often what is due is written, in milliseconds. */
export const paceMs = 25

/** A statement with fewer rows than this takes up what is not due yet: it costs little more. */
const fewRows = 250

/** Most rows of a statement. */
export const rowsPerStatement = 1000

/** Whose entries somebody waits for: those of some accounts, or everybody's. */
export function wantedOf() {
  let wanted = { everybody: false, tags: new Set<string>() }

  return {
    add(tag: string): void {
      wanted.tags.add(tag)
    },
    addEverybody(): void {
      wanted.everybody = true
    },
    /** Who is wanted so far; from now on nobody is. */
    take() {
      const taken = wanted
      wanted = { everybody: false, tags: new Set() }
      return taken
    },
  }
}

/** Two kinds of work that exclude each other. */
export type InTurn = {
  readonly everything: () => Promise<void>
  /** Leaves it to who is at it, if somebody is. */
  readonly whatIsDue: () => Promise<void>
}

/**
 * Runs two kinds of work one at a time. All who ask for everything while something runs share the next run, which sees
 * what they have done.
 */
export function inTurn(everything: () => Promise<void>, whatIsDue: () => Promise<void>): InTurn {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function start(work: () => Promise<void>): Promise<void> {
    running = work().finally(() => (running = undefined))
    return running
  }

  function startNext(): Promise<void> {
    next = undefined
    return start(everything)
  }

  return {
    everything(): Promise<void> {
      if (next !== undefined) return next
      if (running === undefined) return start(everything)
      next = running.catch(ignore).then(startNext)
      return next
    },
    async whatIsDue(): Promise<void> {
      if (running === undefined && next === undefined) await start(whatIsDue)
    },
  }
}

function ignore(): void {
  // a failed run has told its own caller
}
