import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { describeFinancing, resolveFinancing, type CompareRequest } from './compare-input.ts'
import { calculateScenario, rank, verdictOn, type Financing, type NamedResult } from './model/compare.ts'
import { solarModel } from './model/solar.ts'
import { describeAssumptions, resolveInput, type Assumption } from './solar-input.ts'
import {
  assumptionsSchema,
  cashFlowFields,
  resultFields,
  warningsSchema,
  worthSaying,
} from './solar-result.ts'

const usd = Joi.number().description('USD.')
const typeField = Joi.string().valid('cash', 'loan', 'lease', 'ppa')

const agreementSchema = record({
  year1Payment: usd.description('USD in the first year.'),
  lifetimePayments: usd.description('USD within analysisYears, without a buy-out.'),
  lastPaymentYear: Joi.number().integer().description('Last year paid for within analysisYears.'),
  afterTerm: Joi.string()
    .valid('removal', 'buyout', 'outside_analysis')
    .description(
      'What happens at the end of the term; outside_analysis: it comes with analysisYears or later.',
    ),
  buyoutCost: usd.description('USD paid for a buy-out within analysisYears.'),
})

const scenarioSchema = record({
  name: Joi.string(),
  type: typeField,
  ...resultFields,
  agreement: agreementSchema.optional().description('Only with a lease or PPA.'),
  cashFlow: Joi.array()
    .items(
      record({
        ...cashFlowFields,
        agreementPayment: usd.optional().description('USD; only with a lease or PPA.'),
      }),
    )
    .optional()
    .description('Only when asked for with include.'),
  assumptions: assumptionsSchema.description('The terms of this scenario as they were used.'),
  warnings: warningsSchema,
})

/** The schema of a comparison in an answer. */
export const comparisonSchema = record({
  model: Joi.string().valid(solarModel),
  scenarios: Joi.array()
    .items(scenarioSchema)
    .description(
      'In the order of the request. A purchase has the numbers of /v1/calculate; a lease or PPA has the same fields as its customer sees them.',
    ),
  ranking: Joi.array()
    .items(
      record({
        rank: Joi.number().integer().description('1 is best; equal net present values share a rank.'),
        name: Joi.string(),
        type: typeField,
        npv: usd.description('Net present value in USD.'),
        behindBest: usd.description('USD of net present value that it lacks to the best.'),
        outOfPocketCost: usd.description('USD to be paid on the day of installation.'),
        year1CashFlow: usd.description(
          'USD: all that comes in less all that is paid in the first year, loan payments and tax credit included.',
        ),
        lifetimeNetSavings: usd,
      }),
    )
    .description('Highest net present value first.'),
  best: Joi.string().description('Name of the first in the ranking.'),
  verdict: record({
    code: Joi.string().valid('worth_it', 'breaks_even', 'nothing_pays_off'),
    message: Joi.string(),
  }).description('The ranking in words.'),
  assumptions: assumptionsSchema.description('The inputs common to all scenarios as they were used.'),
})

/** A comparison as it is answered. `raw` is the request as it came. */
export function presentComparison(
  { scenarios, include, ...common }: CompareRequest,
  raw: RawComparison,
): object {
  const input = resolveInput(common)
  const assumptions = Object.fromEntries(
    Object.entries(describeAssumptions(input, raw)).filter(([name]) => name !== 'loan'),
  )
  const withCashFlow = include.includes('cashFlow')
  const results = scenarios.map((scenario, index) => {
    const financing = resolveFinancing(scenario)
    const { name, type } = scenario
    return {
      name,
      type,
      financing,
      raw: raw.scenarios[index] ?? {},
      result: calculateScenario(input, financing),
    }
  })
  const ranking = rank(results)
  return {
    model: solarModel,
    scenarios: results.map((one) => presentScenario(one, assumptions, withCashFlow)),
    ranking,
    best: ranking[0]?.name,
    verdict: verdictOn(input, ranking),
    assumptions,
  }
}

/** The part of a request that is looked at before defaults are filled in. */
export type RawComparison = { readonly scenarios: readonly object[] }

function presentScenario(
  { name, type, financing, raw, result: { cashFlow, warnings, ...result } }: Scenario,
  common: Readonly<Record<string, Assumption>>,
  withCashFlow: boolean,
): object {
  return {
    ...{ name, type },
    ...result,
    ...(withCashFlow && { cashFlow }),
    assumptions: describeFinancing(financing, raw),
    warnings: worthSaying(warnings, common),
  }
}

type Scenario = NamedResult & { readonly financing: Financing; readonly raw: object }
