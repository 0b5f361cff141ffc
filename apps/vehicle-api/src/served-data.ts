import type { Database } from '@hearth/chassis/database'
import { unavailable } from '@hearth/chassis/errors'
import { codeOf } from '@hearth/chassis/system-error'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { loadVersion, servedStamp, type ServedVersion } from './served-version.ts'

/** What says which data are served; the answers themselves are read from the tables of that version. */
export type ServedData = {
  /** Whether there is a version to read from. */
  readonly isLoaded: () => boolean
  /** Whether there is none because what was imported has tables of another shape: see tableShape. */
  readonly isUnreadable: () => boolean
  /** Looks whether another data version is served and takes it. Rejected when the database is away. */
  readonly refresh: () => Promise<void>
  /**
   * Makes one answer from one version, the one that is served now. When its tables have just gone because newer
   * data took their place, the answer is made once more, as a whole, from the newer version.
   *
   * @throws HttpError temporarily_unavailable while there is no version to read from
   */
  readonly read: <T>(make: (version: ServedVersion, db: Kysely<unknown>) => Promise<T>) => Promise<T>
  /** Ends the polling. */
  readonly close: () => void
}

/**
 * Follows the served data: asks for the data version each `pollMs` milliseconds and keeps its catalogue in memory.
 * While the database is away the last version stays.
 */
export function openServedData<DB>(options: {
  readonly database: Pick<Database<DB>, 'db' | 'withoutDeadlines'>
  readonly log: Logger
  readonly pollMs?: number
}): ServedData {
  const { database, log, pollMs = 1_000 } = options
  const db = untyped(database.db)
  const { current, isUnreadable, refresh } = followVersions(database, log)
  const served = (): ServedVersion => {
    const version = current()
    if (version === undefined)
      throw unavailable(isUnreadable() ? unreadable : 'There are no vehicle data yet.')
    return version
  }
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => {
      log.debug({ err: error }, 'the data version could not be loaded')
    })
  }, pollMs).unref()
  return {
    isLoaded: () => current() !== undefined,
    ...{ isUnreadable, refresh },
    read: async (make) => {
      const version = served()
      try {
        return await make(version, db)
      } catch (error) {
        if (!isGone(error)) throw error
        await refresh()
        const newer = served()
        if (newer === version) throw error
        return make(newer, db)
      }
    },
    close: () => {
      clearInterval(timer)
    },
  }
}

function followVersions<DB>(database: Pick<Database<DB>, 'db' | 'withoutDeadlines'>, log: Logger) {
  let current: ServedVersion | undefined
  let isUnreadable = false
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const found = await servedStamp(untyped(database.db))
    if ('lacks' in found) {
      if (found.lacks === 'readable data' && !isUnreadable) log.error(unreadable)
      isUnreadable = found.lacks === 'readable data'
      current = undefined
      return
    }
    isUnreadable = false
    if (found.stamp === current?.stamp) return
    const startedAt = performance.now()
    current = await database.withoutDeadlines((patient) => loadVersion(untyped(patient)))
    const { number: dataVersion, catalogue, isSample: sample } = current
    const ms = Math.round(performance.now() - startedAt)
    log.info({ dataVersion, sample, makes: catalogue.makes.size, ms }, 'vehicle data loaded')
  }

  return {
    current: () => current,
    isUnreadable: () => isUnreadable,
    refresh: () =>
      (loading ??= load().finally(() => {
        loading = undefined
      })),
  }
}

/** The tables of a version are in no type: their names change. */
function untyped<DB>(db: Kysely<DB>): Kysely<unknown> {
  return db as unknown as Kysely<unknown>
}

/** For callers, who can but wait, and for the operator, whom they may tell. */
const unreadable =
  'The vehicle data were imported for another version of this service and cannot be read by this one. The operator has to import all files again: npm run import -w @hearth/vehicle-api -- --complaints FILE, with --recalls, --ratings and --sales as before.'

/** SQLSTATE undefined_table: the version of the table was replaced and dropped. */
function isGone(error: unknown): boolean {
  return codeOf(error) === '42P01'
}
