import { accountProblems, operatorProblems, type Accounts } from '@hearth/account'
import { mountDocs } from '@hearth/chassis/docs'
import { httpProblems } from '@hearth/chassis/errors'
import { mountHealth } from '@hearth/chassis/health'
import { closeHttpApp, createHttpApp, type HttpOptions } from '@hearth/chassis/http'
import { json } from '@hearth/chassis/json-body'
import type { Readiness } from '@hearth/chassis/lifecycle'
import type { Express } from 'express'
import { complaintCategories } from './complaint-categories.ts'
import { complaintDetail } from './complaint-detail.ts'
import { complaintList } from './complaint-list.ts'
import { datasets } from './datasets.ts'
import { problemMembers } from './deployment.ts'
import { description } from './description.ts'
import { methodology } from './methodology.ts'
import { vehicleProblems } from './problems.ts'
import type { ServedData } from './served-data.ts'
import { statisticsCompare } from './statistics-compare.ts'
import { statisticsModel } from './statistics-model.ts'
import { statisticsTrends } from './statistics-trends.ts'
import { vehicleMakes } from './vehicle-makes.ts'
import { vehicleModel } from './vehicle-model.ts'
import { vehicleModelYear } from './vehicle-model-year.ts'
import { vehicleModels } from './vehicle-models.ts'

/** What the service is made of. */
export type Dependencies = {
  readonly accounts: Accounts
  readonly data: ServedData
  readonly http: Pick<HttpOptions, 'log' | 'publicUrl' | 'trustProxy' | 'isStarted' | 'observe'>
  readonly ready: () => Promise<Readiness>
  /** Milliseconds since 1970: statistics end with the current year unless told otherwise. */
  readonly clock: () => number
}

/** The table of contents of the service. */
export function createApp({ accounts, data, http, ready, clock }: Dependencies): Express {
  const { limitHeaders, settle } = accounts
  const app = createHttpApp({ ...http, problemMembers, limitHeaders, settle })

  app.use(accounts.meter, json())
  app.get('/v1/vehicles', vehicleMakes(data))
  app.get('/v1/vehicles/:make', vehicleModels(data))
  app.get('/v1/vehicles/:make/:model', vehicleModel(data))
  app.get('/v1/vehicles/:make/:model/:year', vehicleModelYear(data))
  app.get('/v1/statistics/compare', statisticsCompare(data))
  app.get('/v1/statistics/:make/:model', statisticsModel(data, clock))
  app.get('/v1/statistics/:make/:model/trends', statisticsTrends(data))
  app.get('/v1/complaints/:make/:model/:year', complaintList(data))
  app.get('/v1/complaints/:make/:model/:year/categories', complaintCategories(data))
  app.get('/v1/complaints/:id', complaintDetail(data))
  app.get('/v1/methodology', methodology(data))
  app.get('/v1/datasets', datasets(data))

  accounts.mount(app)
  mountHealth(app, readyWithData(data, ready))
  mountDocs(app, {
    ...description(http.publicUrl),
    problems: Object.values({
      ...httpProblems,
      ...accountProblems,
      ...operatorProblems,
      ...vehicleProblems,
    }),
  })
  return closeHttpApp(app)
}

/** An instance that has no vehicle data yet, or none that it can read, can answer nothing that matters. */
function readyWithData(data: ServedData, ready: () => Promise<Readiness>): () => Promise<Readiness> {
  return async () => {
    const readiness = await ready()
    if (data.isLoaded() || readiness.status === 503) return readiness
    if (!data.isUnreadable()) return { status: 503, state: 'starting', checks: {} }
    return { status: 503, state: 'unavailable', checks: { ...readiness.checks, importedData: 'failed' } }
  }
}
