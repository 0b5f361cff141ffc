import type { Rejection } from '@hearth/chassis/importing/report'
import { canonicalVehicle, isModelYear } from '../model/names.ts'
import { readTable, type TableRow } from './csv-table.ts'
import type { TableReading } from './rating-file.ts'
import type { Batch } from './batch.ts'

/** Units of a model year that were produced, sold or registered. */
export type SaleRecord = {
  readonly make: string
  readonly model: string
  readonly year: number
  readonly units: number
  /** Where the number is from. */
  readonly source: string
}

/** Units of trims are given apart by some; none of them sells more in a year. */
const mostUnits = 5_000_000

/**
 * The sales in a table of the operator's own: `make, model, year, units` and, if it likes, `source`, in any order.
 *
 * @throws ImportError (from the iteration) when a column is missing
 */
export async function* readSales(
  path: string,
  { currentYear, onProgress }: TableReading,
): AsyncGenerator<Batch<SaleRecord>> {
  const required = [
    ['MAKE'],
    ['MODEL'],
    ['YEAR', 'MODEL_YEAR', 'MODELYEAR'],
    ['UNITS', 'SALES', 'PRODUCTION', 'VOLUME'],
  ] as const
  const name = 'a table of sales with the columns make, model, year and units'
  for await (const rows of readTable(path, { required, name, onProgress })) {
    const records: SaleRecord[] = []
    const rejections: Rejection[] = []
    for (const row of rows) {
      const sale = readSale(row, currentYear)
      if ('reason' in sale) rejections.push({ line: row.line, ...sale })
      else records.push(sale)
    }
    yield { lines: rows.length, records, rejections }
  }
}

function readSale({ cell }: TableRow, currentYear: number): SaleRecord | Omit<Rejection, 'line'> {
  const [yearText, unitsText] = [cell('YEAR'), cell('UNITS')]
  const subject = [cell('MAKE'), cell('MODEL'), yearText].join(' ').trim()
  const faulty = (reason: string) => ({ subject, reason, isFault: true })
  const year = Number(yearText)
  if (!/^\d{4}$/.test(yearText) || !isModelYear(year, currentYear)) {
    return faulty(`The model year is ${JSON.stringify(yearText)}; expected 1950 to ${currentYear + 2}.`)
  }
  const units = Number(unitsText.replaceAll(/(?<=\d)[,_'](?=\d{3}(?:\D|$))/g, ''))
  if (unitsText === '' || !(units > 0 && units <= mostUnits)) {
    return faulty(
      `The units are ${JSON.stringify(unitsText)}; expected a number above 0, ${mostUnits} at most.`,
    )
  }
  const vehicle = canonicalVehicle(cell('MAKE'), cell('MODEL'))
  if ('reason' in vehicle) return faulty(vehicle.reason)
  return { make: vehicle.make, model: vehicle.model, year, units, source: cell('SOURCE') || 'sales' }
}
