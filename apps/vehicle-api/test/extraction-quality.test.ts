import { readFileSync } from 'node:fs'
import { componentCategory, isUnspecific, splitComponents } from '../src/model/components.ts'
import { cleanNarrative } from '../src/model/text/clean-narrative.ts'
import { narrativeMileage } from '../src/model/text/mileage.ts'
import { narrativeCategory } from '../src/model/text/narrative-category.ts'
import { repairAttempted } from '../src/model/text/repair-attempted.ts'
import { repairCost } from '../src/model/text/repair-cost.ts'
import { describeShared } from './shared-data.ts'

/** A complaint of which more is known than its narrative. */
type Known = { readonly text: string; readonly miles: number }

function jsonLines(path: string): Record<string, string>[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Of the complaints whose narrative and file both name a mileage: how many, and the share that is equal. */
function agreement(complaints: readonly Known[]): { both: number; equal: number } {
  const both = complaints
    .filter(({ miles }) => miles >= 1 && miles <= 400_000)
    .map(({ text, miles }) => ({ miles, found: narrativeMileage(text) }))
    .filter(({ found }) => found !== null)
  return { both: both.length, equal: both.filter(({ miles, found }) => miles === found).length / both.length }
}

describeShared('complaints/ford_closures_2020_2024.jsonl', (path) => {
  const complaints = jsonLines(path).map(({ cdescr = '', miles }) => ({
    ...{ text: cleanNarrative(cdescr), miles: Number(miles) },
  }))

  test('a mileage in the narrative is that of the file in 95 of 100', () => {
    const { both, equal } = agreement(complaints)
    expect(both).toBeGreaterThan(600)
    expect(equal).toBeGreaterThanOrEqual(0.95)
  })

  test('a part of the narratives says whether it was repaired, and what it cost', () => {
    const share = (holds: (text: string) => boolean) =>
      complaints.filter(({ text }) => holds(text)).length / complaints.length
    expect(share((text) => repairAttempted(text) === true)).toBeGreaterThan(0.06)
    expect(share((text) => repairAttempted(text) === false)).toBeGreaterThan(0.1)
    expect(share((text) => repairCost(text) !== null)).toBeGreaterThan(0.03)
    expect(share((text) => repairCost(text) !== null)).toBeLessThan(0.09)
  })

  test('no narrative keeps a mark or a double encoding', () => {
    const spoilt = complaints.filter(({ text }) =>
      /^[A-Z]{2}\*|\*TR|â€|\[XXX\]|INFORMATION REDACTED/i.test(text),
    )
    expect(spoilt).toEqual([])
  })
})

describeShared('complaints/gm_ion_hhr_2003_2011.jsonl', (path) => {
  // Here owners round: 19,200 miles in the narrative are 19,000 in the file.
  test('a mileage in the narrative is that of the file in 85 of 100', () => {
    const complaints = jsonLines(path).map(({ description, mileage }) => ({
      ...{ text: cleanNarrative(description ?? ''), miles: Number(mileage) },
    }))
    const { both, equal } = agreement(complaints)
    expect(both).toBeGreaterThan(300)
    expect(equal).toBeGreaterThanOrEqual(0.85)
  })
})

describeShared('complaints/api_porsche_2005_2024.json', (path) => {
  test('a category from the narrative is one of the components in 88 of 100', () => {
    const complaints: { component: string; summary: string }[] = JSON.parse(readFileSync(path, 'utf8'))
    const decided = complaints
      .map(({ component, summary }) => ({
        paths: splitComponents(component).filter((path) => !isUnspecific(path)),
        found: narrativeCategory(cleanNarrative(summary)),
      }))
      .filter(({ paths, found }) => paths.length > 0 && found !== null)
    const right = decided.filter(({ paths, found }) =>
      paths.map(componentCategory).some((one) => one === found),
    )
    expect(decided.length).toBeGreaterThan(complaints.length / 2)
    expect(right.length / decided.length).toBeGreaterThanOrEqual(0.88)
  })
})
