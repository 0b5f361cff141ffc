import { describeLimits, meterProblems } from '@hearth/account'
import { dataFile } from '@hearth/chassis/data-file'
import type { OpenApiOptions } from '@hearth/chassis/openapi'
import { readFileSync } from 'node:fs'
import { deployment } from './deployment.ts'
import { plans } from './plans.ts'

/** What /openapi.json and /docs say of the service besides its endpoints. */
export function description(publicUrl: string): OpenApiOptions {
  return {
    ...describeLimits(deployment, plans),
    title: 'hearth solar',
    version: '1.0.0',
    description: `The economics of a solar system from its yield, your consumption and your utility rate.

Sign up at \`POST /v1/signup\`, send the key as \`X-API-Key\`, and call \`POST /v1/calculate\`. Every number that is assumed is in the answer with its source; what cannot be computed is \`null\` with a reason. Example answers have their lists of objects cut to two entries.`,
    publicUrl,
    tags: [
      { name: 'Calculation', description: 'The model `solar-v1`.' },
      { name: 'Saved calculations', description: 'Results that stay as they are. Paid plans.' },
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
