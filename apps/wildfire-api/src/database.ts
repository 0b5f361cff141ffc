import type { AccountTables } from '@hearth/account'
import type { Generated } from 'kysely'

/** The tables of the schema `wildfire`: those of the accounts, and the county data. */
export type WildfireTables = AccountTables & {
  county: CountyTable
  dataset: DatasetTable
  wrc_county: WrcCountyTable
  nri_county: NriCountyTable
  data_version: DataVersionTable
}

/** Columns of the National Risk Index that are kept, in lower case; numbers as published, null where not rated. */
export const nriNumbers = [
  ...(['population', 'buildvalue', 'agrivalue', 'area', 'sovi_score', 'resl_score', 'crf_value'] as const),
  ...(['wfir_evnts', 'wfir_afreq', 'wfir_exp_area', 'wfir_expb', 'wfir_expp', 'wfir_exppe'] as const),
  ...(['wfir_expa', 'wfir_expt', 'wfir_hlrb', 'wfir_hlrp', 'wfir_hlra'] as const),
  ...(['wfir_ealb', 'wfir_ealp', 'wfir_ealpe', 'wfir_eala', 'wfir_ealt', 'wfir_eals'] as const),
  ...(['wfir_alrb', 'wfir_alrp', 'wfir_alra', 'wfir_alr_npctl', 'wfir_riskv', 'wfir_risks'] as const),
] as const

/** Text columns of the same. */
export const nriTexts = ['sovi_ratng', 'resl_ratng', 'wfir_hlrr', 'wfir_ealr', 'wfir_riskr'] as const

/** Columns of the Wildfire Risk to Communities table that are kept. */
export const wrcNumbers = [
  ...(['buildings', 'population', 'bp_national_rank', 'risk_national_rank'] as const),
  ...(['buildings_direct', 'buildings_indirect', 'buildings_minimal'] as const),
] as const

/** What the National Risk Index says of one county. */
export type NriValues = Readonly<
  Record<(typeof nriNumbers)[number], number | null> & Record<(typeof nriTexts)[number], string | null>
>

/** What Wildfire Risk to Communities says of one county: ranks and shares 0..1, counts. */
export type WrcValues = Readonly<Record<(typeof wrcNumbers)[number], number | null>>

/** The two sources of county data. */
export type DatasetKind = 'wrc' | 'nri'

type CountyTable = {
  /** 5 digits (FIPS). */
  code: string
  name: string
  /** Postal abbreviation. */
  state: string
  state_name: string
  type: string
  longitude: number | null
  latitude: number | null
  /** Codes of the counties around it. */
  neighbors: string[]
}

/** One file that was published; rows stay as provenance when their county rows are gone. */
type DatasetTable = {
  id: Generated<number>
  kind: DatasetKind
  /** As it is shown: a date, or a version and month. */
  release: string
  /** File name or address. */
  source: string
  sha256: string
  licence: string
  rows: number
  imported_at: Generated<Date>
}

type WrcCountyTable = { dataset: number; code: string } & { -readonly [K in keyof WrcValues]: WrcValues[K] }

type NriCountyTable = { dataset: number; code: string } & { -readonly [K in keyof NriValues]: NriValues[K] }

/** What has been served since when; the last row is served now. */
type DataVersionTable = {
  /** 1, 2, 3 without gaps. */
  id: number
  /** Different for every row of every database, so that answers of a restored database are not confused. */
  stamp: Generated<string>
  wrc_dataset: number | null
  nri_dataset: number | null
  published_at: Generated<Date>
}
