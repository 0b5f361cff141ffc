import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openWorkshop } from './importing.ts'
import { databaseUrlOf, roomyPlans, sharedFile, startWildfire } from './support.ts'

const sample = sharedFile('nri_v1_20_wildfire_counties_sample.csv')
if (sample === undefined) console.log('skipped: the sampled rows of FEMA are not on this machine')
;(sample === undefined ? describe.skip : describe)('the sampled rows of FEMA, v1.20', () => {
  test('come back value by value', async () => {
    const path = fileURLToPath(sample ?? '')
    const rows = parse<Record<string, string>>(readFileSync(path), { columns: true })
    const app = await startWildfire({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
    const workshop = openWorkshop(await databaseUrlOf(app))
    try {
      const { key } = await app.signUp('pro')
      expect(await workshop.run('--nri', path, '--min-rows', '24')).toMatchObject({ code: 0 })
      await app.counties.refresh()

      expect(rows).toHaveLength(24)
      for (const row of rows) {
        const { body } = await app.call('get', `/v1/risk/county/${row['STCOFIPS'] ?? ''}`, { key })
        expect(publishedValues(body.data)).toEqual(expectedValues(row))
      }
    } finally {
      workshop.close()
      await app.close()
    }
  })
})

/** Every value of an answer that stands in FEMA's table, by its column. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- checked against the description
function publishedValues(data: any) {
  const { county, hazard, exposure, expectedAnnualLoss: loss, nri, community } = data
  return {
    ...{
      POPULATION: county.population,
      AREA: county.areaSqMi,
      WFIR_AFREQ: hazard.likelihood.annualBurnProbability,
    },
    ...{
      WFIR_EXP_AREA: exposure.areaExposedSqMi,
      WFIR_EXPB: exposure.buildingValueExposedUsd,
      WFIR_EXPP: exposure.populationExposed,
    },
    ...{
      WFIR_EXPPE: exposure.populationEquivalentExposedUsd,
      WFIR_EXPA: exposure.agricultureValueExposedUsd,
      WFIR_EXPT: exposure.totalValueExposedUsd,
    },
    ...{
      WFIR_HLRB: nri.historicLossRatio.buildings,
      WFIR_HLRP: nri.historicLossRatio.population,
      WFIR_HLRA: nri.historicLossRatio.agriculture,
      WFIR_HLRR: nri.historicLossRatio.rating,
    },
    ...{
      WFIR_EALB: loss.buildingsUsd,
      WFIR_EALP: loss.fatalities,
      WFIR_EALPE: loss.populationEquivalentUsd,
      WFIR_EALA: loss.agricultureUsd,
      WFIR_EALT: loss.totalUsd,
    },
    ...{
      WFIR_EALS: nri.ealScore,
      WFIR_EALR: nri.ealRating,
      WFIR_ALRB: loss.lossRates.buildings,
      WFIR_ALRP: loss.lossRates.population,
      WFIR_ALRA: loss.lossRates.agriculture,
    },
    ...{
      WFIR_ALR_NPCTL: loss.nationalPercentile,
      WFIR_RISKV: nri.riskValueUsd,
      WFIR_RISKS: nri.score,
      WFIR_RISKR: nri.rating,
      CRF_VALUE: nri.communityRiskFactor,
    },
    ...{
      SOVI_SCORE: community.socialVulnerability.score,
      SOVI_RATNG: community.socialVulnerability.rating,
      RESL_SCORE: community.resilience.score,
      RESL_RATNG: community.resilience.rating,
    },
  }
}

function expectedValues(row: Readonly<Record<string, string>>) {
  const names = Object.keys(
    publishedValues({
      county: {},
      hazard: { likelihood: {} },
      exposure: {},
      expectedAnnualLoss: { lossRates: {} },
      nri: { historicLossRatio: {} },
      community: { socialVulnerability: {}, resilience: {} },
    }),
  )
  return Object.fromEntries(
    names.map((name) => {
      const text = row[name] ?? ''
      return [name, text === '' ? null : /R$|RATNG$/.test(name) ? text : Number(text)]
    }),
  )
}
