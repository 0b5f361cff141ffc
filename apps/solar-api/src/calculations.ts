import { accountProblems, callerOf, nameField } from '@hearth/account'
import { toCsv, type CsvValue } from '@hearth/chassis/csv'
import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import Joi from 'joi'
import { noSuchCalculation } from './calculation-access.ts'
import { calculationIdPattern, isCalculationId } from './calculation-id.ts'
import { capacityOf } from './calculation-limits.ts'
import {
  countCalculations,
  deleteRow,
  findCalculation,
  findCashFlow,
  listCalculations as listRows,
  listRevisions,
  renameRow,
} from './calculation-rows.ts'
import type { SavedContext } from './calculation-save.ts'
import {
  idParameters,
  lineSchema,
  presentLine,
  presentSaved,
  revisionQuery,
  savedSchema,
  unknownId,
} from './calculation-schema.ts'
import { envelope } from './deployment.ts'
import { solarProblems } from './problems.ts'
import { sendTagged } from './tagged-answer.ts'

/** GET /v1/calculations */
export function listCalculations({ db, clock }: SavedContext): Endpoint {
  return endpoint(describeList(), async ({ query: { limit, cursor } }, req, res) => {
    const { tag } = callerOf(res)
    const [rows, total] = await Promise.all([
      listRows(db, tag, { before: cursor, limit: limit + 1 }),
      countCalculations(db, tag),
    ])
    const page = rows.slice(0, limit).map(presentLine)
    const nextCursor = rows.length > limit ? (page.at(-1)?.id ?? null) : null
    const link = `/v1/calculations?limit=${limit}&cursor=${nextCursor}`
    const headers = nextCursor === null ? [] : ['Link', `<${link}>; rel="next"`]
    const capacity = capacityOf(res.locals.standing?.plan ?? '')
    const data = { calculations: page, total, capacity, nextCursor }
    await sendTagged(req, res, JSON.stringify(data), envelope.wrap(data, new Date(clock())), headers)
  })
}

/** GET /v1/calculations/{id} */
export function getCalculation({ db, clock }: SavedContext): Endpoint {
  return endpoint(describeGet(), async ({ params: { id }, query }, req, res) => {
    const { tag } = callerOf(res)
    if (!isCalculationId(id)) throw noSuchCalculation()
    const row = await findCalculation(db, tag, id, query.revision)
    if (row === undefined) throw noSuchCalculation()
    const data = presentSaved(row, await listRevisions(db, tag, id))
    await sendTagged(req, res, JSON.stringify(data), envelope.wrap(data, new Date(clock())))
  })
}

/** GET /v1/calculations/{id}/cash-flow.csv */
export function getCashFlow({ db }: SavedContext): Endpoint {
  return endpoint(describeCashFlow(), async ({ params: { id }, query }, req, res) => {
    const { tag } = callerOf(res)
    const text = isCalculationId(id) ? await findCashFlow(db, tag, id, query.revision) : undefined
    if (text === undefined) throw noSuchCalculation()
    const rows = JSON.parse(text) as Readonly<Record<string, CsvValue>>[] // written by runCalculation
    const csv = toCsv(Object.keys(rows[0] ?? {}), rows)
    await sendTagged(req, res, csv, csv, [
      ...['Content-Type', 'text/csv; charset=utf-8; header=present'],
      ...['Content-Disposition', `attachment; filename="cash-flow-${id}.csv"`],
    ])
  })
}

/** PATCH /v1/calculations/{id} */
export function renameCalculation({ db, clock }: SavedContext): Endpoint {
  return endpoint(describeRename(), async ({ params: { id }, body: { name } }, _req, res) => {
    const { tag } = callerOf(res)
    if (!isCalculationId(id) || !(await renameRow(db, tag, id, name))) throw noSuchCalculation()
    const row = await findCalculation(db, tag, id)
    if (row === undefined) throw noSuchCalculation()
    await send(res, 200, envelope.wrap({ ...presentLine(row), name }, new Date(clock())))
  })
}

