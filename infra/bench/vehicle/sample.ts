import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { seededRandom } from '../../seeded-random.ts'
import { sampleModels, type Model } from './catalogue.ts'
import { complaintLines } from './complaints.ts'

/*
 * Writes the sample data of vehicle-api, about makes that do not exist, in the official formats:
 * `npm run generate -w @hearth/vehicle-api`. The same files come out each time.
 */

const directory = process.argv[2]
if (directory === undefined) throw new Error('Expected the directory for the files.')
mkdirSync(directory, { recursive: true })
const random = seededRandom(20_241_231)
write('sample-complaints.txt.gz', gzipSync(complaints(4_500), { level: 9 }))
write('sample-recalls.txt', recalls())
write('sample-ratings.csv', ratings())
write('sample-sales.csv', sales())

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(directory ?? '', name), content)
}

function complaints(count: number): string {
  const lastDay = Math.floor(Date.UTC(2024, 11, 30) / 86_400_000)
  const lines = complaintLines({ models: sampleModels, random, firstOdi: 90_000_001, lastDay })
  return Array.from({ length: count }, () => lines.next().value as string).join('')
}

/** One campaign for every defect, and one of a few years for each model without. */
function recalls(): string {
  let record = 0
  return sampleModels
    .flatMap((model, at) => {
      const campaign = `${20 + (at % 5)}V${String(900 + at)}000`
      const defects = model.defects.map(({ system, from, to, symptom }) => ({ system, from, to, symptom }))
      const usual = { system: 'electrical', from: model.firstYear, to: model.firstYear + 1, symptom: '' }
      return [...defects, ...(defects.length === 0 && at % 2 === 0 ? [usual] : [])].flatMap((defect) =>
        years(defect.from, defect.to).map((year) => recallLine(++record, model, year, campaign, defect)),
      )
    })
    .join('')
}

function recallLine(
  record: number,
  { make, manufacturer, model, thousands }: Model,
  year: number,
  campaign: string,
  { system, symptom }: { readonly system: string; readonly symptom: string },
): string {
  const received = `20${campaign.slice(0, 2)}0612`
  const text = symptom === '' ? 'a wire may chafe' : symptom
  const cells = [
    ...[record, campaign, make.toUpperCase(), model.toUpperCase(), year, '', system.toUpperCase()],
    ...[manufacturer, '', '', 'V', Math.round(thousands * 1000), '', 'MFR', manufacturer, received, received],
    ...['', '', `${manufacturer} is recalling certain ${year} ${make} ${model} vehicles: ${text}.`],
    ...['The risk of a crash increases.', 'Dealers will inspect and repair the vehicle, free of charge.'],
    ...['Invented for the sample data.', '', '', '', '', 'No', 'No'],
  ]
  return `${cells.join('\t')}\r\n`
}

function ratings(): string {
  const header =
    'MAKE,MODEL,MODEL_YR,BODY_STYLE,VEHICLE_TYPE,DRIVE_TRAIN,CURB_WEIGHT,OVERALL_STARS,OVERALL_FRNT_STARS,OVERALL_SIDE_STARS,ROLLOVER_STARS,ROLLOVER_POSSIBILITY,STATIC_STABI_FACTOR'
  const rows = sampleModels.flatMap(({ make, model, firstYear, lastYear }, at) => {
    const body = at % 3 === 0 ? 'SEDAN' : at % 3 === 1 ? 'SUV' : 'PICKUP'
    const drives = at % 2 === 0 ? ['FWD', 'AWD'] : ['RWD']
    return years(firstYear, lastYear).flatMap((year) =>
      drives.map((drive) => {
        const stars = 3 + ((at + year) % 3)
        const factor = (1.15 + (at % 5) * 0.08).toFixed(2)
        const type = body === 'SEDAN' ? 'PC' : 'LTV'
        const cells = [make.toUpperCase(), model.toUpperCase(), year, body, type, drive, 2_900 + at * 180]
        return [
          ...cells,
          stars,
          stars,
          Math.min(5, stars + 1),
          stars,
          `${10 + at}.${year % 10}`,
          factor,
        ].join(',')
      }),
    )
  })
  return [header, ...rows, ''].join('\r\n')
}

/** Every model but the last has sales, so that both ways to estimate exposure can be seen. */
function sales(): string {
  const rows = sampleModels.slice(0, -1).flatMap(({ make, model, thousands, firstYear, lastYear }, at) =>
    years(firstYear, lastYear).map((year) => {
      const units = Math.round(thousands * 1000 * (0.7 + ((year * 7 + at * 3) % 7) / 10))
      return [make, model, year, units, 'invented'].join(',')
    }),
  )
  return ['make,model,year,units,source', ...rows, ''].join('\r\n')
}

function years(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
