import fc from 'fast-check'
import { gzipSync } from 'node:zlib'
import { longestLine, readLines, splitLines } from '../src/import/read-lines.ts'
import { collect, openFolder, zipOf } from './archive.ts'

const folder = openFolder()

async function linesOf(path: string): Promise<(string | null)[]> {
  return (await collect(readLines(path))).flatMap(({ lines }) => [...lines])
}

async function linesIn(...chunks: (Buffer | string)[]): Promise<(string | null)[]> {
  return (await collect(splitLines(chunks.map((chunk) => Buffer.from(chunk))))).flat()
}

describe('lines', () => {
  test.each([
    ['with CRLF', 'a\tb\r\nc\r\n', ['a\tb', 'c']],
    ['with LF', 'a\tb\nc\n', ['a\tb', 'c']],
    ['without an end of the last one', 'a\r\nb', ['a', 'b']],
    ['that are empty', '\r\n\nx\n', ['', '', 'x']],
    ['with a byte order mark before them', '\ufeffa\nb\n', ['a', 'b']],
    ['with a NUL', 'a\0b\n', ['a b']],
    ['with a carriage return in them', 'a\rb\r\n', ['a\rb']],
    ['that are not there', '', []],
  ])('%s', async (_, text, expected) => {
    expect(await linesIn(text)).toEqual(expected)
  })

  test('are UTF-8 or else Windows-1252, each on its own', async () => {
    const windows = Buffer.from([0x44, 0x4f, 0x4e, 0x92, 0x54, 0x20, 0x81, 0x0a])
    expect(await linesIn('it’s “so”\n', windows, 'é\n')).toEqual(['it’s “so”', 'DON’T \u0081', 'é'])
  })

  test('that are too long are told apart, and those around them are not harmed', async () => {
    const fits = 'x'.repeat(longestLine)
    const long = `${fits}x`
    expect(await linesIn('a\n', `${long}\n`, 'b\n')).toEqual(['a', null, 'b'])
    expect(await linesIn(`${fits}\n${long}`)).toEqual([fits, null])
    expect(await linesIn(fits, fits, 'end\nb')).toEqual([null, 'b'])
  })

  test('are the same however the bytes are cut into pieces', async () => {
    const bytes = fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(...pieces)), {
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(bytes, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), async (parts, sizes) => {
        const whole = Buffer.concat(parts)
        expect(await linesIn(...cut(whole, sizes))).toEqual(await linesIn(whole))
      }),
    )
  })
})

const pieces = ['\r\n', '\n', '\r', '\t', 'Ö“\n', '\ufeff'].map((text) => Buffer.from(text))

function cut(whole: Buffer, sizes: Iterator<number>): Buffer[] {
  const chunks: Buffer[] = []
  let start = 0
  while (start < whole.length) {
    const end = start + (sizes.next().value as number)
    chunks.push(whole.subarray(start, end))
    start = end
  }
  return chunks
}

describe('a file', () => {
  const text = 'one\r\ntwo\r\nthree'

  test.each([
    ['plain', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['gzip in two parts', Buffer.concat([gzipSync('one\r\ntw'), gzipSync('o\r\nthree')])],
    ['zip', zipOf({ 'FLAT_CMPL.txt': text })],
    ['zip without compression', zipOf({ 'cmpl.lst': text }, { store: true })],
    ['zip beside other files', zipOf({ 'readme.pdf': 'x', '__MACOSX/a.txt': 'y', 'in/a.TXT': text })],
  ])('is read when it is %s, whatever its name', async (_, content) => {
    expect(await linesOf(folder.write('file.bin', content))).toEqual(['one', 'two', 'three'])
  })

  test('is read member by member when it is a zip with several, and the numbers run on', async () => {
    const path = folder.write('two.zip', zipOf({ 'a.txt': 'one\ntwo', 'b.txt': 'three\n' }))
    expect(await collect(readLines(path))).toEqual([
      { first: 1, lines: ['one'] },
      { first: 2, lines: ['two'] },
      { first: 3, lines: ['three'] },
    ])
  })

  test('tells how far it is, up to its end', async () => {
    for (const content of [Buffer.from(text), gzipSync(text), zipOf({ 'a.txt': text, 'b.txt': text })]) {
      const shares: number[] = []
      await collect(readLines(folder.write('progress', content), (share) => shares.push(share)))
      expect(shares.at(-1)).toBe(1)
      expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    }
  })

  test.each([
    ['nothing', '', /^It is empty\. Download it again\.$/],
    ['a web page', '<!DOCTYPE html><html>', /web page/],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le'), /UTF-16/],
    ['a zip without a text file', zipOf({ 'a.csv': 'x' }), /Expected a text file \(\.txt\).*it has: a\.csv/],
    [
      'a zip that was cut off',
      zipOf({ 'a.txt': text.repeat(99) }).subarray(0, -30),
      /not a whole zip file: .* truncated\. Download it again\.$/,
    ],
    ['a gzip that was cut off', gzipSync(text.repeat(99)).subarray(0, -9), /cannot be read to the end/],
    [
      'a zip whose content was changed',
      damaged(zipOf({ 'a.txt': text }, { store: true })),
      /check sum is wrong/,
    ],
  ])('that holds %s is refused with the reason', async (_, content, reason) => {
    await expect(linesOf(folder.write('bad', content))).rejects.toThrow(reason)
  })

  test('that is not there is refused', async () => {
    await expect(linesOf('/nowhere/file.txt')).rejects.toThrow(/It cannot be read: ENOENT/)
  })

  test('may be left before its end', async () => {
    for (const content of [Buffer.from(text), gzipSync(text), zipOf({ 'a.txt': text })]) {
      const lines = readLines(folder.write('early', content))
      expect((await lines.next()).done).toBe(false)
      await lines.return(undefined)
    }
  })

  test('of any bytes is read or refused with a sentence', async () => {
    const magic = fc.constantFrom('', 'PK\u0003\u0004', 'PK', '\u001f\u008b\u0008', '<html', '\u00ff\u00fe')
    await fc.assert(
      fc.asyncProperty(magic, fc.uint8Array({ maxLength: 300 }), async (start, rest) => {
        const path = folder.write('any', Buffer.concat([Buffer.from(start, 'latin1'), rest]))
        const outcome = await linesOf(path).catch((error: unknown) => error)
        expect(outcome instanceof Error ? outcome.name : 'read').toMatch(/^(?:read|ImportError)$/)
      }),
      { numRuns: 60 },
    )
  })
})

/** Another letter in the middle of the content. */
function damaged(zip: Buffer): Buffer {
  const copy = Buffer.from(zip)
  copy[copy.indexOf('two')] = 0x78
  return copy
}
