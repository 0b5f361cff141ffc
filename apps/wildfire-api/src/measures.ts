import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import Joi from 'joi'
import { createHash } from 'node:crypto'
import { envelope } from './deployment.ts'
import {
  costBasis,
  evidence,
  grades,
  orderAdvice,
  programRules,
  programs,
  sources,
} from './model/evidence.ts'
import { quantityTexts } from './model/geometry.ts'
import { catalogVersion, measureIds, measures, type Cases, type Measure } from './model/measures.ts'

/** GET /v1/hardening/measures. The catalogue changes only with the program, so clients can keep it. */
export function listMeasures(): Endpoint {
  const body = JSON.stringify(envelope.wrap(catalog, new Date(0)))
  return endpoint(describeMeasures, (_input, req, res) => {
    const plan = res.locals.standing?.plan ?? ''
    const digest = createHash('sha256').update(`${body}\n${plan}\n${req.originalUrl}`).digest('base64url')
    res.set({ ETag: `"${digest.slice(0, 22)}"` }) // fresh compares it with If-None-Match
    const headers = ['Cache-Control', 'private, no-cache', 'Vary', 'X-API-Key']
    if (req.fresh) return send(res, 304, undefined, headers)
    return send(res, 200, body, ['Content-Type', 'application/json; charset=utf-8', ...headers])
  })
}

const describeMeasures = {
  id: 'listHardeningMeasures',
  summary: 'What can be done to a home',
  description:
    'The catalogue of hardening measures: unit costs, upkeep, lives, effects with the grade of their evidence, premium discounts in California, and the programs that ask for them. `POST /v1/hardening/roi` works out what they are worth for a home.',
  tag: 'Hardening',
  responses: {
    200: { description: 'The catalogue.', schema: envelope.schema(catalogSchema()) },
    304: { description: 'The client has it already: it is what `If-None-Match` names. Costs no quota.' },
  },
  examples: [{ name: 'the catalogue', status: 200 }],
}

function presentMeasure(measure: Measure) {
  const {
    grade,
    explanation,
    saferFromWildfires,
    wildfirePreparedHome,
    sources: cited,
  } = evidence[measure.id]
  return {
    id: measure.id,
    name: measure.name,
    explanation,
    component: measure.component,
    pathway: measure.pathway,
    unit: measure.unit,
    quantity: quantityTexts[measure.quantity],
    unitCost: fromLow(measure.unitCost),
    upkeepPerYear: measure.upkeep,
    lifeYears: measure.lifeYears,
    oddsRatio: measure.oddsRatio,
    stockShare: measure.stockShare,
    premiumDiscount: fromLow(measure.discount),
    requires: measure.requires,
    programs: { saferFromWildfires, wildfirePreparedHome },
    evidence: { grade, explanation: grades[grade], sources: cited.map((id) => sources[id]) },
    costSource: sources.headwaters_ibhs_2024,
  }
}

/** Cases by size: the optimistic cost is the lowest, the optimistic discount the highest. */
function fromLow({ optimistic, central, pessimistic }: Cases): object {
  return {
    low: Math.min(optimistic, pessimistic),
    typical: central,
    high: Math.max(optimistic, pessimistic),
  }
}

function catalogSchema(): Joi.ObjectSchema {
  const text = Joi.string()
  return record({
    catalogVersion: text.description('Changes with any number of the catalogue.'),
    measures: Joi.array().items(measureSchema()).description('In catalogue order.'),
    programs: Joi.array().items(
      record({
        id: Joi.string().valid(...programs.map(({ id }) => id)),
        name: text,
        states: Joi.array().items(text).description('Where it applies, two letters each.'),
        description: text,
      }),
    ),
    programRules: Joi.array().items(text).description('Rules of funding programs.'),
    orderAdvice: text.description('What to do first when money does not decide.'),
    costBasis: text,
  })
}

function measureSchema(): Joi.ObjectSchema {
  const text = Joi.string()
  return record({
    id: Joi.string().valid(...measureIds),
    name: text,
    explanation: text.description('How it works.'),
    component: text,
    pathway: Joi.string().valid('ember', 'flame', 'radiant').description('How fire reaches the house there.'),
    unit: text,
    quantity: text.description('How many units a home needs.'),
    unitCost: sizes('USD of 2024 per unit.'),
    upkeepPerYear: Joi.number().description('USD.'),
    lifeYears: Joi.number().integer().description('Years until the work is paid for again.'),
    oddsRatio: record({
      optimistic: Joi.number(),
      central: Joi.number(),
      pessimistic: Joi.number(),
    }).description(
      'Odds that fire, once there, destroys the home with the measure over those without it. Calibrated by judgement.',
    ),
    stockShare: Joi.number().description('Share of today’s homes taken to have it.'),
    premiumDiscount: sizes('Share of the premium that Californian insurers take off.'),
    requires: Joi.array()
      .items(Joi.string().valid(...measureIds))
      .description('Measures that must be in place with it.'),
    programs: programsSchema(),
    evidence: evidenceSchema(),
    costSource: text,
  })
}

function sizes(what: string): Joi.ObjectSchema {
  return record({ low: Joi.number(), typical: Joi.number(), high: Joi.number() }).description(what)
}

function programsSchema(): Joi.ObjectSchema {
  return record({
    saferFromWildfires: Joi.boolean().description('Whether Californian insurers must reflect it.'),
    wildfirePreparedHome: Joi.array()
      .items(Joi.string().valid('base', 'plus'))
      .description('Levels of the IBHS designation that ask for it.'),
  })
}

function evidenceSchema(): Joi.ObjectSchema {
  return record({
    grade: Joi.string()
      .valid('A', 'B', 'C')
      .description('`A` is the best; `explanation` says what it means.'),
    explanation: Joi.string(),
    sources: Joi.array().items(Joi.string()),
  })
}

const catalog = {
  catalogVersion,
  measures: measures.map(presentMeasure),
  programs,
  programRules,
  orderAdvice,
  costBasis,
}
