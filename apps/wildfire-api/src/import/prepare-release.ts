import type { QueryExecutorProvider } from 'kysely'
import type { DatasetKind } from '../database.ts'
import type { Release } from '../publish.ts'
import { compareWith, readServed, type Served } from './changes.ts'
import { checkWhole } from './check-whole.ts'
import { fetchFile, refuseChanged, type LocalFile } from '@hearth/chassis/importing/fetch-file'
import type { ImportArguments } from './import-arguments.ts'
import { ImportError } from '@hearth/chassis/importing/import-error'
import { nriTable } from './nri-table.ts'
import { createProgress, type Progress } from '@hearth/chassis/importing/progress'
import { readTable } from './read-table.ts'
import type { Report } from '@hearth/chassis/importing/report'
import { stage, type Staged, type TableKind } from './stage.ts'
import { wrcRelease, wrcTable } from './wrc-table.ts'

/** A county that the service knows. */
export type Place = { readonly code: string }

/** What the preparation of a release needs besides the file. */
export type PreparationOptions = {
  readonly wanted: ImportArguments
  readonly places: readonly Place[]
  readonly report: Report
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Brings a file here, reads and checks it whole, lists what was not taken in the report, and prints what it would
 * change.
 *
 * @returns undefined when this very file is served already
 * @throws ImportError when it may not be published
 */
export async function prepareRelease(
  db: QueryExecutorProvider,
  kind: DatasetKind,
  fileOrUrl: string,
  options: PreparationOptions,
): Promise<Release | undefined> {
  const table = kind === 'nri' ? nriTable : wrcTable
  const { print, printError } = options
  const progress = createProgress(table.name, printError, () => performance.now())
  const file = await fetchFile(fileOrUrl, {
    largestGiB: 1,
    usual: 'the county tables have 5 to 25 MB',
    onProgress: progress.received,
  })
  try {
    const served = await readServed(db, kind)
    if (served?.sha256 === file.sha256) {
      print(`${table.name}: this file is already served (${served.release}).`)
      return undefined
    }
    const staged = await readWhole(table, file, progress, options)
    const release = releaseOf(table, staged, file, options.wanted)
    for (const line of summarise(table, release, file, staged, served, options.report)) print(line)
    const { source, sha256 } = file
    return { kind, release, source, sha256, licence: table.licence, rows: staged.rows }
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    throw new ImportError(
      `${file.source}: ${error.message}\nNothing was changed: what was served is still served.`,
    )
  } finally {
    await file.dispose()
  }
}

async function readWhole(
  table: TableKind,
  file: LocalFile,
  progress: Progress,
  { places, report, wanted }: PreparationOptions,
): Promise<Staged> {
  const known = new Set(places.map(({ code }) => code))
  const lines = readTable(file.path, { sheet: table.sheet, onProgress: progress.read })
  const staged = await stage(table, lines, known, progress.row)
  await refuseChanged(file)
  await report.write(table.kind, staged.rejections)
  checkWhole(table, staged, statesOf(places), wanted)
  return staged
}

/** The District of Columbia has no row with values in one of the tables, so it is not waited for. */
function statesOf(places: readonly Place[]): Set<string> {
  const states = new Set(places.map(({ code }) => code.slice(0, 2)).filter((state) => state < '60'))
  states.delete('11')
  return states
}

function releaseOf(
  table: TableKind,
  staged: Staged,
  file: LocalFile,
  { wrcRelease: given }: ImportArguments,
) {
  const [inFile] = staged.releases
  const text = table.kind === 'nri' ? inFile : (given ?? wrcRelease(file.source))
  if (text !== undefined) return table.releaseOf(text)
  throw new ImportError(
    table.kind === 'nri'
      ? 'No line says in NRI_VER which release it is.'
      : 'The file name does not say which release it is; give it with --wrc-release, such as 2026-04-15.',
  )
}

function summarise(
  { name }: TableKind,
  release: string,
  { source }: LocalFile,
  staged: Staged,
  served: Served | undefined,
  report: Report,
): string[] {
  const { added, changed, gone, same } = compareWith(served, staged.rows)
  return [
    `${name}: ${release}, from ${source}`,
    `  ${staged.read} lines read, ${staged.rows.length} counties taken, ${leftOut(staged, report)}`,
    `  against ${served?.release ?? 'nothing'}: ${added} new, ${changed} changed, ${same} the same, ${gone} gone`,
  ]
}

function leftOut({ rejections }: Staged, { path }: Report): string {
  return rejections.length === 0
    ? 'none left out'
    : `${rejections.length} left out (reasons in ${path}, ${rejections.filter(({ isFault }) => isFault).length} of them faults)`
}
