import type { Model } from './catalogue.ts'
import { tell } from './narrative.ts'
import { systems, type System, type SystemName } from './systems.ts'

/** What complaints are made from. */
export type ComplaintSource = {
  readonly models: readonly Model[]
  /** 0 to 1; the same sequence gives the same file. */
  readonly random: () => number
  /** ODI number of the first complaint. */
  readonly firstOdi: number
  /** Newest date received, as days since 1970. */
  readonly lastDay: number
}

/**
 * Lines of the complaint file as NHTSA publishes it (51 columns, TAB between them, CRLF behind), without end: what
 * takes as many as it needs gets as many. One ODI number has one to four lines, as there one in four has several.
 */
export function* complaintLines(source: ComplaintSource): Generator<string> {
  const { random, firstOdi, lastDay } = source
  const chooseVehicle = chooser(vehicles(source.models))
  const names = Object.keys(systems) as SystemName[]
  let record = 1
  for (let odi = firstOdi; ; odi++) {
    const { model, year } = chooseVehicle(random())
    const choose = chooser(
      names.map((name) => [name, usual(systems[name]) * times(model, name, year)] as const),
    )
    const name = choose(random())
    const complaint = complain(model, year, name, lastDay, random)
    const paths = [pathOf(systems[name], complaint.received, random)]
    while (random() < 0.2 && paths.length < 4) {
      const path = pathOf(systems[choose(random())], complaint.received, random)
      if (!paths.includes(path)) paths.push(path)
    }
    for (const path of paths) yield line(record++, odi, path, complaint)
  }
}

function usual({ share }: System): number {
  return share
}

function times({ defects }: Model, system: SystemName, year: number): number {
  const defect = defects.find((one) => one.system === system && year >= one.from && year <= one.to)
  return defect?.times ?? 1
}

/** Each model year as often as its vehicles and its defects make complaints. */
function vehicles(models: readonly Model[]): (readonly [{ model: Model; year: number }, number])[] {
  const total = Object.values(systems).reduce((sum, { share }) => sum + share, 0)
  return models.flatMap((model) =>
    Array.from({ length: model.lastYear - model.firstYear + 1 }, (_, at) => {
      const year = model.firstYear + at
      const more = model.defects
        .filter(({ from, to }) => year >= from && year <= to)
        .reduce((sum, { system, times: factor }) => sum + (systems[system].share / total) * (factor - 1), 0)
      const age = Math.min(12, Math.max(0.5, 2025 - year))
      return [{ model, year }, model.thousands * model.rate * age * (1 + more)] as const
    }),
  )
}

function chooser<T>(weighted: readonly (readonly [T, number])[]): (at: number) => T {
  const ends: number[] = []
  let total = 0
  for (const [, weight] of weighted) ends.push((total += weight))
  return (at) => {
    let [low, high] = [0, ends.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) > at * total) high = middle
      else low = middle + 1
    }
    const [chosen] = weighted[low] ?? weighted[0] ?? []
    if (chosen === undefined) throw new Error('There is nothing to choose from.')
    return chosen
  }
}

function complain(model: Model, year: number, name: SystemName, lastDay: number, random: () => number) {
  const system: System = systems[name]
  const onSale = Math.floor((Date.UTC(year, 0, 1) - Date.UTC(1970, 0, 1)) / 86_400_000)
  const failed = Math.floor(onSale + random() * Math.max(200, lastDay - onSale - 1))
  const received = Math.min(lastDay, failed + Math.floor(-40 * Math.log(1 - random())))
  const miles = Math.max(200, Math.round(((failed - onSale) / 365) * 12_000 * (0.5 + random())))
  const known = model.defects.find((one) => one.system === name && year >= one.from && year <= one.to)
  const symptom =
    known !== undefined && random() < 0.7
      ? known.symptom
      : (system.symptoms[Math.floor(random() * system.symptoms.length)] ?? '')
  const speed = 5 * Math.floor(1 + random() * 14)
  const crash = random() < 0.06
  return {
    ...{ model, year, failed: Math.min(failed, lastDay), received, crash, speed },
    fire: random() < 0.025,
    injured: crash && random() < 0.5 ? 1 + Math.floor(random() * 3) : 0,
    deaths: crash && random() < 0.03 ? 1 : 0,
    miles: random() < 0.25 ? miles : 0,
    trim: model.trims[Math.floor(random() * model.trims.length)] ?? '',
    text: tell({ vehicle: model, year, system, symptom, miles, speed }, random),
  }
}

type Complaint = ReturnType<typeof complain>

/** Owners choose a bare label since 2013, and some did so before. */
function pathOf({ paths }: System, received: number, random: () => number): string {
  return paths[received > 15_900 || random() < 0.1 ? 1 : 0]
}

function line(record: number, odi: number, path: string, complaint: Complaint): string {
  const { model, year, received, failed, miles } = complaint
  const vin = `1ZZ${String(odi % 100_000).padStart(5, '0')}${year % 10}AA`
  const flags = [date(failed), complaint.fire ? 'Y' : 'N', complaint.injured, complaint.deaths, path]
  const cells = [
    ...[record, odi, model.manufacturer, model.make.toUpperCase()],
    ...[(model.model + complaint.trim).toUpperCase(), year, complaint.crash ? 'Y' : 'N', ...flags],
    ...[`SPRINGFIELD${' '.repeat(19)}`, 'IL', vin, date(received), date(received), miles || '', ''],
    ...[complaint.text, odi % 3 === 0 ? 'EVOQ' : 'IVOQ', 'N', '', 'N', 'N', 'N', '', '', '', '', ''],
    ...[complaint.speed, '', '', '', '', '', '', '', '', '', '', '', '', '', 'V', '', 'N', 'N', '', ''],
  ]
  return `${cells.join('\t')}\r\n`
}

function date(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
}
