import { earlier, later } from './import/batch.ts'
import { byteWriter } from './import/byte-writer.ts'
import { readPart } from './import/complaint-file.ts'
import { complaintForm, idOf } from './import/complaint-line.ts'
import type { ReadLines, ReadTask } from './import/crew.ts'
import { keeper } from './import/narrative-shelves.ts'

export { mineModels as mine } from './import/mine-models.ts'

/* What the threads of import/crew.ts do: the entry of a thread of its own, bundled beside main.js. */

const lines = byteWriter()
const narratives = keeper()

/** Reads a part of a complaint file: see readPart(). */
export function read({ bytes, currentYear, target }: ReadTask): ReadLines {
  let records = 0
  let [firstDate, lastDate]: [string | null, string | null] = [null, null]
  const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const content = readPart(part, currentYear, (record) => {
    records++
    lines.add(complaintForm.line(record))
    narratives.add(record, idOf(record))
    const date = complaintForm.dateOf(record)
    firstDate = earlier(firstDate, date)
    lastDate = later(lastDate, date)
  })
  return { ...content, records, firstDate, lastDate, text: lines.take(), kept: narratives.writeTo(target) }
}
