import { accountProblems, operatorProblems, type Accounts } from '@hearth/account'
import { mountDocs } from '@hearth/chassis/docs'
import { httpProblems } from '@hearth/chassis/errors'
import { mountHealth } from '@hearth/chassis/health'
import { closeHttpApp, createHttpApp, type HttpOptions } from '@hearth/chassis/http'
import { json } from '@hearth/chassis/json-body'
import type { Readiness } from '@hearth/chassis/lifecycle'
import type { Express } from 'express'
import { calculate } from './calculate.ts'
import { ownsCalculations } from './calculation-access.ts'
import { rerunCalculation, saveCalculation } from './calculation-save.ts'
import {
  deleteCalculation,
  getCalculation,
  getCashFlow,
  listCalculations,
  renameCalculation,
} from './calculations.ts'
import { compare } from './compare.ts'
import type { SolarDatabase } from './database.ts'
import { description } from './description.ts'
import { monteCarlo } from './monte-carlo.ts'
import { solarProblems } from './problems.ts'
import { sensitivity } from './sensitivity.ts'
import type { Simulations } from './simulations.ts'

/** What the service is made of. */
export type Dependencies = {
  readonly accounts: Accounts
  readonly db: SolarDatabase
  readonly simulations: Simulations
  readonly http: Pick<HttpOptions, 'log' | 'publicUrl' | 'trustProxy' | 'isStarted' | 'observe'>
  readonly ready: () => Promise<Readiness>
  /** Milliseconds since 1970, for `meta.timestamp`. */
  readonly clock: () => number
}

/** The table of contents of the service. */
export function createApp({ accounts, db, simulations, http, ready, clock }: Dependencies): Express {
  const app = createHttpApp({ ...http, limitHeaders: accounts.limitHeaders, settle: accounts.settle })

  app.use(accounts.meter, json())
  app.post('/v1/calculate', calculate(clock))
  app.post('/v1/calculate/monte-carlo', accounts.requireFeature('monteCarlo'), monteCarlo(simulations, clock))
  app.post('/v1/calculate/compare', accounts.requireFeature('monteCarlo'), compare(clock))
  app.post('/v1/calculate/sensitivity', accounts.requireFeature('monteCarlo'), sensitivity(clock))

  const saved = { db, simulations, clock }
  const maySave = accounts.requireFeature('savedCalculations')
  const owns = ownsCalculations(accounts, db)
  app.post('/v1/calculations', maySave, saveCalculation(saved))
  app.get('/v1/calculations', owns, listCalculations(saved))
  app.get('/v1/calculations/:id', owns, getCalculation(saved))
  app.patch('/v1/calculations/:id', maySave, renameCalculation(saved))
  app.delete('/v1/calculations/:id', owns, deleteCalculation(saved))
  app.get('/v1/calculations/:id/cash-flow.csv', owns, getCashFlow(saved))
  app.post('/v1/calculations/:id/rerun', maySave, rerunCalculation(saved))

  accounts.mount(app)
  mountHealth(app, ready)
  mountDocs(app, {
    ...description(http.publicUrl),
    problems: Object.values({ ...httpProblems, ...accountProblems, ...operatorProblems, ...solarProblems }),
  })
  return closeHttpApp(app)
}
