import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import type { Category } from '../src/model/category.ts'
import { componentPrefixes } from '../src/model/component-categories.ts'
import { componentCategory, componentPath } from '../src/model/components.ts'
import { describeShared } from './shared-data.ts'

function counts(path: string): { name: string; rows: number }[] {
  const lines: string[][] = parse(readFileSync(path), { from_line: 2 })
  return lines.map(([name = '', rows]) => ({ name, rows: Number(rows) }))
}

const known = Object.keys(componentPrefixes).map(componentPath)
const isKnown = (name: string) => known.some((prefix) => componentPath(name).startsWith(prefix))

describeShared('reference/compdesc_top_level_counts_2026.csv', (path) => {
  test('every row but the blank ones has a known component', () => {
    expect(counts(path).filter(({ name }) => !isKnown(name))).toEqual([{ name: '', rows: 149 }])
  })
})

describeShared('reference/compdesc_top200_counts_2026.csv', (path) => {
  test('every row has a known component', () => {
    expect(counts(path).filter(({ name }) => !isKnown(name))).toEqual([])
  })

  test('the rows are spread over the categories as published', () => {
    const rows = counts(path)
    const all = rows.reduce((sum, { rows: count }) => sum + count, 0)
    const share = (category: Category) => {
      const own = rows.filter(({ name }) => componentCategory(name) === category)
      return (100 * own.reduce((sum, { rows: count }) => sum + count, 0)) / all
    }
    // Shares over all 770 paths; the 200 most frequent are 97.5 % of the rows.
    const published = {
      ...{ engine: 22.3, electrical: 14.5, safety: 12.6, other: 10.9, transmission: 9.7 },
      ...{ brakes: 8.8, exterior: 8.7, steering: 6.4, suspension: 4, interior: 1.9 },
    } as const
    for (const [category, percent] of Object.entries(published)) {
      expect(Math.abs(share(category as Category) - percent)).toBeLessThan(0.5)
    }
  })
})

describeShared('reference/component_category_map.csv', (path) => {
  test('our table says the same as the proposed one', () => {
    const lines: { prefix: string; category: string }[] = parse(readFileSync(path), { columns: true })
    const differing = lines.filter(({ prefix, category }) => componentCategory(prefix) !== category)
    expect(differing).toEqual([])
  })
})
