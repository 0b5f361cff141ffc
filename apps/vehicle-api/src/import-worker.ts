import { copyBatch } from './import/batch.ts'
import { readPart } from './import/complaint-file.ts'
import { complaintForm } from './import/complaint-line.ts'
import type { ReadLines, ReadTask } from './import/crew.ts'

export { mineModels as mine } from './import/mine-models.ts'

/* What the threads of import/crew.ts do: the entry of a thread of its own, bundled beside main.js. */

/** Reads a part of a complaint file: see readPart(). */
export async function read({ bytes, currentYear }: ReadTask): Promise<ReadLines> {
  const content = await readPart(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), currentYear)
  const { runs, several } = content
  const { text, ...rest } = copyBatch(content, complaintForm)
  return { ...rest, text: new TextEncoder().encode(text), runs, several }
}
