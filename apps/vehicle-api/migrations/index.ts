import type { MigrationList } from '@hearth/chassis/migrate'
import { sql, type Kysely } from 'kysely'

/** What says which data are served. The data themselves lie in tables that each import makes: see data-tables.ts. */
export const vehicleMigrations: MigrationList = {
  owner: 'vehicle',
  migrations: {
    '001_data_versions': { up: createTables },
    '002_table_shape': { up: addShape },
  },
}

/** Instances and imports of before go on while it runs, and after it: their versions have no number. */
async function addShape(db: Kysely<unknown>): Promise<void> {
  await sql`alter table data_version add column shape integer`.execute(db)
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await createDataset.execute(db)
  await createVersion.execute(db)
}

const createDataset = sql`
  create table dataset (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('complaints', 'recalls', 'ratings', 'sales')),
    sample boolean not null,
    source text not null,
    sha256 text not null,
    lines integer not null,
    taken integer not null,
    refused integer not null,
    records integer not null,
    first_date date,
    last_date date,
    imported_at timestamptz not null default now()
  )`

const createVersion = sql`
  create table data_version (
    id bigint primary key,
    stamp uuid not null default gen_random_uuid(),
    sample boolean not null,
    complaints_dataset bigint not null references dataset,
    recalls_dataset bigint references dataset,
    ratings_dataset bigint references dataset,
    sales_dataset bigint references dataset,
    methodology json not null,
    published_at timestamptz not null default now()
  )`
