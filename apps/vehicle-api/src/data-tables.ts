import { sql, type RawBuilder } from 'kysely'
import type { DatasetKind } from './database.ts'

/*
 * The data of a version lie in tables of their own, made by the import and never changed after it was published:
 * readers keep to one version while the next one is made beside it, and publishing is one row in data_version.
 * `make` and `model` are keys (see vehicleKey in model/names.ts): lower-case letters and digits alone, `f150`.
 */

/**
 * Number of the shape that the tables of this code have; each version is stored with its own, and only versions of
 * this one are served. Raise it whenever tables of the number before could not be read any more, or would be read
 * wrongly: another table, column or index below, other keys of vehicles, or another content of the JSON in `model`,
 * `model_year`, `complaint.response` or `data_version.methodology`. After that all data must be imported again.
 */
export const tableShape = 1

/** The last versions whose tables are kept: the newest, and the one before for who is still reading it. */
export const versionsKept = 2

/** Numbers of the datasets a version was made from, and its own. */
export type VersionNumbers = {
  readonly version: number
  readonly complaints: number
  readonly recalls: number | null
  readonly ratings: number | null
  readonly sales: number | null
}

const datasetTables = {
  /** One row per complaint and vehicle: a ComplaintRecord. */
  complaint: sql`
    id text not null,
    odi text not null,
    make text not null,
    model text not null,
    year smallint not null,
    trim text,
    date_reported date,
    /** What lists by date are ordered by: see listedOn. */
    listed_on date not null,
    date_incident date,
    category text not null,
    categories text[] not null,
    category_source text not null,
    component text not null,
    components text[] not null,
    description text not null,
    raw_description text,
    mileage integer,
    mileage_source text,
    crash boolean not null,
    fire boolean not null,
    injuries smallint not null,
    deaths smallint not null,
    repair_cost real,
    repair_cost_kind text,
    repair_description text not null,
    repair_attempted boolean,
    purchase_date date,
    response json,
    state text,
    vin text,
    severity real not null,
    weight real not null,
    /** How make and model are written, for the table spelling. */
    make_name text,
    model_name text`,
  /** How make and model were spelled in the complaint file, and how often. */
  spelling: sql`
    make text not null,
    model text not null,
    make_name text not null,
    model_name text not null,
    complaints integer not null`,
  /** How many complaints resemble a complaint; only those with at least one. */
  similar: sql`
    id text not null,
    count integer not null,
    ids text[] not null`,
  /** Common issues of a model year, the most frequent first. */
  issue: sql`
    make text not null,
    model text not null,
    year smallint not null,
    rank smallint not null,
    id text not null,
    category text not null,
    phrase text not null,
    description text not null,
    frequency text not null,
    report_count integer not null,
    avg_repair_cost real,
    cost_estimated boolean not null`,
  /** One row per campaign and vehicle. */
  recall: sql`
    make text not null,
    model text not null,
    year smallint not null,
    campaign text not null,
    make_name text not null,
    model_name text not null,
    manufacturer text,
    received date,
    components text[] not null,
    summary text,
    consequence text,
    remedy text,
    notes text,
    units integer,
    do_not_drive boolean not null,
    park_outside boolean not null`,
  /** One row per rated variant. */
  rating: sql`
    make text not null,
    model text not null,
    year smallint not null,
    make_name text not null,
    model_name text not null,
    variant text not null,
    overall smallint,
    frontal smallint,
    side smallint,
    rollover smallint,
    rollover_possibility real,
    static_stability_factor real,
    curb_weight integer,
    vehicle_type text,
    body_style text,
    drive_train text`,
  /** Units produced or sold of a model year. */
  sale: sql`
    make text not null,
    model text not null,
    year smallint not null,
    units double precision not null,
    source text not null`,
} as const

