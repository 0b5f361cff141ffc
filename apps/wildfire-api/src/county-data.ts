import type { Database } from '@hearth/chassis/database'
import { unavailable } from '@hearth/chassis/errors'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { NriValues, WrcValues } from './database.ts'
import { makeSnapshot, type CountyRow, type Snapshot } from './snapshot.ts'

/** The county data in the memory of this process, and what keeps them up to date. */
export type CountyData = {
  /**
   * The data that are served now; one snapshot never changes.
   * @throws HttpError temporarily_unavailable while none was loaded yet
   */
  readonly snapshot: () => Snapshot
  /** Whether there is one. */
  readonly isLoaded: () => boolean
  /** Looks whether another data version is served and loads it. Rejected when the database is away. */
  readonly refresh: () => Promise<void>
  /** Ends the polling. */
  readonly close: () => void
}

/**
 * Keeps the served county data in memory: asks for the number of the data version each `pollMs` milliseconds and
 * loads the new one beside the old one. While the database is away the last snapshot is served.
 */
export function openCountyData<DB>(options: {
  readonly database: Pick<Database<DB>, 'db' | 'withoutDeadlines'>
  readonly log: Logger
  readonly pollMs?: number
}): CountyData {
  const { database, log, pollMs = 1_000 } = options
  let current: Snapshot | undefined
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const stamp = await servedStamp(database)
    if (stamp === undefined || stamp === current?.stamp) return
    const startedAt = performance.now()
    current = await loadSnapshot(database)
    const ms = Math.round(performance.now() - startedAt)
    log.info({ dataVersion: current.version, counties: current.counties.size, ms }, 'county data loaded')
  }

  function refresh(): Promise<void> {
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }

  const timer = setInterval(() => {
    refresh().catch((error: unknown) => {
      log.debug({ err: error }, 'the data version could not be asked for')
    })
  }, pollMs).unref()
  return {
    snapshot: () => {
      if (current === undefined) throw unavailable('The county data are not loaded yet.')
      return current
    },
    isLoaded: () => current !== undefined,
    refresh,
    close: () => {
      clearInterval(timer)
    },
  }
}

async function servedStamp<DB>({ db }: Pick<Database<DB>, 'db'>): Promise<string | undefined> {
  const { rows } = await sql<{
    stamp: string
  }>`select stamp from data_version order by id desc limit 1`.execute(db)
  return rows[0]?.stamp
}

/** One statement, so that an import that commits meanwhile cannot mix two versions. */
async function loadSnapshot<DB>(database: Pick<Database<DB>, 'withoutDeadlines'>): Promise<Snapshot> {
  const query = sql<SnapshotRow>`
    select served.id, served.stamp, wrc.release as wrc_release, nri.release as nri_release,
      county.code, county.name, county.state, county.state_name, county.type,
      county.longitude, county.latitude, county.neighbors,
      to_jsonb(wrc_county) as wrc, to_jsonb(nri_county) as nri
    from (select * from data_version order by id desc limit 1) as served
    cross join county
    left join dataset as wrc on wrc.id = served.wrc_dataset
    left join dataset as nri on nri.id = served.nri_dataset
    left join wrc_county on wrc_county.dataset = wrc.id and wrc_county.code = county.code
    left join nri_county on nri_county.dataset = nri.id and nri_county.code = county.code
    order by county.code`
  const { rows } = await database.withoutDeadlines((db) => query.execute(db))
  const [first] = rows
  if (first === undefined)
    throw new Error('There are no counties in the database; expected the shipped ones.')
  const { id: version, stamp, wrc_release: wrc, nri_release: nri } = first
  return makeSnapshot({ version, stamp, releases: { wrc, nri }, rows })
}

type SnapshotRow = CountyRow & {
  readonly id: number
  readonly stamp: string
  readonly wrc_release: string | null
  readonly nri_release: string | null
  readonly wrc: WrcValues | null
  readonly nri: NriValues | null
}
