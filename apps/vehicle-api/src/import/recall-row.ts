import type { Rejection } from '@hearth/chassis/importing/report'
import { isoDate } from '../model/dates.ts'
import { canonicalVehicle, isModelYear, type CanonicalVehicle } from '../model/names.ts'
import { longLine } from './read-lines.ts'
import { cleanText } from '../model/text/clean-narrative.ts'

/** What a line of a recall file says: a campaign, a vehicle and a component. */
export type RecallRecord = Pick<CanonicalVehicle, 'make' | 'model' | 'makeName' | 'modelName'> & {
  readonly year: number
  /** Campaign number of the authority: `02V288000`. */
  readonly campaign: string
  readonly manufacturer: string | null
  /** When the authority received the report, `YYYY-MM-DD`. */
  readonly received: string | null
  /** Component paths as in the file. */
  readonly components: readonly string[]
  readonly summary: string | null
  readonly consequence: string | null
  readonly remedy: string | null
  readonly notes: string | null
  /** Units of the whole campaign, over all its vehicles; null when unknown. */
  readonly units: number | null
  readonly doNotDrive: boolean
  readonly parkOutside: boolean
}

/** Why a line is not taken. */
export type Refused = Omit<Rejection, 'line'>

/** The texts of a recall, wherever they come from. */
export type RecallTexts = Readonly<Record<'campaign' | 'make' | 'model' | 'year', string>>

const fewestColumns = 24

/** Positions in the flat file, from 0; the last two came in 2025. */
const at = {
  ...{ campaign: 1, make: 2, model: 3, year: 4, component: 6, manufacturer: 7, type: 10, units: 11 },
  ...{ received: 15, summary: 19, consequence: 20, remedy: 21, notes: 22, doNotDrive: 27, parkOutside: 28 },
} as const

/** Reads a line of the flat file. @param cells undefined for a line that is too long */
export function readRecallRow(
  cells: readonly string[] | undefined,
  currentYear: number,
): RecallRecord | Refused {
  if (cells === undefined) return { subject: '', reason: longLine, isFault: true }
  if (cells.length < fewestColumns) {
    const reason = `The line has ${cells.length} columns; expected ${fewestColumns} or more, separated by tabs.`
    return { subject: '', reason, isFault: true }
  }
  const cell = (name: keyof typeof at): string => (cells[at[name]] ?? '').trim()
  const texts = { campaign: cell('campaign'), make: cell('make'), model: cell('model'), year: cell('year') }
  const type = cell('type').toUpperCase()
  if (type !== '' && type !== 'V')
    return leftOut(texts, `It is about ${products[type] ?? 'other products'}, not a vehicle.`)
  const vehicle = recalledVehicle(texts, currentYear)
  if ('reason' in vehicle) return vehicle
  return {
    ...vehicle,
    ...{ manufacturer: textOrNull(cell('manufacturer')), received: isoDate(cell('received')) },
    components: cell('component') === '' ? [] : [cell('component')],
    ...{ summary: textOrNull(cell('summary')), consequence: textOrNull(cell('consequence')) },
    ...{ remedy: textOrNull(cell('remedy')), notes: textOrNull(cell('notes')) },
    units: unitsOf(cell('units')),
    ...{ doNotDrive: isYes(cell('doNotDrive')), parkOutside: isYes(cell('parkOutside')) },
  }
}

const products: Readonly<Record<string, string>> = {
  ...{
    T: 'tyres',
    E: 'equipment',
    C: 'child restraints',
    I: 'an inconsequential matter',
    X: 'other products',
  },
}

/** The campaign and the vehicle of a recall, or why it is not taken. */
export function recalledVehicle(
  texts: RecallTexts,
  currentYear: number,
): Pick<RecallRecord, 'campaign' | 'make' | 'model' | 'makeName' | 'modelName' | 'year'> | Refused {
  const campaign = texts.campaign.toUpperCase()
  if (!/^\d\d[A-Z][\dA-Z]{3}(?:[\dA-Z]{3})?$/.test(campaign)) {
    const reason = `The campaign number is ${JSON.stringify(texts.campaign.slice(0, 40))}; expected one like 02V288000.`
    return { subject: subjectOf(texts), reason, isFault: true }
  }
  if (!/^\d\d[VI]/.test(campaign)) return leftOut(texts, `The campaign ${campaign} is not about vehicles.`)
  if (!isModelYear(Number(texts.year), currentYear))
    return leftOut(texts, `The model year ${texts.year} cannot be.`)
  const vehicle = canonicalVehicle(texts.make, texts.model)
  if ('reason' in vehicle) return leftOut(texts, vehicle.reason)
  const { make, model, makeName, modelName } = vehicle
  return {
    campaign: campaign.padEnd(9, '0'),
    ...{ make, model, makeName, modelName, year: Number(texts.year) },
  }
}

function leftOut(texts: RecallTexts, reason: string): Refused {
  return { subject: subjectOf(texts), reason, isFault: false }
}

function subjectOf({ make, model, year }: RecallTexts): string {
  return [make, model, year].map((text) => text.slice(0, 60)).join(' ')
}

/** Text in order, or null when there is none. */
export function textOrNull(text: string): string | null {
  return cleanText(text) || null
}

function unitsOf(text: string): number | null {
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null
}

/** `Y`, `Yes`, `true`. */
export function isYes(text: string): boolean {
  return /^(?:y|yes|true|1)$/i.test(text)
}
