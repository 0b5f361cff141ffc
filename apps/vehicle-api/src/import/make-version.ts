import { ImportError } from '@hearth/chassis/importing/import-error'
import { createProgress, type Progress } from '@hearth/chassis/importing/progress'
import type { LocalFile } from '@hearth/chassis/importing/fetch-file'
import { tablesOf, type VersionNumbers } from '../data-tables.ts'
import { datasetKinds, type DatasetKind, type ImportSession } from '../database.ts'
import type { ReliabilityFit } from '../model/reliability-fit.ts'
import { buildVersion } from './build-version.ts'
import { checkComplaints, checkRecalls } from './check-complaints.ts'
import { isSmall, openCrew } from './crew.ts'
import type { ImportArguments } from './import-arguments.ts'
import { loadComplaints } from './load-complaints.ts'
import { fetchFiles, type LoadOptions, type Tally } from './load-dataset.ts'
import { loadOther } from './load-other.ts'
import { mineNarratives } from './mine-narratives.ts'
import { narrativesInMemory, openNarrativeFile } from './narrative-file.ts'
import type { LoadedDataset, ServedVersion } from './publish.ts'
import type { ImportContext } from './run-import.ts'
import { finishTables, reserveDataset } from './tables.ts'

/** A version whose tables are filled. */
export type MadeVersion = {
  readonly numbers: VersionNumbers
  /** Datasets that are new in it. */
  readonly loaded: readonly LoadedDataset[]
  readonly fit: ReliabilityFit
}

type Context = ImportContext & { readonly sample: boolean }

/**
 * Makes the tables of the next version from files, and from the datasets that are served where no file is given and
 * their tables can be read.
 *
 * @returns undefined when every file is served already
 * @throws ImportError when a file may not be published
 */
export async function makeVersion(
  session: ImportSession,
  wanted: ImportArguments,
  served: ServedVersion | undefined,
  context: Context,
): Promise<MadeVersion | undefined> {
  // Generated data are not mixed with real ones.
  const before = served?.sample === context.sample ? served : undefined
  const kept = before?.isReadable === true ? before : undefined
  if (kept === undefined) refuseToLose(before, wanted)
  const loaded: LoadedDataset[] = []
  for (const kind of datasetKinds) {
    if (wanted.files[kind].length === 0) continue
    const { [kind]: last } = before?.datasets ?? {}
    const dataset = await loadKind(session, kind, wanted, { last, isKept: kept !== undefined }, context)
    if (dataset !== undefined) loaded.push(dataset)
  }
  if (loaded.length === 0) return undefined
  const numberOf = (kind: DatasetKind) => loaded.find((dataset) => dataset.kind === kind)?.id ?? kept?.[kind]
  const [complaints, recalls, ratings, sales] = datasetKinds.map((kind) => numberOf(kind) ?? null)
  const newest = [...loaded, kept?.datasets.complaints].find((dataset) => dataset?.kind === 'complaints')
  if (complaints == null || newest?.lastDate == null) throw new ImportError('There are no complaints.')
  const numbers: VersionNumbers = {
    ...{ version: (served?.version ?? 0) + 1, complaints },
    ...{ recalls: recalls ?? null, ratings: ratings ?? null, sales: sales ?? null },
  }
  progressOf('statistics', context).step('scoring every model year')
  const { fit, ...built } = await buildVersion(session, numbers, newest.lastDate)
  context.print(`${built.makes} makes, ${built.models} models, ${built.modelYears} model years`)
  if (built.unusedSales !== null) context.print(notEnoughSales(built.unusedSales, fit))
  return { numbers, loaded, fit }
}

function notEnoughSales(sold: number, fit: ReliabilityFit): string {
  const { minimumPopulation, minimumComplaints, minimumAge } = fit
  return `sales: no score rests on them yet. Of the model years with at least ${minimumComplaints} complaints and an age of ${minimumAge} years, ${sold} have sales and ${minimumPopulation} are needed: add those of ${minimumPopulation - sold} more. Until then exposure_basis stays crash_background.`
}

