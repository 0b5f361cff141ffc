import { describeLimits, meterProblems } from '@hearth/account'
import { dataFile } from '@hearth/chassis/data-file'
import type { OpenApiOptions } from '@hearth/chassis/openapi'
import { readFileSync } from 'node:fs'
import { deployment } from './deployment.ts'
import { plans } from './plans.ts'

/** What /openapi.json and /docs say of the service besides its endpoints. */
export function description(publicUrl: string): OpenApiOptions {
  const limits = describeLimits(deployment, plans)
  return {
    ...limits,
    problemProperties: { ...limits.problemProperties, ...problemProperties },
    problemRequired: ['success'],
    title: 'hearth wildfire',
    version: '1.0.0',
    description: `Wildfire hazard of every US county, and what hardening a home against it is worth.

Sign up at \`POST /v1/signup\`, send the key as \`X-API-Key\`, and call \`GET /v1/risk/county/06061\`. Scores come from USDA Wildfire Risk to Communities and, where it is loaded, FEMA's National Risk Index; every answer says which releases it was made from, and what cannot be known is \`null\` with a reason. Example answers are of the data in the box, without the National Risk Index, with lists of objects cut to two entries. Answers carry an \`ETag\`: asking again with \`If-None-Match\` costs nothing while the data are the same.`,
    publicUrl,
    tags: [
      { name: 'Risk', description: 'Hazard, exposure and expected loss by county.' },
      { name: 'Hardening', description: 'Measures on a home, their costs and what they bring. Paid plans.' },
      { name: 'Account', description: 'Account, keys and usage.' },
      { name: 'Service', description: 'Outside /v1: no key, no quota.' },
    ],
    commonProblems: meterProblems,
    answers: exampleAnswers,
  }
}

/** Made by test/example-answers.test.ts, which also says when they are no longer what is answered. */
const exampleAnswers = JSON.parse(
  readFileSync(dataFile(import.meta.url, 'example-answers.json'), 'utf8'),
) as Readonly<Record<string, unknown>>

const codes = { type: 'array', items: { type: 'string' } }

const problemProperties = {
  success: { type: 'boolean', const: false },
  supersededBy: { ...codes, description: 'County codes that took the place of a retired one.' },
  suggestions: { ...codes, description: 'County codes near the one that was asked for.' },
}
