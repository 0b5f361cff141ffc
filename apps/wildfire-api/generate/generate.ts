import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parse } from 'csv-parse/sync'
import { feature, neighbors } from 'topojson-client'
import { goneAreas, newAreas, territories } from './corrections.ts'

/*
 * Makes the tables of `data/`: `node generate/generate.ts WRC_CSV RELEASE`. WRC_CSV has the columns county_fips,
 * state_abbr, state_name, county_name, total_buildings, bp_national_rank and risk_national_rank of the sheet
 * "Counties" of the workbook; RELEASE is its date, such as 2026-04-15. Names of counties come from it, shapes from
 * us-atlas.
 */

const [wrcPath, release] = process.argv.slice(2)
if (wrcPath === undefined || !/^\d{4}-\d\d-\d\d$/.test(release ?? '')) {
  throw new Error('Expected two arguments: the path of the WRC table and its release, such as 2026-04-15.')
}
const require = createRequire(import.meta.url)
const atlas = JSON.parse(readFileSync(require.resolve('us-atlas/counties-10m.json'), 'utf8')) as Atlas
const wrc: WrcLine[] = parse(readFileSync(wrcPath), { columns: true, bom: true })
const places = placesOf(atlas)

const areas = [...namedAreas(wrc), ...territoryAreas(places)].toSorted((a, b) => (a.code < b.code ? -1 : 1))
const counties = areas.map(({ code, name, state, stateName, type }) => {
  const { centroid = ['', ''], neighbors: near = [] } = places.get(code) ?? {}
  return [code, name, state, stateName, type, ...centroid, near.join(' ')]
})
const ranks = wrc
  .filter((line) => line.risk_national_rank !== '')
  .map((line) => [line.county_fips, line.total_buildings, line.bp_national_rank, line.risk_national_rank])

const files = {
  'counties.csv': table(
    ['code', 'name', 'state', 'state_name', 'type', 'longitude', 'latitude', 'neighbors'],
    counties,
  ),
  'wrc-counties.csv': table(['code', 'buildings', 'bp_national_rank', 'risk_national_rank'], ranks),
}
for (const [name, text] of Object.entries(files)) writeFileSync(target(name), text)
writeFileSync(target('sources.json'), `${JSON.stringify(sources(), undefined, 2)}\n`)

function sources() {
  return [
    {
      file: 'wrc-counties.csv',
      source: 'USDA Forest Service, Wildfire Risk to Communities, sheet "Counties" of the download workbook',
      url: 'https://wildfirerisk.org/download/',
      release,
      licence: 'Public domain (17 USC 105)',
      rows: ranks.length,
      sha256: sha256(files['wrc-counties.csv']),
    },
    {
      file: 'counties.csv',
      source:
        'Names from the same workbook; names of territories, centroids and neighbours from us-atlas 3.0.1 (US Census Bureau cartographic boundaries, 2017), corrected for Connecticut (2022) and Alaska (2019)',
      url: 'https://github.com/topojson/us-atlas',
      release: `us-atlas ${(JSON.parse(readFileSync(require.resolve('us-atlas/package.json'), 'utf8')) as { version: string }).version}`,
      licence: 'ISC; Census data are in the public domain',
      rows: counties.length,
      sha256: sha256(files['counties.csv']),
    },
  ]
}

function namedAreas(lines: readonly WrcLine[]): Area[] {
  return lines.map(({ county_fips: code, county_name: name, state_abbr: state, state_name: stateName }) => ({
    ...{ code, name, state, stateName, type: typeOf(name) },
  }))
}

function territoryAreas(known: ReadonlyMap<string, Place>): Area[] {
  return [...known].flatMap(([code, place]) => {
    const territory = territories[code.slice(0, 2)]
    if (territory === undefined) return []
    const suffix = territory.state === 'PR' ? ' Municipio' : ''
    return [{ code, name: `${place.name}${suffix}`, ...territory }]
  })
}

