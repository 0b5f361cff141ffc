import type { SystemName } from './systems.ts'

/** A model with invented names, and what is wrong with it. */
export type Model = {
  readonly make: string
  readonly manufacturer: string
  readonly model: string
  /** Cab styles and drives that owners write behind the name. */
  readonly trims: readonly string[]
  readonly firstYear: number
  readonly lastYear: number
  /** Thousand vehicles of a model year on the road. */
  readonly thousands: number
  /** Complaints per thousand vehicle-years, over all systems. */
  readonly rate: number
  readonly defects: readonly Defect[]
}

/** More complaints than usual about a system of some model years. */
export type Defect = {
  readonly system: SystemName
  readonly from: number
  readonly to: number
  /** Times the usual number. */
  readonly times: number
  /** What owners write about it. */
  readonly symptom: string
}

/** The vehicles of the sample data. No such makes exist. */
export const sampleModels: readonly Model[] = [
  of('Aldera', 'Corvane', [2011, 2024], 90, 0.3, [
    {
      ...{ system: 'transmission', from: 2014, to: 2017, times: 9 },
      symptom: 'the dual clutch transmission shuddered and lost drive from a standstill',
    },
  ]),
  of('Aldera', 'Tessaro', [2012, 2024], 60, 0.2, []),
  of('Aldera', 'Pinnock 1500', [2010, 2024], 120, 0.35, [
    {
      ...{ system: 'engine', from: 2011, to: 2014, times: 5 },
      symptom: 'the cam phasers rattled on every cold start',
    },
  ]),
  of('Norrvik', 'NV-40', [2010, 2023], 40, 0.22, []),
  of('Norrvik', 'NV-60', [2013, 2024], 35, 0.28, [
    {
      ...{ system: 'electrical', from: 2016, to: 2018, times: 7 },
      symptom: 'the instrument cluster went dark while driving at night',
    },
  ]),
  of('Okumi', 'Senka', [2009, 2024], 150, 0.14, []),
  of('Okumi', 'Harrow', [2011, 2024], 110, 0.17, [
    {
      ...{ system: 'safety', from: 2019, to: 2021, times: 6 },
      symptom: 'the forward collision system braked hard for no reason at an overpass',
    },
  ]),
  of('Okumi', 'Vela EV', [2018, 2024], 30, 0.3, []),
  of('Castellan', 'Marchmont', [2010, 2022], 20, 0.55, [
    {
      ...{ system: 'suspension', from: 2010, to: 2015, times: 8 },
      symptom: 'the air suspension collapsed on one corner while parked',
    },
  ]),
  of('Castellan', 'Brae', [2014, 2024], 25, 0.4, []),
]

/** A made-up market of many makes, a few of which sell most: as wide as the official file. */
export function market(random: () => number): Model[] {
  return Array.from({ length: 70 }, (_, rank) => modelsOf(rank, random)).flat()
}

function modelsOf(rank: number, random: () => number): Model[] {
  const make = word(random, 2 + Math.floor(random() * 2))
  const count = 3 + Math.floor(random() * 30)
  return Array.from({ length: count }, (_, at) => {
    const firstYear = 1990 + Math.floor(random() * 25)
    const last = Math.min(2026, firstYear + 4 + Math.floor(random() * 25))
    const model = random() < 0.3 ? `${word(random, 1)}-${100 + at * 10}` : word(random, 2)
    const thousands = 400 / (rank + 1) / (at + 1)
    return of(make, model, [firstYear, last], thousands, 0.05 + random() * 0.6, [])
  })
}

function of(
  make: string,
  model: string,
  [firstYear, lastYear]: readonly [number, number],
  thousands: number,
  rate: number,
  defects: readonly Defect[],
): Model {
  const trims = model.endsWith('1500') ? ['', '', ' CREW CAB', ' REGULAR CAB'] : ['', '', '', ' HYBRID']
  const manufacturer = `${make} Motor Company`
  return { make, manufacturer, model, trims, firstYear, lastYear, thousands, rate, defects }
}

function word(random: () => number, syllables: number): string {
  const parts = Array.from({ length: syllables }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)])
  const text = parts.join('')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const SYLLABLES = 'zan vor mel quin tar bex lo ri na du ske pha ol mir jent hal co vue yra wex'.split(' ')
