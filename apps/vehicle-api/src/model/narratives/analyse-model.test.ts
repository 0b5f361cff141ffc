import { analyseModel, type ModelContext, type Narrative } from './analyse-model.ts'
import { createBackground } from './background.ts'

/** What people complain about of other vehicles. */
const elsewhere = createBackground(1_000)
for (let index = 0; index < 600; index++) {
  const part =
    ['brakes squeal', 'seat belt stuck', 'paint peels', 'engine stalls', 'battery drains'][index % 5] ?? ''
  elsewhere.add(`other${index}`, `The contact owns a car. The ${part} while driving. It was not repaired.`)
}

const context: ModelContext = {
  ...{ make: 'acme', model: 'comet', names: ['ACME', 'COMET', 'COMET GT'], background: elsewhere },
  categoryCosts: { transmission: 2_500, exterior: 400 },
}

let ids = 0
const told = (text: string, given: Partial<Narrative> = {}): Narrative => ({
  ...{ id: `cmp_${1000 + ids++}`, year: 2014, category: 'transmission', component: 'Power Train' },
  ...{ text, repairCost: null, ...given },
})
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))

const shudders = [
  'TL* THE CONTACT OWNS A 2014 ACME COMET. WHILE DRIVING 40 MPH, THE TRANSMISSION STARTED TO SHUDDER WITHOUT WARNING.',
  'The torque converter causes a terrible shudder at low speed. The dealer said it was normal.',
  'Shudder when accelerating from a stop, as if driving over rumble strips! ACME did nothing.',
]
const complaints = [
  ...times(12, (index) =>
    told(shudders[index % 3] ?? '', { repairCost: index < 6 ? 1_000 * (index + 1) : null }),
  ),
  ...times(4, () =>
    told('The sunroof exploded on the highway.', { category: 'exterior', component: 'Sunroof' }),
  ),
  ...times(2, () => told('The horn plays a waltz.', { category: 'electrical', component: 'Horn' })),
  ...times(7, () => told('', { category: 'electrical', component: 'Wiring' })),
  ...times(75, (index) => told('', { category: 'other', component: `Thing ${index % 50}` })),
  ...times(3, () => told('Sunroof exploded overnight while parked.', { category: 'exterior', year: 2015 })),
]
const { issues, similar } = analyseModel(complaints, context)

function phrasesOf(given: readonly Narrative[]): unknown[] {
  return analyseModel(given, context).issues.map(({ category, phrase, reportCount }) => [
    ...[category, phrase, reportCount],
  ])
}

