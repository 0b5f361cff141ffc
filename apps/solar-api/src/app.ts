import { accountProblems, operatorProblems, type Accounts } from '@hearth/account'
import { mountDocs } from '@hearth/chassis/docs'
import { httpProblems } from '@hearth/chassis/errors'
import { mountHealth } from '@hearth/chassis/health'
import { closeHttpApp, createHttpApp, json, type HttpOptions } from '@hearth/chassis/http'
import type { Readiness } from '@hearth/chassis/lifecycle'
import type { Express } from 'express'
import { calculate } from './calculate.ts'
import { description } from './description.ts'

/** What the service is made of. */
export type Dependencies = {
  readonly accounts: Accounts
  readonly http: Pick<HttpOptions, 'log' | 'publicUrl' | 'trustProxy' | 'isStarted' | 'observe'>
  readonly ready: () => Promise<Readiness>
  /** Milliseconds since 1970, for `meta.timestamp`. */
  readonly clock: () => number
}

/** The table of contents of the service. */
export function createApp({ accounts, http, ready, clock }: Dependencies): Express {
  const app = createHttpApp({ ...http, limitHeaders: accounts.limitHeaders, settle: accounts.settle })

  app.use(accounts.meter, json())
  app.post('/v1/calculate', calculate(clock))

  accounts.mount(app)
  mountHealth(app, ready)
  mountDocs(app, {
    ...description(http.publicUrl),
    problems: Object.values({ ...httpProblems, ...accountProblems, ...operatorProblems }),
  })
  return closeHttpApp(app)
}
