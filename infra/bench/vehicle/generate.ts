import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { seededRandom } from '../../seeded-random.ts'
import { market } from './catalogue.ts'
import { complaintLines } from './complaints.ts'

/*
 * Writes a complaint file of any size in the official format, about invented makes:
 * `node infra/bench/vehicle/generate.ts --rows 2250000 --out FLAT_CMPL.txt [--seed 1]`.
 */

const { values } = parseArgs({
  options: { rows: { type: 'string' }, out: { type: 'string' }, seed: { type: 'string', default: '1' } },
})
const rows = Number(values.rows)
if (!(rows > 0) || values.out === undefined) {
  throw new Error('Expected --rows N and --out FILE.')
}
await writeComplaintFile(values.out, rows, Number(values.seed))

async function writeComplaintFile(path: string, count: number, seed: number): Promise<void> {
  const random = seededRandom(seed)
  const lastDay = Math.floor(Date.UTC(2026, 8, 30) / 86_400_000)
  const lines = complaintLines({ models: market(random), random, firstOdi: 10_000_000, lastDay })
  const file = createWriteStream(path)
  let chunk = ''
  for (let row = 0; row < count; row++) {
    chunk += lines.next().value as string
    if (chunk.length < 1_000_000) continue
    if (!file.write(chunk)) await once(file, 'drain')
    chunk = ''
  }
  file.end(chunk)
  await once(file, 'close')
}
