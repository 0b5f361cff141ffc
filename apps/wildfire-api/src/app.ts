import { accountProblems, operatorProblems, type Accounts } from '@hearth/account'
import { mountDocs } from '@hearth/chassis/docs'
import { httpProblems } from '@hearth/chassis/errors'
import { mountHealth } from '@hearth/chassis/health'
import { closeHttpApp, createHttpApp, type HttpOptions } from '@hearth/chassis/http'
import { json } from '@hearth/chassis/json-body'
import type { Readiness } from '@hearth/chassis/lifecycle'
import type { Express } from 'express'
import type { CountyData } from './county-data.ts'
import { problemMembers } from './deployment.ts'
import { description } from './description.ts'
import { countyLookup, hardeningRoi } from './hardening.ts'
import { listMeasures } from './measures.ts'
import { wildfireProblems } from './problems.ts'
import { riskCompare } from './risk-compare.ts'
import { riskCounties } from './risk-counties.ts'
import { riskCounty } from './risk-county.ts'

/** What the service is made of. */
export type Dependencies = {
  readonly accounts: Accounts
  readonly counties: CountyData
  readonly http: Pick<HttpOptions, 'log' | 'publicUrl' | 'trustProxy' | 'isStarted' | 'observe'>
  readonly ready: () => Promise<Readiness>
  /** Milliseconds since 1970: how old a home is. */
  readonly clock: () => number
}

/** The table of contents of the service. */
export function createApp({ accounts, counties, http, ready, clock }: Dependencies): Express {
  const { limitHeaders, settle, requireFeature } = accounts
  const app = createHttpApp({ ...http, problemMembers, limitHeaders, settle })

  app.use(accounts.meter, json())
  app.get('/v1/risk/county/:county_code', riskCounty(counties))
  app.get('/v1/risk/counties', riskCounties(counties))
  app.get('/v1/risk/compare', riskCompare(counties))
  app.get('/v1/hardening/measures', requireFeature('measureBreakdown'), listMeasures())
  app.post('/v1/hardening/roi', requireFeature('hardeningRoi'), hardeningRoi(countyLookup(counties), clock))

  accounts.mount(app)
  mountHealth(app, readyWithData(counties, ready))
  mountDocs(app, {
    ...description(http.publicUrl),
    problems: Object.values({
      ...httpProblems,
      ...accountProblems,
      ...operatorProblems,
      ...wildfireProblems,
    }),
  })
  return closeHttpApp(app)
}

/** An instance that has no county data yet can answer nothing that matters. */
function readyWithData(counties: CountyData, ready: () => Promise<Readiness>): () => Promise<Readiness> {
  return async () => {
    const readiness = await ready()
    if (counties.isLoaded() || readiness.status === 503) return readiness
    return { status: 503, state: 'starting', checks: {} }
  }
}
