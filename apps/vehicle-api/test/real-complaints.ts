import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { categories, type Category } from '../src/model/category.ts'
import { severityWeight, systemWeight } from '../src/model/severity.ts'
import { sharedFile } from './shared-data.ts'

/** The file of real complaints, for describeShared(). */
export const realComplaintFile = 'complaints/combined_reencoded_49col.txt.gz'

/** What the tests of statistics need of a complaint. */
export type RealComplaint = Readonly<{
  odi: string
  make: string
  model: string
  year: number
  date: string
  category: Category
  component: string
  weight: number
  crashOrInjury: boolean
  text: string
}>

/**
 * About 25,000 real complaints, one per ODI number and vehicle. Read by rules of its own, so that it tests the
 * statistics and not the parser: the primary category is the first that is not `other`, of the deepest path.
 * @param path of the file
 */
export function realComplaints(path: string): RealComplaint[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\r\n')
  const rows = lines.filter((line) => line !== '').map((line) => line.split('\t'))
  const groups = Map.groupBy(rows, (row) => [1, 3, 4, 5].map((column) => row[column]).join('\t'))
  const categoryOf = readMap()
  return [...groups.values()]
    .filter((group) => !['', '9999'].includes(group[0]?.[5] ?? ''))
    .map((group) => complaintOf(group, categoryOf))
}

function complaintOf(rows: readonly string[][], categoryOf: (component: string) => Category): RealComplaint {
  const parts = rows.map((row) => ({ path: row[11] ?? '', category: categoryOf(row[11] ?? '') }))
  const depth = (path: string) => path.split(':').length
  const [primary] = parts.toSorted(
    (a, b) =>
      Number(a.category === 'other') - Number(b.category === 'other') || depth(b.path) - depth(a.path),
  )
  const has = (column: number) => rows.some((row) => row[column] === 'Y')
  const most = (column: number) => Math.max(...rows.map((row) => Number(row[column] ?? '')))
  const harm = { crash: has(6), fire: has(8), injuries: most(9), deaths: most(10) }
  const [first = []] = rows
  const [odi = '', make = '', model = '', year = '', date = '', text = ''] = [1, 3, 4, 5, 16, 19].map(
    (column) => first[column],
  )
  return {
    ...{ odi, make, model, date, text, year: Number(year) },
    category: primary?.category ?? 'other',
    component: primary?.path ?? '',
    weight: severityWeight(harm) * systemWeight(parts.map(({ category }) => category)),
    crashOrInjury: harm.crash || harm.injuries > 0 || harm.deaths > 0,
  }
}

/** The longest prefix wins. */
function readMap(): (component: string) => Category {
  const entries = readFileSync(sharedFile('reference/component_category_map.csv') ?? '', 'utf8')
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.match(/^\d+,(?:"([^"]*)"|([^,]*)),(\w+)/))
    .map((match) => [(match?.[1] ?? match?.[2] ?? '').trim(), match?.[3] ?? ''] as const)
    .filter(([prefix]) => prefix !== '')
    .toSorted(([a], [b]) => b.length - a.length)
  return (component) => {
    const name = entries.find(([prefix]) => component.trim().toUpperCase().startsWith(prefix.toUpperCase()))
    return categories.find((category) => category === name?.[1]) ?? 'other'
  }
}
