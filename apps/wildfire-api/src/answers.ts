import { toCsv } from '@hearth/chassis/csv'
import { entityTag, isNamed } from '@hearth/chassis/entity-tag'
import { send } from '@hearth/chassis/http'
import type { ResponseDescription } from '@hearth/chassis/endpoint'
import type { Request, Response } from 'express'
import Joi from 'joi'
import { presentHazards, presentVintage } from './county-risk.ts'
import { vintageSchema } from './county-schema.ts'
import { envelope } from './deployment.ts'
import type { County, Snapshot } from './snapshot.ts'
import { flatten, provenanceColumns, toGeoJson, type Row } from './table.ts'

/** An answer about counties in the forms it can be had in. */
export type CountyAnswer = {
  readonly snapshot: Snapshot
  /** The JSON body, made only when it is asked for. */
  readonly json: () => unknown
  /** The counties of the CSV and GeoJSON forms, in order. */
  readonly counties: readonly County[]
  /** Further headers (flat list of names and values). */
  readonly headers?: readonly string[]
}

/**
 * Answers a question about counties as JSON, CSV or GeoJSON, whichever the client prefers. A client that shows the
 * ETag of what it has gets 304, which costs no quota.
 */
export function sendCounties(req: Request, res: Response, answer: CountyAnswer): Promise<void> | undefined {
  const { snapshot, headers = [] } = answer
  const type = req.headers.accept === undefined ? types[0] : req.accepts([...types]) || types[0]
  const etag = entityTag(snapshot.stamp, req.originalUrl, res.locals.standing?.plan ?? '', type)
  const tagged = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept, X-API-Key']
  if (isNamed(etag, req.headers['if-none-match'])) return send(res, 304, undefined, tagged)
  const common = [...tagged, ...headers]
  if (type === 'text/csv') {
    return send(res, 200, csvOf(answer), [
      'Content-Type',
      'text/csv; charset=utf-8; header=present',
      ...common,
    ])
  }
  if (type === 'application/geo+json') {
    const rows = answer.counties.map((county) => rowOf(snapshot, county))
    const body = JSON.stringify(toGeoJson(rows, presentVintage(snapshot)))
    return send(res, 200, body, ['Content-Type', 'application/geo+json', ...common])
  }
  return send(res, 200, answer.json(), ['Content-Type', 'application/json; charset=utf-8', ...common])
}

/** Describes the answers of {@link sendCounties}. @param data schema of `data` in the JSON form */
export function countyResponses(description: string, data: Joi.Schema): Record<number, ResponseDescription> {
  const schema = Joi.alternatives().try(
    envelope.schema(data),
    geoJsonSchema,
    Joi.string().description(
      'CSV: a header and one line per county (RFC 4180). Each line says itself why a cell is empty (coverageReason, coverageNotes), which releases it was made from (wrcRelease, nriRelease, dataVersion), and has the disclaimer.',
    ),
  )
  return {
    200: { description, schema, mediaType: types },
    304: { description: 'The client has it already: it is what `If-None-Match` names. Costs no quota.' },
  }
}

const types = ['application/json', 'text/csv', 'application/geo+json'] as const

const geoJsonSchema = Joi.object({
  type: Joi.string().valid('FeatureCollection').required(),
  dataVintage: vintageSchema.required(),
  disclaimer: Joi.string().required(),
  features: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().valid('Feature').required(),
        id: Joi.string().required(),
        geometry: Joi.object({
          type: Joi.string().valid('Point').required(),
          coordinates: Joi.array().items(Joi.number()).length(2).required(),
        })
          .allow(null)
          .required(),
        properties: Joi.object()
          .unknown()
          .required()
          .description(
            'The columns of the CSV form: coverageReason says why there is no score, coverageNotes why others are null.',
          ),
      }),
    )
    .required(),
}).description('GeoJSON (RFC 7946): counties as points.')

function csvOf({ snapshot, counties }: CountyAnswer): string {
  const lineOf = (county: County) => ({
    ...rowOf(snapshot, county),
    ...provenanceColumns(presentVintage(snapshot)),
  })
  const [any] = snapshot.counties.values()
  const columns = any === undefined ? [] : Object.keys(lineOf(any))
  return toCsv(columns, counties.map(lineOf))
}

function rowOf(snapshot: Snapshot, county: County): Row {
  return flatten(presentHazards(snapshot, county), county, snapshot.releases)
}
