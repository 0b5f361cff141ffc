import { seededRandom } from '@hearth/infra/seeded-random'
import { categories, type Category } from '../src/model/category.ts'
import { severityWeight, systemWeight } from '../src/model/severity.ts'

/** A row of the table `complaint`. */
export type FixtureComplaint = {
  readonly id: string
  readonly odi: string
  readonly make: string
  readonly model: string
  readonly year: number
  readonly trim: string | null
  readonly date_reported: string
  readonly listed_on: string
  readonly date_incident: string | null
  readonly category: Category
  readonly categories: readonly Category[]
  readonly category_source: string
  readonly component: string
  readonly components: readonly string[]
  readonly description: string
  readonly raw_description: string | null
  readonly mileage: number | null
  readonly mileage_source: string | null
  readonly crash: boolean
  readonly fire: boolean
  readonly injuries: number
  readonly deaths: number
  readonly repair_cost: number | null
  readonly repair_cost_kind: string | null
  readonly repair_description: string
  readonly repair_attempted: boolean | null
  readonly purchase_date: string | null
  readonly response: object | null
  readonly state: string | null
  readonly vin: string | null
  readonly severity: number
  readonly weight: number
}

/** Make, model, its first and last year, and complaints per year. Aldera's are those of the sample data. */
const vehicles = [
  ['Aldera', 'Corvane', 2014, 2020, 70],
  ['Aldera', 'Tessaro', 2016, 2019, 25],
  ['Aldera', 'Minnow', 2017, 2017, 3],
  ['Aldera', 'Rarissimo-200', 2015, 2016, 6],
  ['Chevrolet', 'Silverado 1500', 2015, 2018, 20],
  ['Ford', 'F-150', 2016, 2018, 30],
  ['Mercedes-Benz', 'C-Class', 2015, 2016, 12],
  ['Volkswagen', 'Golf', 2016, 2018, 15],
] as const

/** Complaints that a seed repeats. Many share their date or their mileage, and a third have no mileage. */
export function fixtureComplaints(seed: number): FixtureComplaint[] {
  const random = seededRandom(seed)
  let odi = 90_000_000
  return vehicles.flatMap(([make, model, first, last, perYear]) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at).flatMap((year) =>
      Array.from({ length: perYear }, () =>
        complaint(random, String((odi += 1)), { make: keyOf(make), model: keyOf(model), year }),
      ),
    ),
  )
}

/** As vehicleKey would have it. */
export function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** How makes and models are shown. */
export function fixtureSpellings(complaints: readonly FixtureComplaint[]) {
  return vehicles.map(([make_name, model_name]) => {
    const [make, model] = [keyOf(make_name), keyOf(model_name)]
    const own = complaints.filter((one) => one.make === make && one.model === model)
    return { make, model, make_name, model_name, complaints: own.length }
  })
}

type Vehicle = Pick<FixtureComplaint, 'make' | 'model' | 'year'>

function complaint(random: () => number, odi: string, vehicle: Vehicle): FixtureComplaint {
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)]
    if (value === undefined) throw new Error('There is nothing to pick from.')
    return value
  }
  // Minnows only have trouble with their engines, so that nine categories have none.
  const category = vehicle.model === 'minnow' ? 'engine' : pick(categories)
  const all = [...new Set([category, pick(categories)])]
  const harm = {
    crash: random() < 0.1,
    fire: random() < 0.03,
    injuries: random() < 0.05 ? 2 : 0,
    deaths: random() < 0.01 ? 1 : 0,
  }
  const mileage = random() < 1 / 3 ? null : 1_000 * Math.ceil(random() * 60)
  const repair_cost = random() < 0.4 ? 50 * Math.ceil(random() * 60) : null
  const received = dayAfter(vehicle.year + 2, random() * 40)
  const isKnown = random() < 0.9
  const severity = severityWeight(harm)
  return {
    ...{ id: `cmp_${odi}`, odi, ...vehicle, category, categories: all, ...harm, mileage, repair_cost },
    trim: pick([null, 'Hybrid']),
    ...{ date_reported: received, listed_on: received },
    date_incident: isKnown ? dayAfter(vehicle.year + 1, random() * 300) : null,
    category_source: pick(['component', 'narrative']),
    component: `${category} part ${pick([1, 2, 3, 4, 5, 6, 7])}`,
    components: all.map((one) => one.toUpperCase()),
    description: pick(descriptions),
    raw_description: pick([null, 'TL* THE CONTACT OWNS A VEHICLE. *TR']),
    mileage_source: mileage === null ? null : pick(['reported', 'narrative']),
    repair_cost_kind: repair_cost === null ? null : pick(['paid', 'quoted']),
    repair_description: repair_cost === null ? '' : `The repair cost $${repair_cost}.`,
    repair_attempted: pick([true, false, null]),
    purchase_date: random() < 0.05 ? dayAfter(vehicle.year, random() * 300) : null,
    response: random() < 0.1 ? response : null,
    state: pick(['CA', 'TX', null]),
    vin: pick(['1ALDERA8XJC', null]),
    severity,
    weight: severity * systemWeight(all),
  }
}

