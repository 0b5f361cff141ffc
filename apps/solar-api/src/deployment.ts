import type { Deployment, Envelope } from '@hearth/account'
import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'

/** How this deployment is called and how it takes its keys. */
export const deployment: Deployment = { name: 'solar', code: 'slr', keyHeader: 'X-API-Key' }

/** What every success looks like: `{data, meta: {timestamp}}`. */
export const envelope: Envelope = {
  wrap: (data, at) => ({ data, meta: { timestamp: at.toISOString() } }),
  schema: (data) =>
    record({
      data,
      meta: record({ timestamp: Joi.string().description('ISO 8601 UTC, when the answer was made.') }),
    }),
}

/** The JSON text of envelope.wrap(data, at), for data that is JSON text already. */
export function envelopeText(data: string, at: Date): string {
  return `{"data":${data},"meta":{"timestamp":"${at.toISOString()}"}}`
}
