import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { vintageSchema } from './county-schema.ts'
import { describeAssumptions, type HardeningRequest } from './hardening-input.ts'
import { calculateHardening, hardeningModel } from './model/hardening.ts'
import type { Hazard } from './model/hazard.ts'
import type { HardeningInput } from './model/input.ts'
import { catalogVersion, measureIds, measures, type MeasureId } from './model/measures.ts'
import { roundResult } from './model/rounding.ts'
import { limits } from './model/warnings.ts'

/** A calculation as it is answered: rounded, with its assumptions and limits. `raw` is the request as it came. */
export function presentHardening(
  input: HardeningInput,
  hazard: Hazard,
  request: HardeningRequest,
  raw: unknown,
): object {
  const result = calculateHardening(input, hazard)
  const rounded = roundResult(result)
  return {
    model: hardeningModel,
    catalogVersion,
    ...rounded,
    measures: rounded.measures.map(({ id, ...row }) => ({ id, name: names.get(id), ...row })),
    notConsidered: rounded.notConsidered.map(({ id, reason }) => ({ id, name: names.get(id), reason })),
    limits,
    assumptions: describeAssumptions(input, request, raw),
    warnings: result.warnings,
  }
}

const names: ReadonlyMap<MeasureId, string> = new Map(measures.map(({ id, name }) => [id, name]))

const usd = Joi.number().description('USD.')
const usdToday = usd.description('USD in money of today, over the horizon.')
const usdYear = usd.description('USD a year.')
const share = Joi.number().description('0 to 1.')
const measureId = Joi.string().valid(...measureIds)
const bcr = Joi.number()
  .allow(null)
  .description('Benefit-cost ratio, both in money of today; null without a cost.')
const payback = Joi.number()
  .allow(null)
  .description(
    'Years until the price is back, without interest and replacements; null: never. More than horizonYears is too late.',
  )

const npvOnly = record({ npv: usdToday, bcr })

/** What a set of measures is worth from one point of view. */
const worth = {
  annualBenefit: usdYear,
  pvBenefit: usdToday,
  npv: usdToday.description('USD in money of today: pvBenefit less pvCost.'),
  bcr,
  paybackYears: payback,
  upfrontCost: usd.description('USD, the price now.'),
  pvCost: usdToday.description('USD in money of today: price, replacements and upkeep.'),
  range: range(npvOnly),
}

const householdWorth = {
  premiumSaving: usdYear.description('USD a year off the insurance premium.'),
  ownAvoidedLoss: usdYear.description('USD a year of avoided loss that no insurance would have paid.'),
  ...worth,
}

const alone = {
  upfrontCost: usd,
  avoidedAnnualLoss: usdYear,
  pvCost: usdToday,
  npv: usdToday,
  bcr,
  paybackYears: payback,
}

const measureRow = record({
  id: measureId,
  name: Joi.string(),
  upfrontCost: usd.description('USD, the price now.'),
  avoidedAnnualLoss: usdYear
    .allow(null)
    .description('USD a year; like the other values null while `requires` is not empty.'),
  pvCost: usdToday.description('USD in money of today: price, replacements and upkeep.'),
  npv: usdToday.allow(null),
  bcr,
  paybackYears: payback,
  requires: Joi.array()
    .items(measureId)
    .description(
      'Measures that the home lacks and that this one needs; there are no values for it alone then.',
    ),
  marginal: record({
    rank: Joi.number().integer().description('Place in the order of most npvPerPvCost at each step.'),
    avoidedAnnualLoss: usdYear,
    npv: usdToday,
    npvPerPvCost: Joi.number().allow(null).description('npv per dollar of pvCost; null without a cost.'),
    stop: Joi.boolean().description('Whether it adds nothing to what the measures of lower rank are worth.'),
    cumulative: record({ upfrontCost: usd, npv: usdToday, destructionProbability: share }).description(
      'Of this measure and all of lower rank.',
    ),
  }).description('What it adds on top of the measures of lower rank.'),
  range: range(record(alone)).allow(null).description('The values alone in the other cases.'),
})

