import type { Deployment, Envelope } from '@hearth/account'
import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'

/** How this deployment is called and how it takes its keys. */
export const deployment: Deployment = { name: 'vehicle', code: 'vhr', keyHeader: 'Authorization' }

/** What every success looks like, for the account endpoints and for /openapi.json: `{success: true, data}`. */
export const envelope: Envelope = {
  wrap: (data) => ({ success: true, data }),
  schema: (data) => record({ success: Joi.boolean().valid(true), data }),
}

/** What every problem has besides the members of RFC 9457. */
export const problemMembers = { success: false }
