import { analyseModel, type Narrative } from '../src/model/narratives/analyse-model.ts'
import { createBackground } from '../src/model/narratives/background.ts'
import { realComplaintFile, realComplaints, type RealComplaint } from './real-complaints.ts'
import { describeShared } from './shared-data.ts'

describeShared(realComplaintFile, (path) => {
  const complaints = realComplaints(path)
  const background = createBackground(complaints.length)
  for (const { odi, text } of complaints) background.add(odi, text)

  const analyse = (make: string, model: string) =>
    analyseModel(narrativesOf(complaints.filter((one) => one.make === make && one.model === model)), {
      ...{ make, model, names: [make, model], background, categoryCosts: {} },
    })
  /** The first that narratives tell; many complaints of these files have none. */
  const topIssue = (make: string, model: string, year: number) =>
    analyse(make, model).issues.find((issue) => issue.year === year && issue.description.includes(': '))

  // Defects that recalls and investigations of these vehicles are known for.
  test.each([
    ['SATURN', 'ION', 2006, /power steering/i],
    ['SATURN', 'ION', 2003, /ignition switch/i],
    ['CHEVROLET', 'HHR', 2006, /power steering/i],
    ['FORD', 'EDGE', 2013, /ajar/i],
    ['FORD', 'EXPLORER', 2017, /trim/i],
    ['FORD', 'F-150', 2018, /latch/i],
    ['FORD', 'F-150', 2014, /window shattered/i],
    ['FORD', 'BRONCO', 2023, /wiper/i],
    ['PORSCHE', 'CAYENNE', 2011, /camshaft|bolt/i],
    ['PORSCHE', 'CAYENNE', 2014, /transfer/i],
    ['PORSCHE', 'TAYCAN', 2020, /error/i],
  ])('what is wrong with the %s %s of %p', (make, model, year, expected) => {
    const issue = topIssue(make, model, year)
    expect(issue?.phrase).toMatch(expected)
    expect(issue?.description).toMatch(/^.+ \(\d+ reports\): .{25,201}$/)
  })

  test('about seven complaints in ten resemble another one', () => {
    const { similar } = analyse('FORD', 'F-150')
    const told = complaints.filter(
      ({ make, model, text }) => make === 'FORD' && model === 'F-150' && text !== '',
    )
    expect(similar.length / told.length).toBeGreaterThan(0.6)
    expect(similar.length / told.length).toBeLessThan(0.9)
  })

  test('what resembles is resembled', () => {
    const { similar } = analyse('CHEVROLET', 'HHR')
    const counts = new Map(similar.map(({ id, count }) => [id, count]))
    for (const { ids } of similar) expect(ids.every((id) => counts.has(id))).toBe(true)
  })
})

function narrativesOf(complaints: readonly RealComplaint[]): Narrative[] {
  return complaints
    .map(({ odi, year, category, component, text }) => {
      return { id: `cmp_${odi}`, year, category, component, text, repairCost: null }
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}
