import fc from 'fast-check'
import { narrativesInMemory, openNarrativeFile, type NarrativeFile } from './narrative-file.ts'
import { keeper, readShelf, shelves, type KeptComplaint } from './narrative-shelves.ts'

const complaints = fc.array(
  fc.record({
    odi: fc.integer({ min: 1, max: 40 }).map(String),
    make: fc.constantFrom('norrvik', 'aldera', 'bexley'),
    model: fc.constantFrom('nv40', 'corvane', 'c3'),
    year: fc.constantFrom(1999, 2020),
    category: fc.constantFrom('engine', 'brakes'),
    component: fc.constantFrom('', 'Engine', 'Service Brakes, Hydraulic'),
    repairCost: fc.constantFrom(null, 1_250.5),
    description: fc.string({ unit: 'grapheme', maxLength: 60 }),
  }),
  { maxLength: 60 },
)

test('what is kept of complaints is read again, model by model and in the order of the ids', () => {
  fc.assert(
    fc.property(complaints, complaints, (one, other) => {
      const all = [...one, ...other].map((complaint, at) => ({ complaint, id: `cmp_${complaint.odi}_${at}` }))
      const groups = [all.slice(0, one.length), [], all.slice(one.length)]
      expect(readBack(groups, [])).toEqual(expectedOf(all))
    }),
  )
})

test('complaints that are replaced are those that come later', () => {
  fc.assert(
    fc.property(complaints, fc.subarray([1, 2, 3, 20, 40]), (list, numbers) => {
      const replaced = numbers.map(String)
      const before = list.map((complaint, at) => ({ complaint, id: `old_${at}` }))
      const after = before
        .filter(({ complaint: { odi } }) => replaced.includes(odi))
        .map(({ complaint }, at) => ({ complaint, id: `new_${at}` }))
      const stay = before.filter(({ complaint: { odi } }) => !replaced.includes(odi))
      expect(readBack([before], replaced, [after])).toEqual(expectedOf([...stay, ...after]))
    }),
  )
})

type Kept = { readonly complaint: KeptComplaint; readonly id: string }

/** The same from a file and from memory. */
function readBack(before: readonly Kept[][], replaced: readonly string[], after: readonly Kept[][] = []) {
  const [fromFile, fromMemory] = [openNarrativeFile(), narrativesInMemory()].map((file) =>
    readBackFrom(file, before, replaced, after),
  )
  expect(fromMemory).toEqual(fromFile)
  return fromFile
}

function readBackFrom(
  file: NarrativeFile,
  before: readonly Kept[][],
  replaced: readonly string[],
  after: readonly Kept[][],
) {
  try {
    const writer = keeper()
    const write = (group: readonly Kept[]) => {
      for (const { complaint, id } of group) writer.add(complaint, id)
      file.add(writer.writeTo(file.target))
    }
    for (const group of before) write(group)
    if (replaced.length > 0) file.replaceBefore(replaced)
    for (const group of after) write(group)
    const models = Array.from({ length: shelves }, (_, shelf) => readShelf(file.shelf(shelf))).flat()
    return new Map(models.map(({ make, model, narratives }) => [`${make}/${model}`, narratives()]))
  } finally {
    file.close()
  }
}

function expectedOf(kept: readonly Kept[]) {
  const groups = Map.groupBy(kept, ({ complaint: { make, model } }) => `${make}/${model}`)
  return new Map([...groups].map(([key, own]) => [key, own.toSorted(byId).map(narrativeOf)]))
}

function byId(a: Kept, b: Kept): number {
  return a.id < b.id ? -1 : 1
}

function narrativeOf({ id, complaint: { year, category, component, description, repairCost } }: Kept) {
  return { id, year, category, component, text: description, repairCost }
}