/** DELETE /v1/calculations/{id} */
export function deleteCalculation({ db, clock }: SavedContext): Endpoint {
  return endpoint(describeDelete(), async ({ params: { id } }, _req, res) => {
    const { tag } = callerOf(res)
    if (!isCalculationId(id) || !(await deleteRow(db, tag, id))) throw noSuchCalculation()
    await send(res, 200, envelope.wrap({ id, deleted: true }, new Date(clock())))
  })
}

const tag = 'Saved calculations'
const { plan_upgrade_required } = accountProblems
const notFound = [solarProblems.calculation_not_found]
const readable = [...notFound, plan_upgrade_required]
const notChanged = {
  description: 'The client has it already: it is what `If-None-Match` names. Costs no quota.',
}
const alsoWithout =
  'Also for accounts whose plan no longer includes saved calculations, as long as they have some.'
const noSuch = { name: 'no such calculation', status: 404, params: { id: unknownId } }

function describeList() {
  const data = record({
    calculations: Joi.array().items(lineSchema),
    total: Joi.number().integer().description('Calculations of the account, over all pages.'),
    capacity: Joi.number().integer().description('How many the plan keeps.'),
    nextCursor: Joi.string().allow(null).description('For the next page; null on the last one.'),
  })
  return {
    id: 'listCalculations',
    summary: 'The saved calculations',
    description: `Newest first. The next page is also in the header \`Link\`; calculations that are saved or deleted meanwhile move no others from page to page. ${alsoWithout}`,
    tag,
    query: Joi.object<{ limit: number; cursor?: string }>({
      limit: Joi.number().integer().min(1).max(100).default(25).description('Calculations per page.'),
      cursor: Joi.string()
        .pattern(calculationIdPattern, 'nextCursor of the page before')
        .description('`nextCursor` of the page before.'),
    }),
    responses: {
      200: { description: 'A page.', schema: envelope.schema(data), headers: ['Link'] as const },
      304: notChanged,
    },
    problems: [plan_upgrade_required],
    examples: [{ name: 'the first page', status: 200, query: { limit: '10' } }],
  }
}

function describeGet() {
  return {
    id: 'getCalculation',
    summary: 'A saved calculation',
    description: `Its input and its result as they were answered. ${alsoWithout}`,
    tag,
    params: idParameters,
    query: revisionQuery,
    responses: {
      200: { description: 'The calculation.', schema: envelope.schema(savedSchema) },
      304: notChanged,
    },
    problems: readable,
    examples: [noSuch],
  }
}

function describeCashFlow() {
  return {
    id: 'getCashFlowCsv',
    summary: 'The yearly table of a saved calculation',
    description: `CSV (RFC 4180) with the columns of \`cashFlow\`, calculated and kept with the result; of a simulation, the table of its inputs without uncertainty. ${alsoWithout}`,
    tag,
    params: idParameters,
    query: revisionQuery,
    responses: {
      200: {
        description: 'A header and a line per year.',
        schema: Joi.string(),
        mediaType: 'text/csv',
        headers: ['Content-Disposition'] as const,
      },
      304: notChanged,
    },
    problems: readable,
    examples: [noSuch],
  }
}

function describeRename() {
  return {
    id: 'renameCalculation',
    summary: 'Rename a saved calculation',
    tag,
    params: idParameters,
    body: Joi.object<{ name: string }>({
      name: nameField(200).required().description('The new name, 1 to 200 characters.'),
    }),
    responses: { 200: { description: 'The calculation.', schema: envelope.schema(lineSchema) } },
    problems: notFound,
    examples: [{ ...noSuch, body: { name: 'North roof' } }],
  }
}

function describeDelete() {
  return {
    id: 'deleteCalculation',
    summary: 'Delete a saved calculation',
    description: `With all its revisions; this cannot be undone. ${alsoWithout}`,
    tag,
    params: idParameters,
    responses: {
      200: {
        description: 'The calculation is deleted.',
        schema: envelope.schema(record({ id: Joi.string(), deleted: Joi.boolean() })),
      },
    },
    problems: readable,
    examples: [noSuch],
  }
}
