import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { readComplaints } from '../src/import/complaint-file.ts'
import { readLines } from '../src/import/read-lines.ts'
import type { ComplaintRecord } from '../src/model/complaint-record.ts'
import { collect } from './archive.ts'
import { describeShared } from './shared-data.ts'

const currentYear = 2026

async function read(path: string) {
  const batches = await collect(readComplaints(path, { currentYear }))
  return {
    records: batches.flatMap(({ records }) => [...records]),
    rejections: batches.flatMap(({ rejections }) => [...rejections]),
  }
}

async function linesOf(path: string): Promise<string[]> {
  const batches = await collect(readLines(path))
  return batches.flatMap(({ lines }) => lines.map((line) => line ?? ''))
}

function countBy<T>(values: readonly T[], key: (value: T) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, key)].map(([name, group]) => [name, group.length]))
}

describeShared('odi_flat_samples_2014/complaints.txt', (path) => {
  test('comes back byte by byte', async () => {
    const rows = (await linesOf(path)).map((line) => line.split('\t'))
    expect(rows.map((cells) => cells.length)).toEqual(Array.from({ length: 100 }, () => 48))
    const text = rows.map((cells) => `${cells.join('\t')}\r\n`).join('')
    expect(Buffer.from(text, 'latin1').equals(readFileSync(path))).toBe(true)
  })

  test('holds 77 ODI numbers, 73 of them about vehicles', async () => {
    const rows = (await linesOf(path)).map((line) => line.split('\t'))
    const { records, rejections } = await read(path)
    const numbers = new Set(rows.filter((cells) => cells[45] === 'V').map((cells) => cells[1]))
    expect(new Set(rows.map((cells) => cells[1])).size).toBe(77)
    expect(new Set(records.map(({ odi }) => odi))).toEqual(numbers)
    expect(countBy(rejections, ({ reason, isFault }) => `${reason} ${isFault}`)).toEqual({
      'It is about child restraints, not a vehicle. false': 4,
    })
    expect(records.filter(({ state }) => state === null)).not.toEqual([])
    expect(records.every(({ description }) => !/\*[A-Z]{2}$|\bTT$/.test(description))).toBe(true)
  })
})

describeShared('odi_flat_samples_2014/recalls.txt', (path) => {
  test('comes back byte by byte', async () => {
    const text = (await linesOf(path)).map((line) => `${line}\r\n`).join('')
    expect(Buffer.from(text, 'latin1').equals(readFileSync(path))).toBe(true)
  })
})

describeShared('complaints/ford_lincoln_2024q1_49col.txt', (path) => {
  test('comes back byte by byte from Windows-1252', async () => {
    const bytes = readFileSync(path)
    const expected = new TextDecoder('windows-1252').decode(bytes)
    const text = (await linesOf(path)).map((line) => `${line}\r\n`).join('')
    expect(text).toBe(expected)
  })

  test('has 349 complaints, of which some cost something', async () => {
    const { records, rejections } = await read(path)
    expect(records.length + new Set(rejections.map(({ subject }) => subject)).size).toBe(349)
    expect(rejections.filter(({ isFault }) => isFault)).toEqual([])
    expect(records.filter(({ repairCost }) => repairCost !== null).length).toBeGreaterThan(20)
  })
})

describeShared('complaints/combined_reencoded_49col.txt.gz', (path) => {
  const expected = gunzipSync(readFileSync(path)).toString('utf8').split('\r\n').slice(0, -1)
  const rows = expected.map((line) => line.split('\t'))
  const reading = read(path)
  const distinct = (...columns: number[]) =>
    new Set(rows.map((cells) => columns.map((at) => cells[at]).join('|'))).size

  test('is read row by row: 24,622 complaints about 70 models as they are spelled', async () => {
    expect(await linesOf(path)).toEqual(expected)
    const complaintsWith = (column: number) =>
      new Set(rows.filter((cells) => /[A-Z1-9]/i.test(cells[column] ?? '')).map((cells) => cells[1])).size
    expect([complaintsWith(19), complaintsWith(17)]).toEqual([6_288, 2_729])
    expect([rows.length, distinct(1), distinct(3, 4), distinct(3, 4, 5)]).toEqual([31_494, 24_622, 70, 449])
  })

  test('becomes complaints, but for two lines that are about no model year', async () => {
    const { records, rejections } = await reading
    expect(countBy(rejections, ({ reason }) => reason)).toEqual({
      'It is about equipment, not a vehicle.': 1,
      'The model year "9999" cannot be.': 1,
    })
    expect(rejections.filter(({ isFault }) => isFault)).toEqual([])
    expect(new Set(records.map(({ odi }) => odi)).size).toBe(records.length)
    expect(records).toHaveLength(24_620)
  })

  test('keeps what the file says', async () => {
    const { records } = await reading
    const byOdi = Map.groupBy(rows, (cells) => cells[1])
    const differs = (record: ComplaintRecord): boolean => {
      const own = byOdi.get(record.odi) ?? []
      const miles = Number(own[0]?.[17])
      const isReported = miles > 0 && miles <= 400_000
      return (
        own.some((cells) => cells[6] === 'Y') !== record.crash ||
        Number(own[0]?.[5]) !== record.year ||
        new Set(own.map((cells) => cells[11]?.trim()).filter(Boolean)).size !== record.components.length ||
        (isReported && record.mileage !== miles) ||
        isReported !== (record.mileageSource === 'reported') ||
        own.every((cells) => cells[19]?.trim() === '') !== (record.description === '')
      )
    }
    expect(records.filter(differs)).toEqual([])
  })

  test('gives every complaint one of its categories', async () => {
    const { records } = await reading
    const wrong = (record: ComplaintRecord) => !record.categories.includes(record.category)
    expect(records.filter(wrong)).toEqual([])
  })
})
