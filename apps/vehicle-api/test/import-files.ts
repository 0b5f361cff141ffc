import { market, sampleModels, type Model } from '@hearth/infra/bench/vehicle/catalogue'
import { complaintLines } from '@hearth/infra/bench/vehicle/complaints'
import { seededRandom } from '@hearth/infra/seeded-random'

/** Vehicles that exist nowhere: the best selling ones of a market, and those of the sample, of which some have defects. */
export const models: readonly Model[] = [...market(seededRandom(11)).slice(0, 12), ...sampleModels]

/** A model year with a defect that owners heard of in one year, in which most complaints about it came in. */
export const wave = { vehicle: 'aldera/corvane/2016', category: 'transmission', year: 2022 } as const

/**
 * Lines of a complaint file of any length in the official format, by ODI number; the same for a seed. The last
 * twentieth is the wave.
 */
export function generatedLines(count: number, seed = 1): string[] {
  const inWave = Math.floor(count / 20)
  const usual = { models, random: seededRandom(seed), firstOdi: 10_000_000, lastDay }
  const known = models.filter(({ make, model }) => `${make}/${model}` === 'Aldera/Corvane')
  const ofWave = {
    models: known.map((model) => ({ ...model, firstYear: 2016, lastYear: 2016 })),
    ...{ random: seededRandom(seed + 1), firstOdi: 20_000_000, lastDay },
  }
  return [
    ...take(complaintLines(usual), count - inWave),
    ...take(complaintLines(ofWave), inWave).map(receivedInWave),
  ]
}

const lastDay = Math.floor(Date.UTC(2026, 8, 30) / 86_400_000)

/** All lines of a complaint come in on one day. */
function receivedInWave(line: string): string {
  const cells = line.split('\t')
  const day = new Date(Date.UTC(wave.year, 0, 1 + (Number(cells[1]) % 365))).toISOString().slice(0, 10)
  cells[7] = cells[15] = cells[16] = day.replaceAll('-', '')
  return cells.join('\t')
}

function take(lines: Iterable<string>, count: number): string[] {
  const taken: string[] = []
  for (const line of lines) {
    if (taken.push(line) >= count) break
  }
  return taken
}

/** Some columns of a line. */
export function readLine(line: string) {
  const cells = line.split('\t')
  const cell = (at: number): string => cells[at] ?? ''
  return {
    odi: cell(1),
    make: cell(3),
    model: cell(4),
    year: cell(5),
    component: cell(11),
    received: cell(16),
  }
}

/**
 * A sales table that spreads the rates of complaints nearly as widely as they are in reality.
 *
 * @param factorOf of a model year by its path
 */
export function salesCsv(factorOf: (path: string) => number = () => 1): string {
  const rows = models.flatMap(({ make, model, thousands, firstYear, lastYear }, index) =>
    Array.from({ length: lastYear - firstYear + 1 }, (_, at) => {
      const year = firstYear + at
      const units = Math.round(1_000 * thousands * (spread[index % spread.length] ?? 1))
      return `${make},${model},${year},${units * factorOf(`${make}/${model}/${year}`.toLowerCase())}\r\n`
    }),
  )
  return `make,model,year,units\r\n${rows.join('')}`
}

const spread = [1, 0.3, 3, 0.6, 1.7]

/** Lines of a recall file: as many campaigns about one model year. */
export function recallLines(count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const cells = Array.from({ length: 29 }, () => '')
    const filled = {
      0: at,
      1: `20V${100 + at}000`,
      2: 'ALDERA',
      3: 'CORVANE',
      4: 2016,
      6: 'POWER TRAIN',
      10: 'V',
    }
    for (const [place, text] of Object.entries({ ...filled, 15: '20200612', 19: 'A CLUTCH MAY SLIP.' })) {
      cells[Number(place)] = String(text)
    }
    return `${cells.join('\t')}\r\n`
  })
}
