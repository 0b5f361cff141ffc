import { dataFile } from '@hearth/chassis/data-file'
import { readFileSync } from 'node:fs'
import { describeLimits, meterProblems } from '@hearth/account'
import type { OpenApiOptions } from '@hearth/chassis/openapi'
import { deployment } from './deployment.ts'
import { plans } from './plans.ts'
import { sampleVehicle } from './sample-vehicle.ts'

const { make, model } = sampleVehicle

/** What /openapi.json and /docs say of the service besides its endpoints. */
export function description(publicUrl: string): OpenApiOptions {
  const limits = describeLimits(deployment, plans)
  return {
    ...limits,
    problemProperties: { ...limits.problemProperties, ...problemProperties },
    problemRequired: ['success'],
    title: 'hearth vehicle',
    version: '1.0.0',
    description: `Makes, models and model years, how reliable they are, and what their owners complain about.

Sign up at \`POST /v1/signup\`, send the key as \`Authorization: Bearer KEY\`, and call \`GET /v1/vehicles\`. Complaints are those of the regulator, NHTSA; scores come with their \`confidence\` and \`exposure_basis\`, and \`GET /v1/methodology\` says how they are made. Every answer about vehicles has a \`meta\` that names the data version and the date of its newest complaint, and says with \`sample: true\` when these are generated sample data with invented makes, such as ${make} ${model}.

What is not known is \`null\`, but for \`repair_cost\` of a complaint, which is 0 when the text names none. Percentages are rounded to one decimal. Slugs are lower-case words joined by hyphens; other spellings and short names (\`vw\`, \`chevy\`, \`f150\`) are understood, and answers have the slugs of the data. Example answers are of the sample, with lists cut to two entries. Answers carry an \`ETag\`: asking again with \`If-None-Match\` costs nothing while the data are the same.`,
    publicUrl,
    tags: [
      { name: 'Vehicles', description: 'The catalogue: makes, models and model years.' },
      { name: 'Statistics', description: 'Scores, trends and comparisons.' },
      { name: 'Complaints', description: 'What owners have reported.' },
      { name: 'Data', description: 'How the numbers are made, and from what.' },
      { name: 'Account', description: 'Account, keys and usage.' },
      { name: 'Service', description: 'Outside /v1: no key, no quota.' },
    ],
    commonProblems: meterProblems,
    answers: exampleAnswers,
  }
}

/** Made from the sample by test/example-answers.test.ts, which also says when they are no longer what is answered. */
const exampleAnswers = JSON.parse(
  readFileSync(dataFile(import.meta.url, 'example-answers.json'), 'utf8'),
) as Readonly<Record<string, unknown>>

const problemProperties = {
  success: { type: 'boolean', const: false },
  suggestions: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Names near the one that was asked for: slugs as they stand in a path, or ids of complaints.',
  },
}