/** What cannot be taken over from a version of another shape has to come from files again. */
function refuseToLose(before: ServedVersion | undefined, { files, allowFewer }: ImportArguments): void {
  const lost = datasetKinds.filter((kind) => before?.datasets[kind] !== undefined && files[kind].length === 0)
  if (lost.length === 0 || (allowFewer && !lost.includes('complaints'))) return
  const sources = lost.map((kind) => `--${kind} (it was ${before?.datasets[kind]?.source})`).join(', ')
  throw new ImportError(
    `The data imported last have tables of another version of this service, which this one cannot take over: all kinds have to be imported again. Give ${sources} as well; to go on without, say --allow-fewer.`,
  )
}

function progressOf(name: string, { printError }: Pick<Context, 'printError'>): Progress {
  return createProgress(name, printError, () => performance.now())
}

async function loadKind(
  session: ImportSession,
  kind: DatasetKind,
  wanted: ImportArguments,
  { last, isKept }: { readonly last: LoadedDataset | undefined; readonly isKept: boolean },
  context: Context,
): Promise<LoadedDataset | undefined> {
  const { print, printError, report, sample } = context
  const { files, sha256, source, dispose } = await fetchFiles(kind, wanted.files[kind], printError)
  try {
    if (isKept && last?.sha256 === sha256) {
      print(`${kind}: this is already served (${last.source}).`)
      return undefined
    }
    const id = await reserveDataset(session.db)
    const { maxRejected } = wanted
    const [currentYear, today] = [context.now.getUTCFullYear(), context.now.toISOString().slice(0, 10)]
    const options: LoadOptions = { report, printError, currentYear, today, maxRejected }
    const load =
      kind === 'complaints' ? complaintLoader(wanted, last, context) : otherLoader(kind, wanted, last)
    const tally = await load(session, id, files, options)
    const { lines, faults, leftOut, firstDate, lastDate, records } = tally
    const reasons = faults + leftOut > 0 ? ` (reasons in ${report.path})` : ''
    print(
      `${kind}: ${records} ${nouns[kind]} from ${lines} lines of ${source}; ${faults} lines faulty, ${leftOut} left out${reasons}`,
    )
    const taken = lines - faults - leftOut
    return { id, kind, sample, source, sha256, lines, taken, refused: faults, records, firstDate, lastDate }
  } finally {
    await dispose()
  }
}

type Loader = (
  session: ImportSession,
  id: number,
  files: readonly LocalFile[],
  options: LoadOptions,
) => Promise<Tally & { readonly records: number }>

function complaintLoader(
  wanted: ImportArguments,
  served: LoadedDataset | undefined,
  context: Context,
): Loader {
  return async (session, id, files, options) => {
    const size = files.reduce((sum, { bytes }) => sum + bytes, 0)
    // The sample is loaded where nothing can be written, too, such as in a container.
    const narratives = isSmall(size) ? narrativesInMemory() : openNarrativeFile()
    const crew = openCrew(size)
    try {
      const tally = await loadComplaints(session, id, files, { ...options, crew, narratives })
      checkComplaints(tally, served, wanted)
      const progress = progressOf('complaints', context)
      progress.step('making indexes, looking for common issues and similar complaints')
      const onRow = (seen: number) => {
        progress.read(seen / tally.complaints)
        progress.row(seen)
      }
      await session.inParallel(
        ({ db }) => finishTables(db, ['complaint', 'spelling'], id),
        (own) => mineNarratives(own, id, { crew, narratives }, tally.complaints, onRow),
      )
      return { ...tally, records: tally.complaints }
    } finally {
      await crew.close()
      narratives.close()
    }
  }
}

function otherLoader(
  kind: Exclude<DatasetKind, 'complaints'>,
  wanted: ImportArguments,
  served: LoadedDataset | undefined,
): Loader {
  return async (session, id, files, options) => {
    const tally = await loadOther(session, id, kind, files, options)
    if (kind === 'recalls') checkRecalls(tally.records, served, wanted)
    await finishTables(session.db, tablesOf[kind], id)
    return tally
  }
}

const nouns = {
  complaints: 'complaints',
  recalls: 'recalls of vehicles',
  ratings: 'rated variants',
  sales: 'model years with sales',
}
