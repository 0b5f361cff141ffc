import type { Deployment, Envelope } from '@hearth/account'
import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'

/** How this deployment is called and how it takes its keys. */
export const deployment: Deployment = { name: 'wildfire', code: 'wfr', keyHeader: 'X-API-Key' }

/** The body of a success: `{success: true, data}`. */
export function success(data: object): { success: true; data: object } {
  return { success: true, data }
}

/** What every success looks like, for the account endpoints and for /openapi.json. */
export const envelope: Envelope = {
  wrap: success,
  schema: (data) => record({ success: Joi.boolean().valid(true), data }),
}

/** What every problem has besides the members of RFC 9457. */
export const problemMembers = { success: false }
