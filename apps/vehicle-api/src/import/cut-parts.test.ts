import fc from 'fast-check'
import { cutParts } from './cut-parts.ts'
import { longestLine } from './read-lines.ts'

/** A file with these ODI numbers, cut into pieces of this many bytes. */
function* piecesOf(text: string, length: number): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

async function partsOf(text: string, length: number): Promise<string[]> {
  const parts: string[] = []
  for await (const part of cutParts(piecesOf(text, length))) parts.push(part.toString())
  return parts
}

function odisOf(part: string): (string | undefined)[] {
  return part.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[1]]))
}

test('parts make up the file, have whole lines, and keep the rows of a number together', async () => {
  const runs = fc.array(fc.record({ odi: fc.nat(3), rows: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 30,
  })
  let cuts = 0
  await fc.assert(
    fc.asyncProperty(runs, fc.integer({ min: 1, max: 90 }), fc.boolean(), async (given, length, isEnded) => {
      const lines = given.flatMap(({ odi, rows }) =>
        Array.from({ length: rows }, (_, row) => `${row}\t${odi}\tx`),
      )
      const text = lines.join('\r\n') + (isEnded && lines.length > 0 ? '\r\n' : '')
      const parts = await partsOf(text, length)
      expect(parts.join('')).toBe(text)
      for (const part of parts.slice(0, -1)) expect(part.endsWith('\n')).toBe(true)
      for (const [at, part] of parts.slice(1).entries()) {
        expect(odisOf(part)[0]).not.toBe(odisOf(parts[at] ?? '').at(-1))
      }
      cuts += Math.max(0, parts.length - 1)
    }),
    { numRuns: 200 },
  )
  expect(cuts).toBeGreaterThan(100)
})

test('lines without any column, and none at all, are parts too', async () => {
  expect((await partsOf('no columns\n\n\nat all', 3)).join('')).toBe('no columns\n\n\nat all')
  expect(await partsOf('', 3)).toEqual([])
})

test('many lines without any column are cut in no more time than others', async () => {
  const parts = await partsOf('\n'.repeat(2 ** 21), 2 ** 20)
  expect(parts.map(({ length }) => length)).toEqual([2 ** 20 - 1, 2 ** 20, 1])
})

test('a part has its memory for itself', async () => {
  const chunk = Buffer.from('1\t1\ta\n2\t2\tb\n'.repeat(20_000))
  const parts = []
  for await (const part of cutParts([chunk])) parts.push(part)
  expect(parts.length).toBeGreaterThan(0)
  for (const { buffer } of parts) expect(buffer).not.toBe(chunk.buffer)
})

test('of a line that does not end, no more is kept than shows that it is too long', async () => {
  const parts = await partsOf(`1\t1\t${'x'.repeat(5_000_000)}\n2\t2\ty\n3\t3\tz\n`, 100_000)
  const [long = '', ...others] = parts.join('').split('\n')
  expect(long.length).toBeGreaterThan(longestLine)
  expect(long.length).toBeLessThan(longestLine + 200_000)
  expect(others).toEqual(['2\t2\ty', '3\t3\tz', ''])
})

test('rows of one number that fill the memory are cut', async () => {
  const rows = Array.from({ length: 9 }, (_, row) => `${row}\t7\t${'x'.repeat(1_000_000)}\n`)
  const parts = await partsOf(
    rows.join('').replaceAll('x'.repeat(1_000), `y\n1\t7\t${'x'.repeat(990)}`),
    1_000_000,
  )
  expect(parts.length).toBeGreaterThan(1)
  for (const part of parts) expect(part.length).toBeLessThan(6_000_000)
})
