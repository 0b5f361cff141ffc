import { createBackground } from '../src/model/narratives/background.ts'
import { inlineCrew, openCrew, threadCrew, type Crew, type ModelNarratives } from '../src/import/crew.ts'
import { generatedLines } from './import-files.ts'

const currentYear = 2026
const crews: Crew[] = []

afterAll(async () => {
  for (const crew of crews) await crew.close()
})

function opened(crew: Crew): Crew {
  crews.push(crew)
  return crew
}

test('threads read a part of a file as this thread does', async () => {
  const bytes = Buffer.from([...generatedLines(400, 1), 'not a complaint\n'].join(''))
  const [here, there] = [inlineCrew(), opened(threadCrew(2))]
  const [expected, ...read] = await Promise.all(
    [here, there, there].map((crew) => crew.read({ bytes, currentYear })),
  )
  expect(expected?.records).toBeGreaterThan(200)
  expect(expected).toMatchObject({ lines: 401, rejections: [{ line: 401, isFault: true }] })
  for (const one of read) {
    expect(Buffer.from(one.text).toString()).toBe(Buffer.from(expected?.text ?? []).toString())
    expect({ ...one, text: null }).toEqual({ ...expected, text: null })
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
  const model: ModelNarratives = {
    ...{ make: 'norrvik', model: 'nv40', names: ['Norrvik', 'NV-40'], texts },
    heads: texts.map((_, at) =>
      ['cmp_' + String(1_000 + at), 2018 + (at % 2), 'engine', at, 'Engine'].join('\t'),
    ),
  }
  const task = { models: [model], background: background.counts(), categoryCosts: { engine: 900 } }
  const [expected, found] = await Promise.all(
    [inlineCrew(), opened(threadCrew(1))].map((crew) => crew.mine(task)),
  )
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
  expect(text(expected?.issues)).toMatch(/sunroof shattered/i)
  expect(text(expected?.similar)).toMatch(/^cmp_1000\t/)
  expect(text(found?.issues)).toBe(text(expected?.issues))
  expect(text(found?.similar)).toBe(text(expected?.similar))
  expect(found?.complaints).toBe(60)
})

test('what goes wrong in a thread is told', async () => {
  const crew = opened(threadCrew(1))
  const broken = { models: [null], background: createBackground(1).counts(), categoryCosts: {} }
  await expect(crew.mine(broken as never)).rejects.toThrow(/null/)
})

test('a small file is not worth a thread', () => {
  expect(openCrew(1_000).hands).toBe(1)
})