describe('the common issues of a model year', () => {
  test('are what its narratives share and others do not, the most frequent first', () => {
    const found = issues.filter(({ year }) => year === 2014)
    expect(
      found.map(({ rank, category, phrase, reportCount }) => [rank, category, phrase, reportCount]),
    ).toEqual([
      [1, 'transmission', 'Shudder', 12],
      [2, 'electrical', 'Wiring', 7],
      [3, 'exterior', 'Sunroof exploded', 4],
    ])
  })

  test('are described by a sentence of a complaint', () => {
    expect(issues[0]?.description).toBe(
      'Shudder (12 reports): The torque converter causes a terrible shudder at low speed.',
    )
    expect(issues[1]?.description).toBe('Wiring (7 reports)')
  })

  test('are as frequent as their share of all complaints of the year', () => {
    expect(issues.map(({ year, frequency }) => [year, frequency])).toEqual([
      ...[
        [2014, 'common'],
        [2014, 'occasional'],
        [2014, 'occasional'],
        [2015, 'very_common'],
      ],
    ])
  })

  test('cost what their own repairs cost, or those of the category elsewhere', () => {
    expect(issues.map(({ avgRepairCost, costEstimated }) => [avgRepairCost, costEstimated])).toEqual([
      ...[
        [3_500, false],
        [null, false],
        [400, true],
        [400, true],
      ],
    ])
  })

  test('have the same id in every year, and another in another model', () => {
    const [, , sunroof, later] = issues
    expect(later?.id).toBe(sunroof?.id)
    const other = analyseModel(complaints, { ...context, model: 'meteor' }).issues[2]
    expect(other?.phrase).toBe(sunroof?.phrase)
    expect(other?.id).not.toBe(sunroof?.id)
    expect(sunroof?.id).toMatch(/^iss_[0-9a-f]{12}$/)
  })

  test('are the components where no complaint has a narrative', () => {
    const silent = times(5, (index) => told('', { component: index < 4 ? 'Power Train' : 'Clutch' }))
    expect(analyseModel(silent, context).issues).toMatchObject([
      {
        phrase: 'Power Train',
        reportCount: 4,
        frequency: 'very_common',
        description: 'Power Train (4 reports)',
      },
    ])
  })

  test('are the components where narratives have nothing in common', () => {
    const varied = ['Strange hum', 'Odd rattle', 'Weird buzz'].map((text) => told(text))
    expect(analyseModel(varied, context).issues).toMatchObject([{ phrase: 'Power Train', reportCount: 3 }])
  })

  test('are no component that says nothing about the part', () => {
    const silent = [
      'Unknown or Other',
      'Unknown or Other',
      'Unknown or Other',
      '',
      '',
      '',
      'Tires',
      'Tires',
      'Tires',
    ]
    const unclear = silent.map((component) => told('', { category: 'other', component }))
    expect(phrasesOf(unclear)).toEqual([['other', 'Tires', 3]])
  })

  test('are nothing that stands in complaints about anything', () => {
    const text =
      'The contact owns a 2014 Acme Comet Hybrid. The gasket blew. The dealer named NHTSA Campaign Number: 23V905000 (Engine and Engine Cooling). The manufacturer was notified of the failure but did not provide any assistance. The VIN, engine size and number of cylinders were unknown. I cannot afford it. Attached are videos.'
    expect(phrasesOf(times(8, () => told(text, { category: 'engine' })))).toEqual([
      ['engine', 'Gasket blew', 8],
    ])
  })

  test('are counted by the complaints that tell of them', () => {
    const recall = 'He was told of NHTSA Campaign Number: 23V905000 (Gasket). The valve broke off.'
    const both = [
      ...times(4, () => told('The gasket blew.', { category: 'engine' })),
      ...times(5, () => told(recall, { category: 'engine' })),
    ]
    expect(phrasesOf(both)).toEqual([
      ['engine', 'Valve broke', 5],
      ['engine', 'Gasket blew', 4],
    ])
  })

  test('say that something did not happen where their complaints do', () => {
    const silent = times(6, (index) =>
      told(index < 5 ? 'None of the air bags deployed upon impact.' : 'The air bags deployed late.', {
        category: 'safety',
      }),
    )
    const [issue] = analyseModel(silent, context).issues
    expect(issue?.phrase).toBe('None of the air bags')
    expect(issue?.description).toMatch(/\(6 reports\): None of the air bags deployed upon impact\.$/)
  })

  test('are one where words stand in another order, are written together, or are counted under other', () => {
    const sunroof = (text: string, category: Narrative['category']) => told(text, { category })
    const split = [
      ...times(4, () => sunroof('Suddenly the sunroof glass.', 'exterior')),
      ...times(3, () => sunroof('Suddenly the glass sunroof.', 'exterior')),
      ...times(5, () => sunroof('Suddenly the sunroof glass.', 'other')),
      ...times(12, () => sunroof('Tailgate!', 'exterior')),
      ...times(8, () => sunroof('Tail gate!', 'exterior')),
    ]
    expect(phrasesOf(split)).toEqual([
      ['exterior', 'Tailgate', 20],
      ['exterior', 'Sunroof glass', 12],
    ])
  })

  test('are one where a component without narratives reads the same as what narratives tell', () => {
    const mixed = [
      ...times(14, () => told('The clutch!', { component: 'Power Train' })),
      ...times(5, () => told('', { component: 'Clutch' })),
    ]
    expect(phrasesOf(mixed)).toEqual([['transmission', 'Clutch', 19]])
  })

  test('are none of fewer than three complaints', () => {
    expect(
      analyseModel(
        times(2, () => told('Shudder')),
        context,
      ).issues,
    ).toEqual([])
    expect(analyseModel([], context)).toEqual({ issues: [], similar: [] })
  })

  test('are ten at most', () => {
    const many = times(60, (index) => told('', { component: `Part ${index % 15}` }))
    expect(analyseModel(many, context).issues.map(({ rank }) => rank)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
  })
})

test('complaints about the same thing resemble each other, also across years', () => {
  const sunroofs = complaints.filter(({ text }) => text.includes('unroof')).map(({ id }) => id)
  const found = similar.find(({ id }) => id === sunroofs[0])
  expect(found?.count).toBe(6)
  expect(new Set(found?.ids)).toEqual(new Set(sunroofs.slice(1)))
})