/** "Anchorage Municipality" is a municipality; independent cities end in a small "city", Carson City is one too. */
function typeOf(name: string): string {
  if (name === 'District of Columbia') return 'District'
  const kinds = [
    ...['Planning Region', 'Census Area', 'City and Borough', 'Municipality', 'Borough', 'Parish', 'County'],
  ]
  return kinds.find((kind) => name.endsWith(` ${kind}`)) ?? (/ city$/i.test(name) ? 'Independent City' : '')
}

function placesOf({ objects: { counties: collection }, ...topology }: Atlas): Map<string, Place> {
  const geometries = collection.geometries
  const near = neighbors(geometries as never)
  const codeAt = (at: number) => String(geometries[at]?.id)
  const found = new Map<string, Place>(
    geometries.map((geometry, at) => {
      const shape = feature(topology as never, geometry as never) as unknown as Shape
      const around = (near[at] ?? []).map(codeAt).filter((code) => !goneAreas.includes(code))
      return [
        codeAt(at),
        { name: geometry.properties.name, centroid: centroidOf(shape.geometry), neighbors: around },
      ]
    }),
  )
  for (const code of goneAreas) found.delete(code)
  for (const [code, around] of Object.entries(newAreas)) {
    found.set(code, { name: '', neighbors: [...around] })
    for (const other of around) {
      const place = found.get(other)
      if (place !== undefined && !place.neighbors.includes(code)) place.neighbors.push(code)
    }
  }
  for (const place of found.values()) place.neighbors.sort()
  return found
}

/**
 * Area-weighted, in degrees, 4 decimals; islands beyond the 180th meridian are counted on from -180. Falls Church is
 * smaller than the grid of the boundaries, so its centre is the mean of its points.
 */
function centroidOf({ type, coordinates }: Shape['geometry']): [string, string] {
  const rings = (type === 'Polygon' ? [coordinates] : coordinates).flat(1) as Ring[]
  const points = rings.flat()
  const crosses = points.some(([x]) => x > 0) && points.some(([x]) => x < 0)
  const [x0, y0] = unwrap(points[0], crosses)
  let [area, sumX, sumY] = [0, 0, 0]
  for (const ring of rings) {
    for (let at = 0; at + 1 < ring.length; at++) {
      const [x1, y1] = unwrap(ring[at], crosses, x0, y0)
      const [x2, y2] = unwrap(ring[at + 1], crosses, x0, y0)
      const cross = x1 * y2 - x2 * y1
      area += cross
      sumX += (x1 + x2) * cross
      sumY += (y1 + y2) * cross
    }
  }
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [x, y] = area === 0 ? [mean(0), mean(1)] : [x0 + sumX / (3 * area), y0 + sumY / (3 * area)]
  return [(x < -180 ? x + 360 : x).toFixed(4), y.toFixed(4)]
}

/** A point as seen from another: products of whole longitudes would drown a small area in rounding. */
function unwrap(
  [x, y]: readonly [number, number] = [0, 0],
  crosses: boolean,
  x0 = 0,
  y0 = 0,
): readonly [number, number] {
  return [(crosses && x > 0 ? x - 360 : x) - x0, y - y0]
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('')
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function target(name: string): URL {
  return new URL(`../data/${name}`, import.meta.url)
}

type Ring = readonly (readonly [number, number])[]
type Place = { name: string; centroid?: [string, string]; neighbors: string[] }
type Area = { code: string; name: string; state: string; stateName: string; type: string }
type WrcLine = Record<
  | 'county_fips'
  | 'county_name'
  | 'state_abbr'
  | 'state_name'
  | 'total_buildings'
  | 'bp_national_rank'
  | 'risk_national_rank',
  string
>
type Shape = { geometry: { type: 'Polygon' | 'MultiPolygon'; coordinates: unknown[] } }
type Atlas = {
  objects: { counties: { geometries: { id: string; properties: { name: string } }[] } }
}
