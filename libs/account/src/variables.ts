import { integer, secrets } from '@hearth/chassis/variables'

/** The variables of the account library; a service spreads them into its own. */
export const accountVariables = {
  peppers: secrets('KEY_PEPPER'),
  sessionSecrets: secrets('JWT_SECRET'),
  operatorTokens: secrets('OPERATOR_TOKEN'),
  burstPerSecond: integer('BURST_PER_SECOND', { min: 0, max: 1_000_000, default: 20 }),
  signupsPerHour: integer('SIGNUPS_PER_HOUR', { min: 0, max: 1_000_000, default: 5 }),
  failedAuthPerMinute: integer('FAILED_AUTH_PER_MINUTE', { min: 0, max: 1_000_000, default: 60 }),
} as const
