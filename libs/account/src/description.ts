import type { OpenApiOptions } from '@hearth/chassis/openapi'
import type { Deployment } from './credentials.ts'
import type { Plans } from './plans.ts'

/** The parts of an API description that follow from the account library: keys, sessions, limits, problem members. */
export function describeLimits(
  deployment: Deployment,
  plans: Plans,
): Pick<OpenApiOptions, 'securitySchemes' | 'security' | 'headers' | 'problemHeaders' | 'problemProperties'> {
  return {
    securitySchemes: {
      apiKey:
        deployment.keyHeader === 'X-API-Key'
          ? { type: 'apiKey', in: 'header', name: 'X-API-Key', description: planTable(plans) }
          : { type: 'http', scheme: 'bearer', description: planTable(plans) },
      session: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'From `POST /v1/account/sessions`; opens the account endpoints for 15 minutes.',
      },
    },
    security: ({ access = 'metered' }) => schemesOf[access],
    headers: {
      'X-RateLimit-Limit': integerHeader('Requests in the binding window: the one with the fewest left.'),
      'X-RateLimit-Remaining': integerHeader('Requests left in it.'),
      'X-RateLimit-Reset': integerHeader('When it resets, in Unix seconds (UTC).'),
      'RateLimit-Policy': {
        description: 'All windows (draft-ietf-httpapi-ratelimit-headers-11).',
        schema: text,
      },
      RateLimit: { description: 'What is left in each window, and for how many seconds.', schema: text },
      'X-Request-Id': { description: 'Names this request in the log of the service.', schema: text },
    },
    problemHeaders: { idempotency_conflict: ['Retry-After'] },
    problemProperties: problemProperties(Object.keys(plans)),
  }
}

function problemProperties(plans: readonly string[]) {
  return {
    'violated-policies': {
      type: 'array',
      items: text,
      description: 'Names of the windows that are used up.',
    },
    limit: { type: 'integer', description: 'Limit of the binding window.' },
    resetsAt: { ...text, description: 'When it resets, ISO 8601 UTC.' },
    plan: { ...text, enum: plans },
    requiredPlans: { type: 'array', items: { ...text, enum: plans } },
    retryable: {
      type: 'boolean',
      description: 'Whether waiting for `Retry-After` and sending it again makes sense.',
    },
  }
}

const text = { type: 'string' }

const schemesOf = {
  public: [],
  account: ['apiKey', 'session'],
  session: ['session'],
  key: ['apiKey'],
  metered: ['apiKey'],
} as const

function integerHeader(description: string) {
  return { description, schema: { type: 'integer' } }
}

function planTable(plans: Plans): string {
  const rows = Object.entries(plans).map(
    ([id, { name, daily, monthly }]) => `| ${name} (\`${id}\`) | ${daily} | ${monthly ?? 'unlimited'} |`,
  )
  return [
    'The key from signup.',
    '',
    '| Plan | per UTC day | per UTC month |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}