function dayAfter(year: number, days: number): string {
  return new Date(Date.UTC(year, 0, 1 + Math.floor(days))).toISOString().slice(0, 10)
}

const descriptions = [
  'The engine stalls at low speed, "every day", and the dealer finds nothing.',
  '=HYPERLINK("http://example.com") is what the owner wrote.',
  'Zwölf Mal beim Händler gewesen, nichts gefunden.',
] as const

const response = { type: 'recall', reference: '18V123000', date: '2018-05-01', summary: 'It was recalled.' }

const corvane = { make: 'aldera', model: 'corvane', year: 2018 }
const names = { make_name: 'Aldera', model_name: 'Corvane' }

/** Rows of the other tables by their plain names. Of the Quillon nothing is known but a recall. */
export const otherRows = {
  similar: [{ id: 'cmp_90000001', count: 12, ids: ['cmp_90000002', 'cmp_90000003'] }],
  issue: [
    {
      ...{ ...corvane, rank: 1, id: 'iss_1', category: 'engine', phrase: 'oil leak' },
      ...{ description: 'oil leak (20 reports)', frequency: 'very_common', report_count: 20 },
      ...{ avg_repair_cost: 812.5, cost_estimated: false },
    },
    {
      ...{ ...corvane, rank: 2, id: 'iss_2', category: 'brakes', phrase: 'soft pedal' },
      ...{ description: 'soft pedal (4 reports)', frequency: 'occasional', report_count: 4 },
      ...{ avg_repair_cost: null, cost_estimated: true },
    },
  ],
  recall: [
    recall('18V123000', '2018-05-01', { units: 12_000, do_not_drive: true }),
    recall('19V001000', '2019-01-10', { units: null, do_not_drive: false }),
    {
      ...recall('20V777000', null, { units: 5, do_not_drive: false }),
      ...{ model: 'quillon', model_name: 'Quillon', year: 2020 },
    },
  ],
  rating: [
    rating('Corvane AWD', 5, 'AWD'),
    rating('Corvane FWD', 4, 'FWD'),
    { ...rating('Tessaro', null, 'RWD'), model: 'tessaro', model_name: 'Tessaro' },
  ],
  sale: [2014, 2015, 2016, 2017, 2018, 2019, 2020].flatMap((year) => [
    { make: 'aldera', model: 'corvane', year, units: 40_000, source: 'test' },
    { make: 'ford', model: 'f150', year, units: 500_000, source: 'test' },
    { make: 'volkswagen', model: 'golf', year, units: 60_000, source: 'test' },
  ]),
}

function recall(
  campaign: string,
  received: string | null,
  rest: { readonly units: number | null; readonly do_not_drive: boolean },
) {
  return {
    ...{ ...corvane, ...names, campaign, received, manufacturer: 'Aldera Motors', ...rest },
    components: ['ENGINE', 'FUEL SYSTEM, GASOLINE'],
    ...{ summary: 'It may leak.', consequence: 'A fire.', remedy: 'A new hose.', notes: null },
    park_outside: false,
  }
}

function rating(variant: string, overall: number | null, drive_train: string) {
  return {
    ...{ ...corvane, ...names, variant, overall, drive_train, frontal: 4, side: 5, rollover: null },
    ...{ rollover_possibility: 0.12, static_stability_factor: 1.4, curb_weight: 3_300 },
    ...{ vehicle_type: 'PC', body_style: '4 DR' },
  }
}
