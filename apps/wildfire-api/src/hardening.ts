import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import type { HttpError } from '@hearth/chassis/errors'
import { send } from '@hearth/chassis/http'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { findCounty } from './county-code.ts'
import type { CountyData } from './county-data.ts'
import { presentVintage } from './county-risk.ts'
import type { NriValues } from './database.ts'
import { envelope } from './deployment.ts'
import { hardeningFields, resolveInput, type HardeningRequest } from './hardening-input.ts'
import { hardeningSchema, presentHardening } from './hardening-result.ts'
import { resolveHazard, type CountyHazard, type CountyLosses } from './model/hazard.ts'
import { wildfireProblems } from './problems.ts'

/** POST /v1/hardening/roi */
export function hardeningRoi(lookup: CountyLookup, clock: () => number): Endpoint {
  return endpoint(describeRoi, ({ body }, req, res) => {
    const now = new Date(clock())
    const county = lookup(body.countyCode)
    const request = { ...body, countyCode: county.code }
    const input = resolveInput(request, county.state, now.getUTCFullYear())
    const hazard = resolveHazard(county, input.exposure, input.burnProbability)
    if (hazard === undefined) throw withoutHazard(county)
    const data = {
      county: { code: county.code, name: county.name, state: county.state },
      ...presentHardening(input, hazard, request, req.body),
      dataVintage: county.dataVintage,
    }
    return send(res, 200, envelope.wrap(data, now))
  })
}

/** Looks counties up in the data that are served at the time of the call. */
export function countyLookup(data: Pick<CountyData, 'snapshot'>): CountyLookup {
  return (code) => {
    const snapshot = data.snapshot()
    const county = findCounty(snapshot, code)
    return {
      code: county.code,
      name: county.name,
      state: county.state,
      nri: county.nri && lossesOf(county.nri),
      burnProbabilityRank: county.wrc?.bp_national_rank ?? null,
      dataVintage: presentVintage(snapshot),
    }
  }
}

function lossesOf(nri: NriValues): CountyLosses {
  return {
    expectedLoss: nri.wfir_ealb,
    exposedValue: nri.wfir_expb,
    totalValue: nri.buildvalue,
    lossRatio: nri.wfir_hlrb,
    burnProbability: nri.wfir_afreq,
  }
}

function withoutHazard({ name }: HardeningCounty): HttpError {
  const detail = `No wildfire hazard is loaded for ${name}. Give burnProbability, the annual probability that fire arrives at the home.`
  return invalid([{ pointer: '/burnProbability', code: 'required', detail }])
}

const describeRoi = {
  id: 'hardeningRoi',
  summary: 'What hardening a home is worth',
  description:
    'The return on investment of every hardening measure that a home lacks, alone and on top of others, and the best combination within a budget. Three fields are enough; every other input has a default that is echoed under `assumptions`. Money is USD of 2024; rates and shares are fractions. The answer can be that nothing pays back.',
  tag: 'Hardening',
  body: Joi.object<HardeningRequest>(hardeningFields),
  responses: { 200: { description: 'The calculation.', schema: envelope.schema(hardeningSchema) } },
  problems: [wildfireProblems.county_not_found],
  examples: [
    {
      name: 'three fields',
      status: 200,
      body: { countyCode: '06061', replacementCost: 600_000, sqft: 2000 },
    },
    {
      name: 'a partly hardened home with a budget',
      status: 200,
      body: {
        countyCode: '41029',
        replacementCost: 450_000,
        sqft: 1800,
        existingMeasures: ['windows_multipane'],
        deckSqft: 200,
        fenceFt: 16,
        annualPremium: 2400,
        deductible: 2500,
        budget: 10_000,
      },
    },
  ],
}

/**
 * Finds a county for a calculation.
 * @param countyCode 4 or 5 digits
 * @throws HttpError county_not_found
 */
export type CountyLookup = (countyCode: string) => HardeningCounty

/** A county and the releases that its numbers come from. */
export type HardeningCounty = CountyHazard & {
  /** 5 digits */
  readonly code: string
  readonly name: string
  readonly dataVintage: ReturnType<typeof presentVintage>
}
