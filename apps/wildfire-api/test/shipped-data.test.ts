import { parse } from 'csv-parse/sync'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { retiredCodes } from '../src/county-code.ts'
import { shippedFile, shippedSources } from '../src/shipped-data.ts'

const counties: Record<string, string>[] = parse(readFileSync(shippedFile('counties.csv')), { columns: true })
const ranks: Record<string, string>[] = parse(readFileSync(shippedFile('wrc-counties.csv')), {
  columns: true,
})

test.each(shippedSources())('$file is the file whose origin, licence and checksum are recorded', (origin) => {
  const text = readFileSync(shippedFile(origin.file))

  expect(createHash('sha256').update(text).digest('hex')).toBe(origin.sha256)
  expect(parse(text, { columns: true })).toHaveLength(origin.rows)
  expect(origin.licence).toMatch(/public domain/i)
  expect(origin.source.length).toBeGreaterThan(20)
})

test('the wildfire table has 3,143 counties with ranks that are spread evenly', () => {
  expect(ranks).toHaveLength(3143)
  for (const column of ['bp_national_rank', 'risk_national_rank']) {
    const sorted = ranks.map((row) => Number(row[column])).toSorted((a, b) => a - b)
    const deviations = sorted.map((rank, at) => Math.abs(rank - at / 3142))
    expect(Math.max(...deviations)).toBeLessThan(0.0006)
  }
})

test('every county of the wildfire table has a name and a place', () => {
  const codes = new Set(counties.map(({ code }) => code))
  expect(ranks.filter(({ code }) => !codes.has(code))).toEqual([])
  expect(codes.size).toBe(3233)
})

test('neighbours are neighbours of each other, and none is retired', () => {
  const near = new Map(
    counties.map(({ code = '', neighbors = '' }) => [code, neighbors.split(' ').filter(Boolean)]),
  )
  const oneSided = [...near].flatMap(([code, others]) =>
    others.filter((other) => !near.get(other)?.includes(code)).map((other) => `${code} ${other}`),
  )
  expect(oneSided).toEqual([])
  expect(near.get('06061')).toEqual(['06017', '06057', '06067', '06101', '06115', '32005', '32031', '32510'])
  expect(near.get('09120')).toEqual(['09140', '09170', '09190'])
})

test('centres lie in the United States', () => {
  for (const { code, longitude, latitude } of counties.filter((county) => county['longitude'] !== '')) {
    const [x, y] = [Number(longitude), Number(latitude)]
    expect({ code, isInside: y > -15 && y < 72 && (x < -64 || x > 144) }).toEqual({ code, isInside: true })
  }
  expect(counties.filter(({ longitude }) => longitude === '')).toHaveLength(11)
})

test('retired codes are no counties, and what took their place is', () => {
  const codes = new Set(counties.map(({ code = '' }) => code))
  for (const [code, { by }] of Object.entries(retiredCodes)) {
    expect([code, codes.has(code), by.every((other) => codes.has(other))]).toEqual([code, false, true])
  }
})
