import fc from 'fast-check'
import { complaintCells, type Columns } from '../../test/complaint-lines.ts'
import { readComplaintRow, type ComplaintRow } from './complaint-row.ts'
import { gatherComplaint } from './complaint.ts'
import { calendarDate, isoDate } from './dates.ts'

function row(columns: Columns): ComplaintRow {
  const read = readComplaintRow(complaintCells(columns), 2026)
  if ('reason' in read) throw new Error(read.reason)
  return read
}

describe('a row', () => {
  test.each<[string, Columns, Partial<ComplaintRow>]>([
    ['a mileage', { miles: '85000' }, { mileage: 85_000 }],
    ['an unknown mileage', { miles: '0' }, { mileage: null }],
    ['an impossible mileage', { miles: '1110000' }, { mileage: null }],
    ['many injured', { injured: '75' }, { injuries: 50 }],
    ['a slip in deaths', { deaths: '99' }, { deaths: 0 }],
    ['flags left blank', { crash: '', fire: ' ' }, { crash: false, fire: false }],
    ['a fire', { fire: 'y' }, { fire: true }],
    ['no state', { state: '00' }, { state: null }],
    ['a whole VIN', { vin: '1c9ab2de5jk000001' }, { vin: '1C9AB2DE5JK' }],
    ['a short VIN', { vin: '1C9AB2' }, { vin: null }],
    ['a VIN with a letter that cannot be', { vin: '1C9AB2DE5JO' }, { vin: null }],
    ['no date of receipt', { received: '' }, { dateReported: '2020-02-01' }],
    ['a receipt before the car', { received: '19010101' }, { dateReported: '2020-02-01' }],
    ['no date that can be', { received: '19010101', added: '20151231' }, { dateReported: null }],
    [
      'a receipt two years before the model year',
      { received: '20160101', incident: '' },
      { dateReported: '2016-01-01' },
    ],
    [
      'only a date of incident',
      { received: '', added: '' },
      { dateReported: null, dateIncident: '2020-01-15' },
    ],
    ['an incident in the future', { incident: '20200203' }, { dateIncident: null }],
    ['an incident a day late', { incident: '20200202' }, { dateIncident: '2020-02-02' }],
    ['an incident before the car', { incident: '20151231' }, { dateIncident: null }],
    ['an incident two years before the model year', { incident: '20160101' }, { dateIncident: '2016-01-01' }],
    ['an incident that is no day', { incident: '20200231' }, { dateIncident: null }],
    ['a purchase', { purchase: '20180601' }, { purchaseDate: '2018-06-01' }],
    ['a cab style', { model: 'ALDERA CREW CAB' }, { model: 'aldera', trim: 'Crew Cab' }],
  ])('with %s', (_, columns, expected) => {
    expect(row(columns)).toMatchObject(expected)
  })
})

