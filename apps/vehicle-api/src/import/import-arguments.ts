import { located, refuseOverwriting } from '@hearth/chassis/importing/file-paths'
import { reasonOf, UsageError } from '@hearth/chassis/importing/import-error'
import { parseArgs } from 'node:util'
import { datasetKinds, type DatasetKind } from '../database.ts'

/** What an import is asked to do. */
export type ImportArguments = {
  /** Files or addresses by kind; a kind that is not named stays as it is served. */
  readonly files: Readonly<Record<DatasetKind, readonly string[]>>
  readonly report: string | undefined
  /** Faulty lines that are allowed in each kind; undefined: one in a thousand, ten at least. */
  readonly maxRejected: number | undefined
  /** Percentage of complaints without narrative that is allowed. */
  readonly maxEmpty: number
  /** Whether there may be fewer complaints or recalls, or older complaints, than are served. */
  readonly allowFewer: boolean
  readonly dryRun: boolean
}

export const importUsage = `Usage: npm run import -w @hearth/vehicle-api -- --complaints FILE|URL [options]

  --complaints FILE|URL  NHTSA's complaint file FLAT_CMPL, or COMPLAINTS_RECEIVED_* (give the option once for each)
  --recalls FILE|URL     NHTSA's recall files FLAT_RCL_PRE_2010 and FLAT_RCL_POST_2010, or answers of its API (JSON)
  --ratings FILE|URL     Safercar_data.csv
  --sales FILE|URL       a CSV with the columns make, model, year, units and perhaps source
  --report FILE          where lines that are not taken are listed with reasons, made anew by each
                         import (DATA_DIR/import-report.csv)
  --max-rejected N       publish although up to N lines are faulty (one in a thousand, ten at least)
  --max-empty PERCENT    complaints without narrative that are allowed (10)
  --allow-fewer          publish although there are fewer complaints or recalls than are served, or older ones
  --dry-run              check everything and publish nothing

Files are text, gzip or zip. A kind that is not given stays as it is served. Everything is checked whole before
anything is published, in one step, and the data served until then stay served if anything is wrong. On the embedded
database (no DATABASE_URL) the service must be stopped first.

Exit codes: 0 published or nothing new, 1 refused or failed, 2 wrong arguments.`

/**
 * @param from where relative paths start; they stay relative unless given
 * @throws UsageError when the arguments are not those of {@link importUsage}
 */
export function parseImportArguments(args: readonly string[], from?: string): ImportArguments | 'help' {
  const { values } = parse(args)
  if (values.help) return 'help'
  const place = (path: string) => located(path, from)
  const files = {
    complaints: (values.complaints ?? []).map(place),
    recalls: (values.recalls ?? []).map(place),
    ratings: (values.ratings ?? []).map(place),
    sales: (values.sales ?? []).map(place),
  }
  if (datasetKinds.every((kind) => files[kind].length === 0)) {
    throw new UsageError('There is nothing to import: give --complaints, --recalls, --ratings or --sales.')
  }
  const maxRejected = values['max-rejected']
  const report = values.report && place(values.report)
  refuseOverwriting(report, Object.values(files).flat())
  return {
    ...{ files, report },
    maxRejected: maxRejected === undefined ? undefined : whole('max-rejected', maxRejected, 10_000_000),
    maxEmpty: whole('max-empty', values['max-empty'], 100),
    allowFewer: values['allow-fewer'],
    dryRun: values['dry-run'],
  }
}

function parse(args: readonly string[]) {
  const files = { type: 'string', multiple: true } as const
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ complaints: files, recalls: files, ratings: files, sales: files },
        ...{ report: text, 'max-rejected': text, 'max-empty': { ...text, default: '10' } },
        ...{ 'allow-fewer': flag, 'dry-run': flag, help: { ...flag, short: 'h' } },
      },
    })
  } catch (error) {
    throw new UsageError(reasonOf(error))
  }
}

function whole(name: string, value: string, most: number): number {
  const number = Number(value)
  if (/^\d{1,8}$/.test(value) && number <= most) return number
  throw new UsageError(`--${name} ${value} is not a whole number from 0 to ${most}.`)
}
