import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Service } from './service.ts'

/** What wrk says of a measurement. Latencies in milliseconds. */
export type Load = { readonly perSecond: number; readonly p50: number; readonly p99: number }

/** A model year that is asked for. */
export type Vehicle = {
  /** make/model/year */
  readonly path: string
  /** make/model */
  readonly model: string
  readonly complaints: number
  /** Id of its newest complaint. */
  readonly newest: string
}

/** A kind of request. */
export type Kind = {
  readonly name: string
  /** What is asked for a vehicle, for comparisons together with another one. */
  readonly path: (vehicle: Vehicle, other: Vehicle) => string
}

export const kinds: readonly Kind[] = [
  kind('list, first page by date', ({ path }) => `/v1/complaints/${path}`),
  kind('list, a page further on', ({ path }) => `/v1/complaints/${path}?page=3`),
  kind(
    'list, the last page within the first 10,000',
    ({ path, complaints }) => `/v1/complaints/${path}?page=${Math.ceil(Math.min(10_000, complaints) / 20)}`,
  ),
  kind(
    'list of a category by mileage',
    ({ path }) => `/v1/complaints/${path}?category=engine&sort=mileage_asc`,
  ),
  kind('one complaint', ({ newest }) => `/v1/complaints/${newest}`),
  kind('statistics of ten model years', ({ model }) => `/v1/statistics/${model}?year_from=2005&year_to=2014`),
  kind('model year', ({ path }) => `/v1/vehicles/${path}`),
  kind(
    'comparison of two model years',
    ({ path }, other) => `/v1/statistics/compare?vehicles=${path},${other.path}`,
  ),
]

function kind(name: string, path: Kind['path']): Kind {
  return { name, path }
}

/** The model years of the first data version that have three pages of complaints. */
export async function vehiclesOf(databaseUrl: string): Promise<Vehicle[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ make: string; model: string; year: number; n: number; id: string }>(
    `select make.slug as make, model.slug as model, year, model_year.complaints as n, (
       select id from vehicle.complaint_1 as c
       where (c.make, c.model, c.year) = (model_year.make, model_year.model, model_year.year)
       order by listed_on desc limit 1
     ) as id
     from vehicle.model_year_1 as model_year
     join vehicle.model_1 as model using (make, model) join vehicle.make_1 as make using (make)
     where model_year.complaints > 40 order by 1, 2, 3`,
  )
  await client.end()
  return rows.map(({ make, model, year, n, id }) => ({
    ...{ path: `${make}/${model}/${year}`, model: `${make}/${model}`, complaints: n, newest: id },
  }))
}

/** Asks a service for vehicles at random. @throws Error when an answer was not a success */
export async function ask(
  { url, keys }: Service,
  paths: readonly string[],
  { directory, connections, seconds, seed }: AskOptions,
): Promise<Load> {
  const [pathFile, keyFile] = [join(directory, 'paths'), join(directory, 'keys')]
  writeFileSync(pathFile, `${paths.join('\n')}\n`)
  writeFileSync(keyFile, `${keys.join('\n')}\n`)
  const wrk = spawn('wrk', [
    ...['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url],
    ...['--', pathFile, keyFile, String(seed)],
  ])
  const [output, errors] = await Promise.all([text(wrk.stdout), text(wrk.stderr), once(wrk, 'close')])
  if (/Non-2xx|Socket errors/.test(output) || !/[1-9]\d* requests in/.test(output)) {
    throw new Error(`Not every answer of ${paths[0] ?? ''} and its like was a success:\n${output}${errors}`)
  }
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p50: milliseconds(output, '50%'),
    p99: milliseconds(output, '99%'),
  }
}

export type AskOptions = {
  readonly directory: string
  readonly connections: number
  readonly seconds: number
  readonly seed: number
}

const script = fileURLToPath(new URL('reads.lua', import.meta.url))

function milliseconds(output: string, percentile: string): number {
  const [, value = '', unit = ''] = new RegExp(`${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? []
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1)
}
