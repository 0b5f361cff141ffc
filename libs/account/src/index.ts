export { accountMigrations } from '../migrations/index.ts'
export {
  meterProblems,
  openAccounts,
  type Accounts,
  type AccountsOptions,
  type AccountSettings,
} from './accounts.ts'
export { callerOf } from './caller.ts'
export type { Envelope } from './context.ts'
export { accountGone, type Deployment } from './credentials.ts'
export { describeLimits } from './description.ts'
export type { AccountTables } from './database.ts'
export { nameField } from './fields.ts'
export { operatorProblems } from './operator.ts'
export { operatorCommand } from './operator-cli.ts'
export type { Plan, Plans } from './plans.ts'
export { accountProblems } from './problems.ts'
export { accountVariables } from './variables.ts'