const versionTables = {
  make: sql`
    make text not null,
    slug text not null,
    name text not null,
    model_count integer not null,
    complaints integer not null`,
  /** Every model that is known; those with is_listed are in the catalogue. */
  model: sql`
    make text not null,
    model text not null,
    slug text not null,
    name text not null,
    is_listed boolean not null,
    years smallint[] not null,
    complaints integer not null,
    score real,
    rating real,
    confidence text not null,
    exposure_basis text not null,
    trends json not null`,
  /** A model year with what its statistics are made from. */
  model_year: sql`
    make text not null,
    model text not null,
    year smallint not null,
    complaints integer not null,
    weight double precision not null,
    crashes integer not null,
    fires integer not null,
    injuries integer not null,
    deaths integer not null,
    recalls integer not null,
    do_not_drive boolean not null,
    overall_stars real,
    ln_rate double precision,
    exposure double precision,
    score real,
    score_low real,
    score_high real,
    rating real,
    confidence text not null,
    exposure_basis text not null,
    category_scores json not null,
    /** The same on the basis that every vehicle has, for comparisons; null where that is the basis already. */
    background json,
    /** Complaints of each category that has some. */
    category_counts json not null`,
  /** A category of a model year; a category without complaints has no row. */
  category: sql`
    make text not null,
    model text not null,
    year smallint not null,
    category text not null,
    complaints integer not null,
    weight double precision not null,
    avg_repair_cost real,
    cost_estimated boolean not null,
    top_components text[] not null,
    /** How many mileages are known, and their sum. */
    known integer not null,
    miles bigint not null,
    /** They themselves in ascending order, for the totals of mileage filters. */
    mileages integer[] not null`,
  /** Every span between two model years of a model that have complaints: a PeriodAnalysis. */
  period: sql`
    make text not null,
    model text not null,
    year_from smallint not null,
    year_to smallint not null,
    mileages integer not null,
    avg_mileage integer,
    median_mileage integer,
    busiest_mileages text,
    costs integer not null,
    avg_cost double precision,
    median_cost double precision,
    expensive_costs double precision,
    cost_estimated boolean not null,
    usual_cost double precision`,
} as const

/** Indexes that the reads rely on, as [table, unique, columns]. They are made after the rows are in. */
export const indexes: readonly (readonly [keyof Tables, 'unique' | '', string])[] = [
  ['complaint', 'unique', '(id)'],
  ['complaint', '', '(make, model, year, listed_on, id) include (mileage)'],
  ['complaint', '', '(make, model, year, category, listed_on, id) include (mileage)'],
  ['complaint', '', '(make, model, year, mileage, id) where mileage is not null'],
  ['complaint', '', '(make, model, year, category, mileage, id) where mileage is not null'],
  ['similar', 'unique', '(id)'],
  ['issue', 'unique', '(make, model, year, rank)'],
  ['recall', 'unique', '(make, model, year, campaign)'],
  ['rating', '', '(make, model, year)'],
  ['sale', 'unique', '(make, model, year)'],
  ['make', 'unique', '(make)'],
  ['model', 'unique', '(make, model)'],
  ['model_year', 'unique', '(make, model, year)'],
  ['category', 'unique', '(make, model, year, category)'],
  ['period', 'unique', '(make, model, year_from, year_to)'],
]

/** Columns of each table, as in `create table`. */
export const columns = { ...datasetTables, ...versionTables }

/** The data tables by their plain names. */
export type Tables = Readonly<Record<keyof typeof columns, RawBuilder<unknown>>>

/** Which kind of dataset a table belongs to; the others belong to the version. */
export const tablesOf: Readonly<Record<DatasetKind, readonly (keyof typeof datasetTables)[]>> = {
  complaints: ['complaint', 'spelling', 'similar', 'issue'],
  recalls: ['recall'],
  ratings: ['rating'],
  sales: ['sale'],
}
export const tablesOfVersion = Object.keys(versionTables) as (keyof typeof versionTables)[]

/** Name of a data table: `complaint_12` is the table of dataset 12, `make_7` that of version 7. */
export function tableName(table: keyof Tables, number: number): string {
  return `${table}_${number}`
}