describe('a complaint', () => {
  test('is of the first definite category with the deepest path, then of the first row', () => {
    const categoryOf = (...paths: string[]) =>
      gatherComplaint(paths.map((component, at) => row({ component, cmplid: String(at + 1) }))).category
    expect(categoryOf('UNKNOWN OR OTHER', 'STEERING', 'ENGINE')).toBe('steering')
    expect(categoryOf('ENGINE', 'STEERING:COLUMN')).toBe('steering')
    expect(categoryOf('TIRES:TREAD/BELT', 'ENGINE')).toBe('engine')
    expect(categoryOf('TIRES', 'UNKNOWN OR OTHER')).toBe('other')
    expect(categoryOf('')).toBe('other')
  })

  test('whose component says nothing takes its category from the narrative, if that is clear', () => {
    const narrative = 'THE TRANSMISSION SLIPPED OUT OF GEAR AND THE TORQUE CONVERTER FAILED.'
    expect(gatherComplaint([row({ component: 'UNKNOWN OR OTHER', narrative })])).toMatchObject({
      ...{ category: 'transmission', categories: ['transmission'], categorySource: 'narrative' },
      ...{ component: 'Unknown or Other', components: ['UNKNOWN OR OTHER'] },
    })
    expect(gatherComplaint([row({ component: 'TIRES', narrative })])).toMatchObject({
      ...{ category: 'other', categorySource: 'component' },
    })
    expect(gatherComplaint([row({ component: '', narrative: 'I WANT MY MONEY BACK.' })])).toMatchObject({
      ...{
        category: 'other',
        categories: ['other'],
        categorySource: 'component',
        component: '',
        components: [],
      },
    })
  })

  test('has every narrative once, in the order of the file, and what they look like in it', () => {
    const complaint = gatherComplaint([
      row({ cmplid: '3', narrative: 'THIRD.' }),
      row({ cmplid: '1', narrative: 'FIRST.  *TR' }),
      row({ cmplid: '2', narrative: 'FIRST. *JB' }),
    ])
    expect(complaint.description).toBe('FIRST.\n\nTHIRD.')
    expect(complaint.rawDescription).toBe('FIRST.  *TR\n\nFIRST. *JB\n\nTHIRD.')
    expect(gatherComplaint([row({ narrative: 'AS IT IS.' })]).rawDescription).toBeNull()
    expect(gatherComplaint([row({ narrative: ' ' })])).toMatchObject({
      description: '',
      rawDescription: null,
    })
  })

  test('has the flags of any row and the largest numbers, not their sums', () => {
    const rows = [
      row({ injured: '2', crash: 'Y' }),
      row({ injured: '3' }),
      row({ deaths: '1', incident: '20191224' }),
    ]
    expect(gatherComplaint(rows)).toMatchObject({
      ...{ crash: true, fire: false, injuries: 3, deaths: 1, dateIncident: '2019-12-24' },
      ...{ severity: 6.5, weight: 9.75 },
    })
  })

  test('trusts the reported mileage before that of the narrative', () => {
    const narrative = 'THE FAILURE MILEAGE WAS 60,000.'
    const [told, reported] = [row({ narrative }), row({ narrative, miles: '59870' })]
    expect(gatherComplaint([told, reported])).toMatchObject({ mileage: 59_870, mileageSource: 'reported' })
    expect(gatherComplaint([told])).toMatchObject({ mileage: 60_000, mileageSource: 'narrative' })
    expect(gatherComplaint([row({})])).toMatchObject({ mileage: null, mileageSource: null })
  })

  test('tells what the repair was about', () => {
    const narrative = 'IT FAILED. THE DEALER REPLACED THE PUMP AND I PAID $1,250.50. THEN IT FAILED AGAIN.'
    expect(gatherComplaint([row({ narrative })])).toMatchObject({
      ...{ repairCost: 1250.5, repairCostKind: 'paid', repairAttempted: true },
      repairDescription: 'THE DEALER REPLACED THE PUMP AND I PAID $1,250.50.',
    })
  })

  test('is the same whatever the order of its rows', () => {
    const rows = fc.array(
      fc.record({
        cmplid: fc.constantFrom('1', '2', '3'),
        component: fc.constantFrom('ENGINE', 'STEERING:COLUMN', 'UNKNOWN OR OTHER', 'TIRES', ''),
        narrative: fc.constantFrom('A.', 'B. *TR', 'THE FAILURE MILEAGE WAS 7,000.', ''),
        incident: fc.constantFrom('20200101', '20191201', ''),
        miles: fc.constantFrom('', '5000', '6000'),
        injured: fc.constantFrom('0', '1', '2'),
        state: fc.constantFrom('OH', 'MI', '00'),
        model: fc.constantFrom('ALDERA', 'ALDERA HYBRID', 'ALDERA 4WD'),
      }),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (columns, order) => {
        const parsed = columns.map(row)
        const shuffled = parsed
          .map((value) => ({ value, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ value }) => value)
        expect(gatherComplaint(shuffled)).toEqual(gatherComplaint(parsed))
        expect(gatherComplaint([...parsed, ...shuffled])).toEqual(gatherComplaint(parsed))
      }),
    )
  })
})

test.each([
  ['20240229', '2024-02-29'],
  ['20230229', null],
  ['19000101', '1900-01-01'],
  ['22030101', null],
  ['20241301', null],
  ['2024010', null],
  ['', null],
])('the date %j is %j', (text, date) => {
  expect(isoDate(text)).toBe(date)
})

test('a calendar date is what the calendar says', () => {
  const day = fc.record({ year: fc.integer({ min: 1890, max: 2110 }), month: fc.nat(14), day: fc.nat(33) })
  fc.assert(
    fc.property(day, ({ year, month, day: of }) => {
      const made = new Date(Date.UTC(year, month - 1, of))
      const exists =
        made.getUTCMonth() === month - 1 && made.getUTCDate() === of && year >= 1900 && year <= 2100
      expect(calendarDate(year, month, of)).toBe(exists ? made.toISOString().slice(0, 10) : null)
    }),
  )
})
