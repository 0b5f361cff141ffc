import fc from 'fast-check'
import { presentCounty, presentHazards } from './county-risk.ts'
import { nriNumbers, nriTexts, wrcNumbers, type NriValues, type WrcValues } from './database.ts'
import { presentPage } from './risk-counties.ts'
import { makeSnapshot, type CountyRow, type Snapshot } from './snapshot.ts'
import { flatten } from './table.ts'

/** A value that is published, blank or zero. */
const value = fc.oneof(fc.constant(null), fc.constant(0), fc.double({ min: 0.001, max: 1, noNaN: true }))
const valuesOf = (names: readonly string[], arbitrary: fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries(names.map((name) => [name, arbitrary])))
const wrc = valuesOf(wrcNumbers, value) as unknown as fc.Arbitrary<WrcValues>
const nri = fc
  .tuple(valuesOf(nriNumbers, value), valuesOf(nriTexts, fc.constantFrom(null, 'Very Low')))
  .map(([numbers, texts]) => ({ ...numbers, ...texts }) as unknown as NriValues)

const codes = ['06061', '06057', '11001', '72001', '72003']
const rowsOf = (withNri: boolean) =>
  fc.tuple(
    ...codes.map((code) =>
      fc.record<CountyRow>({
        code: fc.constant(code),
        ...{ name: fc.constant(`County ${code}`), state: fc.constant(code.slice(0, 2)) },
        ...{ state_name: fc.constant('State'), type: fc.constantFrom('County', 'Planning Region') },
        longitude: fc.constantFrom(null, -120),
        ...{ latitude: fc.constant(38), neighbors: fc.constant(codes) },
        wrc: fc.option(wrc),
        nri: withNri ? fc.option(nri) : fc.constant(null),
      }),
    ),
  )

const snapshots: fc.Arbitrary<Snapshot> = fc.boolean().chain((withNri) =>
  rowsOf(withNri).map((rows) =>
    makeSnapshot({
      ...{ version: 1, stamp: 'a', rows },
      releases: { wrc: '2026-04-15', nri: withNri ? 'v1.20 (December 2025)' : null },
    }),
  ),
)

/** Paths of the nulls, and of the objects that they are in: `a.b`, `a`. */
function nullsIn(whole: unknown, path = ''): string[][] {
  if (whole === null) return [[path]]
  if (typeof whole !== 'object' || Array.isArray(whole)) return []
  return Object.entries(whole).flatMap(([name, inner]) =>
    nullsIn(inner, path === '' ? name : `${path}.${name}`).map((paths) =>
      path === '' ? paths : [...paths, path],
    ),
  )
}

/** What the notes call null. */
function namedIn(notes: readonly string[]): Set<string> {
  const lists = [...notes.join(' ').matchAll(/Therefore null: (.+?)\.(?: |$)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  )
  return new Set(lists.map((name) => name.replace(/^all of /, '')))
}

const underReason = /^hazard\.(?:score|rating|basis|percentile)/

test('every null of an answer about a county has its reason, and nothing else has one', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      for (const county of snapshot.counties.values()) {
        const { coverage } = presentCounty(snapshot, county)
        const values = presentHazards(snapshot, county)
        const named = namedIn(coverage.notes)
        const nulls = nullsIn(values)
        const isExplained = (paths: readonly string[]) =>
          paths.some((path) => named.has(path)) ||
          (coverage.reason !== null && underReason.test(paths[0] ?? ''))
        expect(nulls.filter((paths) => !isExplained(paths))).toEqual([])
        const known = new Set(nulls.flat())
        expect([...named].filter((name) => !known.has(name))).toEqual([])
        expect((coverage.reason === null) === (values.hazard.score !== null)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test('so has every empty cell of a table', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      for (const county of snapshot.counties.values()) {
        const { coverageReason, coverageNotes, ...cells } = flatten(
          presentHazards(snapshot, county),
          county,
          snapshot.releases,
        )
        const named = namedIn([String(coverageNotes)])
        const scores = [
          'score',
          'rating',
          'basis',
          ...(county.hazard.score === null ? ['statePercentile'] : []),
        ]
        const without = Object.entries(cells).filter(([name, cell]) => cell === null && !named.has(name))
        expect(
          without.map(([name]) => name).filter((name) => coverageReason === null || !scores.includes(name)),
        ).toEqual([])
      }
    }),
    { numRuns: 200 },
  )
})

test('so has every null of a list of counties', () => {
  fc.assert(
    fc.property(snapshots, fc.subarray(codes, { minLength: 1 }), (snapshot, chosen) => {
      const page = chosen.flatMap((code) => snapshot.counties.get(code) ?? [])
      const { counties, coverage } = presentPage(snapshot, page, page.length, null)
      for (const line of counties) {
        const about = coverage.notes.filter((note) => note.startsWith('All ') || note.includes(line.code))
        const nulls = Object.entries(line).filter(([, cell]) => cell === null)
        expect([...namedIn(about)].toSorted()).toEqual(nulls.map(([name]) => name).toSorted())
      }
    }),
    { numRuns: 300 },
  )
})
