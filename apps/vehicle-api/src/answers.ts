import { toCsv, type CsvValue } from '@hearth/chassis/csv'
import { record, type ResponseDescription } from '@hearth/chassis/endpoint'
import { entityTag, isNamed } from '@hearth/chassis/entity-tag'
import { send } from '@hearth/chassis/http'
import type { Request, Response } from 'express'
import Joi from 'joi'
import type { Kysely } from 'kysely'
import type { ServedData } from './served-data.ts'
import type { ServedVersion } from './served-version.ts'
import { date } from './vehicle-schema.ts'

/** A question that was understood: what it is about exists, and nothing was read from the database yet. */
export type Question = {
  /** What the answer depends on besides data, address, form and plan. */
  readonly key?: string
  readonly answer: (db: Kysely<unknown>) => Answer | Promise<Answer>
}

/** What is answered. */
export type Answer = {
  readonly data: object
  /** Members of `meta` besides those of every answer. */
  readonly meta?: object
  /** Rows of the CSV form, for endpoints that have one. */
  readonly csv?: CsvTable
  /** Further headers (flat list of names and values). */
  readonly headers?: readonly string[]
}

type CsvTable = {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, CsvValue>>[]
}

/**
 * Answers a question from one data version: `{success, data, meta}`. A client that shows the ETag of what it has
 * gets 304, which costs no quota and reads nothing.
 *
 * @param understand finds what the question is about in the catalogue of the version; throws HttpError
 */
export async function answer(
  data: ServedData,
  req: Request,
  res: Response,
  understand: (version: ServedVersion) => Question,
  forms: readonly string[] = ['application/json'],
): Promise<void> {
  const form = chosenForm(req, forms)
  const reply = await data.read(async (version, db) => {
    const question = understand(version)
    const parts = [version.stamp, res.locals.standing?.plan ?? '', form, question.key ?? '', req.originalUrl]
    const etag = entityTag(...parts)
    // Whether there is anything that `*` could stand for is known only when it was read.
    const named = req.headers['if-none-match']
    if (named !== '*' && isNamed(etag, named)) return { etag, body: undefined, headers: [] }
    const made = written(version, await question.answer(db), form)
    return named === '*' ? { etag, body: undefined, headers: [] } : { etag, ...made }
  })
  const { etag, body, headers } = reply
  const common = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept, Authorization']
  await send(res, body === undefined ? 304 : 200, body, [...common, ...headers])
}

/** Describes the answers of {@link answer}. @param data schema of `data` @param meta further members of `meta` */
export function answers(
  description: string,
  data: Joi.Schema,
  meta: Readonly<Record<string, Joi.Schema>> = {},
): Record<200 | 304, ResponseDescription> {
  return {
    200: { description, schema: envelopeSchema(data, meta) },
    304: { description: 'The client has it already: it is what `If-None-Match` names. Costs no quota.' },
  }
}

/** The same for endpoints that also answer with CSV. */
export function answersWithCsv(
  ...[description, data, meta]: Parameters<typeof answers>
): Record<200 | 304, ResponseDescription> {
  const described = answers(description, data, meta)
  const schema = Joi.alternatives().try(
    envelopeSchema(data, meta),
    Joi.string().description('CSV (RFC 4180): a header and one line per entry.'),
  )
  return { ...described, 200: { description, schema, mediaType: [...formsWithCsv] } }
}

/** The forms of an endpoint that has a table. */
export const formsWithCsv = ['application/json', 'text/csv'] as const

function envelopeSchema(data: Joi.Schema, meta: Readonly<Record<string, Joi.Schema>> = {}): Joi.Schema {
  return record({
    success: Joi.boolean().valid(true),
    data,
    meta: record({ ...meta, ...provenanceFields }).description(
      'Which data the answer was made from; of lists also their size and page.',
    ),
  })
}

const provenanceFields = {
  data_version: Joi.number()
    .integer()
    .description('Number of the data version; grows by one whenever other data are published.'),
  data_vintage: date('Date of the newest complaint of the data').allow(null),
  sample: Joi.boolean().description('True while generated sample data with invented makes are served.'),
}

function provenance({ number, datasets, isSample }: ServedVersion) {
  const complaints = datasets.find(({ kind }) => kind === 'complaints')
  return { data_version: number, data_vintage: complaints?.lastDate ?? null, sample: isSample }
}

function written(version: ServedVersion, { data, meta, csv, headers = [] }: Answer, form: string) {
  if (form === 'text/csv' && csv !== undefined) {
    const type = ['Content-Type', 'text/csv; charset=utf-8; header=present']
    return { body: csvOf(version, csv), headers: [...type, ...headers] }
  }
  return { body: { success: true, data, meta: { ...meta, ...provenance(version) } }, headers }
}

/** A file loses its headers on the way, so rows of the sample say themselves what they are. */
function csvOf({ isSample }: ServedVersion, { columns, rows }: CsvTable): string {
  return isSample
    ? toCsv(
        [...columns, 'sample'],
        rows.map((row) => ({ ...row, sample: true })),
      )
    : toCsv(columns, rows)
}

function chosenForm(req: Request, forms: readonly string[]): string {
  const [usual = ''] = forms
  if (forms.length === 1 || req.headers.accept === undefined) return usual
  return req.accepts([...forms]) || usual
}
