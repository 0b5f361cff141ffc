import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createBackground } from '../src/model/narratives/background.ts'
import { inlineCrew, openCrew, threadCrew, type Crew } from '../src/import/crew.ts'
import { openNarrativeFile, toldOfWriting } from '../src/import/narrative-file.ts'
import { keeper, shelfOf } from '../src/import/narrative-shelves.ts'
import { generatedLines } from './import-files.ts'

const currentYear = 2026
const crews: Crew[] = []
const narratives = openNarrativeFile()

afterAll(async () => {
  for (const crew of crews) await crew.close()
  narratives.close()
})

function opened(crew: Crew): Crew {
  crews.push(crew)
  return crew
}

test('threads read a part of a file as this thread does', async () => {
  const text = [...generatedLines(400, 1), 'not a complaint\n'].join('')
  const [here, there] = [inlineCrew(), opened(threadCrew(2))]
  const [expected, ...read] = await Promise.all(
    [here, there, there].map((crew) =>
      crew.read({ bytes: Buffer.from(text), currentYear, target: narratives.target }),
    ),
  )
  expect(expected?.records).toBeGreaterThan(200)
  expect(expected).toMatchObject({ lines: 401, rejections: [{ line: 401, isFault: true }] })
  for (const one of read) {
    expect(Buffer.from(one.text).toString()).toBe(Buffer.from(expected?.text ?? []).toString())
    expect({ ...one, text: null, kept: null }).toEqual({ ...expected, text: null, kept: null })
    expect(one.kept.ends).toEqual(expected?.kept.ends)
  }
})

test('threads find the issues and the similar complaints that this thread finds', async () => {
  const background = createBackground(1_000)
  const texts = Array.from({ length: 60 }, (_, at) =>
    at % 2 === 0
      ? `The timing chain tensioner rattled and the oil pump failed ${at}.`
      : `The sunroof shattered while parked ${at}.`,
  )
  for (const [at, text] of texts.entries())
    background.add(String(at), at % 3 === 0 ? text : 'nothing of note')
  const kept = keeper()
  for (const [at, description] of texts.entries()) {
    const complaint = { odi: String(1_000 + at), make: 'norrvik', model: 'nv40', year: 2018 + (at % 2) }
    const told = { category: 'engine', component: 'Engine', repairCost: at, description } as const
    kept.add({ ...complaint, ...told }, `cmp_${complaint.odi}`)
  }
  const own = openNarrativeFile()
  own.add(kept.writeTo(own.target))
  const task = {
    ...{
      shelf: own.shelf(shelfOf('norrvik/nv40')),
      names: new Map([['norrvik/nv40', ['Norrvik', 'NV-40']]]),
    },
    ...{ background: background.counts(), categoryCosts: { engine: 900 } },
  }
  const [expected, found] = await Promise.all(
    [inlineCrew(), opened(threadCrew(1))].map((crew) => crew.mine(task)),
  )
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
  expect(text(expected?.issues)).toMatch(/sunroof shattered/i)
  expect(text(expected?.similar)).toMatch(/^cmp_1000\t/)
  expect(text(found?.issues)).toBe(text(expected?.issues))
  expect(text(found?.similar)).toBe(text(expected?.similar))
  expect(found?.complaints).toBe(60)
  own.close()
})

test('what goes wrong in a thread is told', async () => {
  const crew = opened(threadCrew(1))
  const task = { names: new Map(), background: createBackground(1).counts(), categoryCosts: {} }
  const shelf = { ...narratives.shelf(0), pieces: Float64Array.of(2 ** 40, 8) }
  await expect(crew.mine({ ...task, shelf })).rejects.toThrow(/shorter/)
})

test('what cannot be written to the temporary file is told, with what to do', async () => {
  const readOnly = openSync(fileURLToPath(import.meta.url), 'r')
  const crew = opened(threadCrew(1))
  const target = { descriptor: readOnly, end: new BigInt64Array(new SharedArrayBuffer(8)) }
  const bytes = Buffer.from([...generatedLines(400, 1)].join(''))
  const error: unknown = await crew.read({ bytes, currentYear, target }).catch(toldOfWriting)
  closeSync(readOnly)
  expect(error).toMatchObject({
    name: 'ImportError',
    message: expect.stringMatching(/cannot be written to a temporary file: EBADF.*TMPDIR names another/),
  })
  expect(toldOfWriting(new Error('EBADF'))).toEqual(new Error('EBADF'))
})

test('a small file is not worth a thread', () => {
  expect(openCrew(1_000).hands).toBe(1)
})
