import { copyLine } from '@hearth/chassis/copy-line'
import type { ComplaintRecord } from '../model/complaint-record.ts'
import type { CopyForm } from './batch.ts'

/** How complaints are put into their table. */
export const complaintForm: CopyForm<ComplaintRecord> = {
  line: complaintLine,
  dateOf: ({ dateReported, dateIncident }) => dateReported ?? dateIncident,
}

/** What a complaint is called until several vehicles of one ODI number are told apart. */
export function idOf({ odi }: Pick<ComplaintRecord, 'odi'>): string {
  return `cmp_${odi}`
}

/** A complaint as a row of the table `complaint`. */
export function complaintLine(record: ComplaintRecord): string {
  const { response } = record
  // prettier-ignore
  return copyLine([
    idOf(record), record.odi, record.make, record.model, record.year, record.trim,
    record.dateReported, listedOn(record), record.dateIncident, record.category, record.categories,
    record.categorySource, record.component, record.components,
    record.description, record.rawDescription, record.mileage, record.mileageSource,
    record.crash, record.fire, record.injuries, record.deaths,
    record.repairCost, record.repairCostKind, record.repairDescription, record.repairAttempted,
    record.purchaseDate, response === null ? null : JSON.stringify(response), record.state, record.vin,
    record.severity, record.weight, record.makeName, record.modelName,
  ])
}

/** Complaints whose file has no date at all count as older than any other. */
export function listedOn({ dateReported, dateIncident }: ComplaintRecord): string {
  return dateReported ?? dateIncident ?? '0001-01-01'
}
