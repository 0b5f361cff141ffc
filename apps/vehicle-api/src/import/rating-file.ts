import type { Rejection } from '@hearth/chassis/importing/report'
import { canonicalVehicle, isModelYear, type CanonicalVehicle } from '../model/names.ts'
import { readTable, type TableRow } from './csv-table.ts'
import type { Batch } from './batch.ts'

/** Crash-test stars of a variant of a model year; null is not rated. */
export type RatingRecord = Pick<CanonicalVehicle, 'make' | 'model' | 'makeName' | 'modelName'> & {
  readonly year: number
  /** What sets it apart from the others of the model year: `Sedan, SUV AWD`. */
  readonly variant: string
  /** Stars, 1 to 5. */
  readonly overall: number | null
  readonly frontal: number | null
  readonly side: number | null
  readonly rollover: number | null
  /** Chance of a rollover in a single-vehicle crash, 0 to 1. */
  readonly rolloverPossibility: number | null
  /** Half the track width over the height of the centre of gravity. */
  readonly staticStabilityFactor: number | null
  /** Pounds. */
  readonly curbWeight: number | null
  readonly vehicleType: string | null
  readonly bodyStyle: string | null
  readonly driveTrain: string | null
}

/** How the file is read. */
export type TableReading = {
  /** Model years more than two years ahead of it are left out. */
  readonly currentYear: number
  readonly onProgress?: (share: number) => void
}

/**
 * The rated variants in the authority's table of crash tests (Safercar_data.csv, 128 columns with a header). Rows
 * without any rating, weight or stability are left out.
 *
 * @throws ImportError (from the iteration) when it is not that table
 */
export async function* readRatings(
  path: string,
  { currentYear, onProgress }: TableReading,
): AsyncGenerator<Batch<RatingRecord>> {
  const required = [['MAKE'], ['MODEL'], ['MODEL_YR', 'MODEL_YEAR', 'YEAR'], ['OVERALL_STARS']] as const
  const name = 'the table of crash-test ratings, Safercar_data.csv'
  for await (const rows of readTable(path, { required, name, onProgress })) {
    const records: RatingRecord[] = []
    const rejections: Rejection[] = []
    for (const row of rows) {
      const rating = readRating(row, currentYear)
      if ('reason' in rating) rejections.push({ line: row.line, ...rating })
      else records.push(rating)
    }
    yield { lines: rows.length, records, rejections }
  }
}

type Refused = Omit<Rejection, 'line'>

function readRating({ cell }: TableRow, currentYear: number): RatingRecord | Refused {
  const yearText = cell('MODEL_YR')
  const subject = [cell('MAKE'), cell('MODEL'), yearText].join(' ').trim()
  const year = Number(yearText)
  if (!/^\d{4}$/.test(yearText)) {
    return {
      subject,
      reason: `The model year is ${JSON.stringify(yearText)}; expected four digits.`,
      isFault: true,
    }
  }
  if (!isModelYear(year, currentYear)) return leftOut(subject, `The model year ${year} cannot be.`)
  const vehicle = canonicalVehicle(cell('MAKE'), cell('MODEL'))
  if ('reason' in vehicle) return leftOut(subject, vehicle.reason)
  const results = resultsOf(cell)
  if (Object.values(results).every((value) => value === null)) return leftOut(subject, 'It is not rated.')
  const { make, model, makeName, modelName, trim } = vehicle
  const body = { bodyStyle: text(cell('BODY_STYLE')), driveTrain: text(cell('DRIVE_TRAIN')) }
  const variant = [trim, [body.bodyStyle, body.driveTrain].filter((part) => part !== null).join(' ')]
  return {
    ...{ make, model, makeName, modelName, year, variant: variant.filter(Boolean).join(', ') },
    ...results,
    ...{ vehicleType: text(cell('VEHICLE_TYPE')), ...body },
  }
}

function resultsOf(cell: TableRow['cell']) {
  const rolloverPossibility = positive(cell('ROLLOVER_POSSIBILITY'))
  return {
    overall: stars(cell('OVERALL_STARS')),
    frontal: stars(cell('OVERALL_FRNT_STARS')),
    side: stars(cell('OVERALL_SIDE_STARS')),
    rollover: stars(cell('ROLLOVER_STARS')),
    rolloverPossibility: rolloverPossibility === null ? null : asShare(rolloverPossibility),
    staticStabilityFactor: positive(cell('STATIC_STABI_FACTOR')),
    curbWeight: rounded(positive(cell('CURB_WEIGHT'))),
  }
}

function leftOut(subject: string, reason: string): Refused {
  return { subject, reason, isFault: false }
}

/** Empty and 0 are not rated; so is anything but a whole number of stars. */
function stars(cell: string): number | null {
  const value = Number(cell)
  return cell !== '' && Number.isInteger(value) && value >= 1 && value <= 5 ? value : null
}

function positive(cell: string): number | null {
  const value = Number(cell)
  return cell !== '' && Number.isFinite(value) && value > 0 ? value : null
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}

/** Some rows have percent where others have a share. */
function asShare(value: number): number | null {
  if (value <= 1) return value
  return value <= 100 ? value / 100 : null
}

function text(cell: string): string | null {
  return cell === '' || /^n\/?a$/i.test(cell) ? null : cell
}
