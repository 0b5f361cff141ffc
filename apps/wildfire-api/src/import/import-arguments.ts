import { located, refuseOverwriting } from '@hearth/chassis/importing/file-paths'
import { reasonOf, UsageError } from '@hearth/chassis/importing/import-error'
import { parseArgs } from 'node:util'

/** What an import is asked to do. */
export type ImportArguments = {
  readonly nri: string | undefined
  readonly wrc: string | undefined
  /** Release of the WRC file where its name does not say it. */
  readonly wrcRelease: string | undefined
  readonly report: string | undefined
  readonly minRows: number | undefined
  readonly maxRejected: number
  readonly dryRun: boolean
}

export const importUsage = `Usage: npm run import -w @hearth/wildfire-api -- [--nri FILE|URL] [--wrc FILE|URL] [options]

  --nri FILE|URL        county table of FEMA's National Risk Index: the zip or the CSV, v1.18 to v1.20
  --wrc FILE|URL        county table of USDA Wildfire Risk to Communities: the workbook (xlsx) or a CSV of it
  --wrc-release DATE    its release, such as 2026-04-15, where the file name does not say it
  --report FILE         where lines that are not taken are listed with reasons, made anew by each
                        import (DATA_DIR/import-report.csv)
  --max-rejected N      publish although up to N lines are faulty (0)
  --min-rows N          for extracts: be content with N counties (3100), and do not expect every state
  --dry-run             check everything and publish nothing

Files are checked whole before anything is published, and the data served until then stay served if anything is
wrong. On the embedded database (no DATABASE_URL) the service must be stopped first.

Exit codes: 0 published or nothing new, 1 refused or failed, 2 wrong arguments.`

/**
 * @param from where relative paths start; they stay relative unless given
 * @throws UsageError when the arguments are not those of {@link importUsage}
 */
export function parseImportArguments(args: readonly string[], from?: string): ImportArguments | 'help' {
  const { values } = parse(args)
  if (values.help) return 'help'
  if (values.nri === undefined && values.wrc === undefined) {
    throw new UsageError('There is nothing to import: give --nri, --wrc or both.')
  }
  const wrcRelease = values['wrc-release']
  if (wrcRelease !== undefined && !/^\d{4}-\d\d(-\d\d)?$/.test(wrcRelease)) {
    throw new UsageError(`--wrc-release ${wrcRelease} is not a date; expected one such as 2026-04-15.`)
  }
  const minRows = values['min-rows']
  const [nri, wrc, report] = [values.nri, values.wrc, values.report].map(
    (path) => path && located(path, from),
  )
  refuseOverwriting(
    report,
    [nri, wrc].filter((file) => file !== undefined),
  )
  return {
    ...{ nri, wrc, wrcRelease, report },
    minRows: minRows === undefined ? undefined : count('min-rows', minRows),
    maxRejected: count('max-rejected', values['max-rejected']),
    dryRun: values['dry-run'],
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ nri: text, wrc: text, 'wrc-release': text, report: text, 'min-rows': text },
        'max-rejected': { type: 'string', default: '0' },
        'dry-run': flag,
        help: { ...flag, short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(reasonOf(error))
  }
}

function count(name: string, value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new UsageError(`--${name} ${value} is not a number of lines.`)
  return Number(value)
}
