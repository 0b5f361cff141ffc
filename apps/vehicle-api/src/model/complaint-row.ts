import { isoDate, yearOf } from './dates.ts'
import { canonicalVehicle, isModelYear, type CanonicalVehicle } from './names.ts'

/** What one line of the complaint file says: one component of one complaint about one vehicle. */
export type ComplaintRow = Pick<CanonicalVehicle, 'make' | 'model' | 'makeName' | 'modelName' | 'trim'> & {
  /** CMPLID: its place in the file. It changes between publications, so it orders rows and is nothing more. */
  readonly place: number
  /** ODI number, digits. */
  readonly odi: string
  readonly year: number
  /** COMPDESC as in the file. */
  readonly component: string
  /** CDESCR as in the file. */
  readonly narrative: string
  /** LDATE, or DATEA where that is missing or cannot be; null where neither can. The official file always has LDATE. */
  readonly dateReported: string | null
  readonly dateIncident: string | null
  readonly purchaseDate: string | null
  readonly crash: boolean
  readonly fire: boolean
  readonly injuries: number
  readonly deaths: number
  /** MILES where it is 1 to 400,000. */
  readonly mileage: number | null
  readonly state: string | null
  readonly vin: string | null
}

/** Why a line is not taken. */
export type Refusal = {
  readonly reason: string
  /** False for what is left out on purpose. */
  readonly isFault: boolean
}

/** Fewer columns are not a complaint: the file has had 46 since 2007, and has had columns added at its end since. */
export const fewestColumns = 46

/** Positions in the file, from 0. */
const at = {
  ...{
    cmplid: 0,
    odi: 1,
    make: 3,
    model: 4,
    year: 5,
    crash: 6,
    incident: 7,
    fire: 8,
    injured: 9,
    deaths: 10,
  },
  ...{ component: 11, state: 13, vin: 14, added: 15, received: 16, miles: 17, narrative: 19, purchase: 22 },
  product: 45,
} as const

/**
 * Reads the columns of a line of the complaint file.
 *
 * @param currentYear model years more than two years ahead of it cannot be
 */
export function readComplaintRow(cells: readonly string[], currentYear: number): ComplaintRow | Refusal {
  if (cells.length < fewestColumns) {
    return fault(
      `The line has ${cells.length} columns; expected ${fewestColumns} or more, separated by tabs.`,
    )
  }
  const cell = (name: keyof typeof at): string => cells[at[name]] ?? ''
  const odi = cell('odi').trim()
  if (!/^[1-9]\d{0,8}$/.test(odi)) return fault(`Column 2, ODINO, is ${quoted(odi)}; expected a number.`)
  const product = cell('product').trim()
  if (product !== 'V') return otherProduct(product)
  const year = Number(cell('year'))
  if (!isModelYear(year, currentYear))
    return leftOut(`The model year ${quoted(cell('year').trim())} cannot be.`)
  const vehicle = canonicalVehicle(cell('make'), cell('model'))
  if ('reason' in vehicle) return leftOut(vehicle.reason)
  const incident = isoDate(cell('incident'))
  const dateReported = reportDate(cell('received'), year) ?? reportDate(cell('added'), year)
  // Named one by one: spreading takes several times as long.
  // prettier-ignore
  return {
    make: vehicle.make, model: vehicle.model, makeName: vehicle.makeName, modelName: vehicle.modelName,
    trim: vehicle.trim, odi, year, dateReported, place: wholeNumber(cell('cmplid')),
    component: cell('component'), narrative: cell('narrative'),
    dateIncident: isPlausible(incident, dateReported, year) ? incident : null,
    purchaseDate: isoDate(cell('purchase')),
    crash: isYes(cell('crash')),
    fire: isYes(cell('fire')),
    injuries: Math.min(mostInjured, wholeNumber(cell('injured'))),
    deaths: deathsOf(wholeNumber(cell('deaths'))),
    mileage: mileageOf(wholeNumber(cell('miles'))),
    state: stateOf(cell('state')),
    vin: vinOf(cell('vin')),
  }
}

/** Make, model and year of a line as they stand in it, for messages. */
export function vehicleOfRow(cells: readonly string[]): string {
  const words = [cells[at.make], cells[at.model], cells[at.year]].map((cell = '') => cell.trim().slice(0, 60))
  return words.filter((word) => word !== '').join(' ')
}

const mostInjured = 50
/** More deaths than this, such as 99, are slips of the keyboard. */
const mostDeaths = 19
export const mostMiles = 400_000

function fault(reason: string): Refusal {
  return { reason, isFault: true }
}

function leftOut(reason: string): Refusal {
  return { reason, isFault: false }
}

const otherProducts: Readonly<Record<string, string>> = { T: 'tyres', E: 'equipment', C: 'child restraints' }

function otherProduct(product: string): Refusal {
  const name = otherProducts[product]
  return name === undefined
    ? fault(`Column 46, PROD_TYPE, is ${quoted(product)}; expected V, T, E or C.`)
    : leftOut(`It is about ${name}, not a vehicle.`)
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

/** Nobody complains of a vehicle more than two years before its model year: such dates, of 1901 say, are slips. */
function reportDate(text: string, modelYear: number): string | null {
  const date = isoDate(text)
  return date === null || isBeforeVehicle(date, modelYear) ? null : date
}

/** Vehicles are on the road from the year before their model year on, the first of them a little earlier. */
function isBeforeVehicle(date: string, modelYear: number): boolean {
  return yearOf(date) < modelYear - 2
}

/** Incidents lie at most a day after the complaint and two years before the model year. */
function isPlausible(incident: string | null, reported: string | null, modelYear: number): boolean {
  if (incident === null || isBeforeVehicle(incident, modelYear)) return false
  return reported === null || incident <= reported || incident === dayAfter(reported)
}

function dayAfter(date: string): string {
  const next = new Date(`${date}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}

function wholeNumber(text: string): number {
  if (text === '' || text === '0') return 0
  const trimmed = text.trim()
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : 0
}

function deathsOf(count: number): number {
  return count > mostDeaths ? 0 : count
}

function mileageOf(miles: number): number | null {
  return miles >= 1 && miles <= mostMiles ? miles : null
}

function isYes(text: string): boolean {
  return text === 'Y' || (text !== 'N' && text.trim().toUpperCase() === 'Y')
}

function stateOf(text: string): string | null {
  const state = text.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(state) ? state : null
}

/** Letters I, O and Q do not occur in a VIN; a shorter one is of no use. */
function vinOf(text: string): string | null {
  const vin = text.trim().toUpperCase().slice(0, 11)
  return /^[A-HJ-NPR-Z0-9]{11}$/.test(vin) ? vin : null
}