const bestBundle = record({
  measures: Joi.array().items(measureId).description('Empty: nothing pays back.'),
  ...alone,
  destructionProbability: share.description('With the bundle in place, given that fire arrives.'),
  riskReduction: share.description('Share of the expected loss that the bundle avoids.'),
  range: range(record(alone)),
  sensitivity: record({ discountRate: Joi.number(), npv: usdToday, bcr }).description(
    'The same bundle at the discount rate that public agencies long used.',
  ),
})

const inputSource = Joi.string().valid('default', 'request')
const assumption = record({
  value: Joi.any().description(
    'Null: none was given, and none is assumed. Of premiumDiscounts: the share that was counted for each measure the home lacks, in the central case; the catalogue’s optimistic and pessimistic ones are in `GET /v1/hardening/measures`.',
  ),
  source: inputSource.description(
    '`request`: the request gave the value or, of premiumDiscounts, a part of it.',
  ),
}).keys({
  sources: Joi.object()
    .pattern(Joi.string(), inputSource)
    .description('Of premiumDiscounts: where the share of each measure comes from.'),
})

/** The schema of a calculation in an answer. */
export const hardeningSchema = record({
  model: Joi.string().valid(hardeningModel),
  catalogVersion: Joi.string(),
  county: record({ code: Joi.string(), name: Joi.string(), state: Joi.string() }),
  hazard: record({
    p: Joi.number().description('Annual probability that fire arrives at the home.'),
    d0: share.description('Probability that it then destroys a home hardened like the average one.'),
    source: Joi.string()
      .valid('request', 'nri_expected_loss', 'nri_burn_probability', 'estimated')
      .description(
        'Where p comes from: the request; the expected losses or the burn probability of the National Risk Index; or an estimate from the county’s rank in Wildfire Risk to Communities.',
      ),
    d0Source: Joi.string()
      .valid('nri', 'region')
      .description(
        'Where d0 comes from: the loss ratio of the county’s National Risk Index row, or its region.',
      ),
  }),
  baseline: record({
    destructionProbability: share.description('Of the home as it is, given that fire arrives.'),
    expectedAnnualLoss: usdYear,
    valueAtRisk: usd.description('USD: building, contents and living elsewhere.'),
  }),
  societal: record({ allMeasures: record(worth), bestBundle: record(worth) }).description(
    'For everyone together, insurers included: what loss the measures avoid. Not to be added to `household`, which is a part of it seen differently.',
  ),
  household: record({ allMeasures: record(householdWorth), bestBundle: record(householdWorth) }).description(
    'For the household alone: lower premium, and avoided loss that it would bear itself.',
  ),
  measures: Joi.array()
    .items(measureRow)
    .description(
      'Every measure that the home lacks, societal, alone. Values alone and marginal values do not add up to each other.',
    ),
  notConsidered: Joi.array()
    .items(
      record({
        id: measureId,
        name: Joi.string(),
        reason: Joi.string().valid('already_in_place', 'nothing_to_harden'),
      }),
    )
    .description('The other measures of the catalogue, and why they are not calculated.'),
  bestBundle: bestBundle.description(
    'The measures that are worth most together within the budget, societal. Every combination was looked at.',
  ),
  verdict: record({
    code: Joi.string().valid(
      'pays_back',
      'may_pay_back',
      'nothing_pays_back',
      'budget_too_small',
      'nothing_left',
    ),
    message: Joi.string(),
  }).description(
    '`pays_back`: also with pessimistic assumptions; `may_pay_back`: with central ones only. The message says it in words.',
  ),
  limits: Joi.array().items(Joi.string()).description('What the model leaves out.'),
  assumptions: Joi.object()
    .pattern(Joi.string(), assumption)
    .description('Every input as it was used, and whether the request gave it.'),
  warnings: Joi.array().items(record({ code: Joi.string(), message: Joi.string() })),
  dataVintage: vintageSchema,
})

function range(schema: Joi.Schema): Joi.ObjectSchema {
  return record({ optimistic: schema, pessimistic: schema })
}
