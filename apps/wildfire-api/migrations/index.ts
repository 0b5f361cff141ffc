import type { MigrationList } from '@hearth/chassis/migrate'
import { sql, type Kysely } from 'kysely'
import { loadShippedData } from '../src/shipped-data.ts'

/**
 * The migrations of the county tables. The shipped data are loaded as one of them: under the same lock, in the same
 * transaction, once. A later release of the table is another migration.
 */
export const wildfireMigrations: MigrationList = {
  owner: 'wildfire',
  migrations: {
    '001_counties': { up: createTables },
    '002_wrc_2026_04_15': { up: loadShippedData },
  },
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  for (const statement of [createCounty, createDataset, createWrc, createNri, createVersion]) {
    await statement.execute(db)
  }
}

const createCounty = sql`
  create table county (
    code text primary key check (code ~ '^[0-9]{5}$'),
    name text not null,
    state text not null,
    state_name text not null,
    type text not null,
    longitude double precision,
    latitude double precision,
    neighbors text[] not null
  )`

const createDataset = sql`
  create table dataset (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('wrc', 'nri')),
    release text not null,
    source text not null,
    sha256 text not null,
    licence text not null,
    rows integer not null,
    imported_at timestamptz not null default now()
  )`

const createWrc = sql`
  create table wrc_county (
    dataset bigint not null references dataset,
    code text not null references county,
    buildings double precision check (buildings >= 0),
    population double precision check (population >= 0),
    bp_national_rank double precision check (bp_national_rank between 0 and 1),
    risk_national_rank double precision check (risk_national_rank between 0 and 1),
    buildings_direct double precision,
    buildings_indirect double precision,
    buildings_minimal double precision,
    primary key (dataset, code)
  )`

const createNri = sql`
  create table nri_county (
    dataset bigint not null references dataset,
    code text not null references county,
    population double precision, buildvalue double precision, agrivalue double precision, area double precision,
    sovi_score double precision, resl_score double precision, crf_value double precision,
    wfir_evnts double precision, wfir_afreq double precision, wfir_exp_area double precision,
    wfir_expb double precision, wfir_expp double precision, wfir_exppe double precision,
    wfir_expa double precision, wfir_expt double precision,
    wfir_hlrb double precision, wfir_hlrp double precision, wfir_hlra double precision,
    wfir_ealb double precision, wfir_ealp double precision, wfir_ealpe double precision,
    wfir_eala double precision, wfir_ealt double precision, wfir_eals double precision,
    wfir_alrb double precision, wfir_alrp double precision, wfir_alra double precision,
    wfir_alr_npctl double precision, wfir_riskv double precision,
    wfir_risks double precision check (wfir_risks between 0 and 100),
    sovi_ratng text, resl_ratng text, wfir_hlrr text, wfir_ealr text, wfir_riskr text,
    primary key (dataset, code)
  )`

const createVersion = sql`
  create table data_version (
    id bigint primary key,
    stamp uuid not null default gen_random_uuid(),
    wrc_dataset bigint references dataset,
    nri_dataset bigint references dataset,
    published_at timestamptz not null default now()
  )`
