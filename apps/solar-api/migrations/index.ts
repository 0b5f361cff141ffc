import type { MigrationList } from '@hearth/chassis/migrate'
import { sql, type Kysely } from 'kysely'

/** The migrations of the saved calculations; those of the accounts come before them. */
export const solarMigrations: MigrationList = {
  owner: 'solar',
  migrations: {
    '001_calculations': { up: createCalculations },
  },
}

async function createCalculations(db: Kysely<unknown>): Promise<void> {
  await createCalculation.execute(db)
  await createResult.execute(db)
}

/** Ids begin with the time they were made at, so that the primary key is also the order of the list. */
const createCalculation = sql`
  create table calculation (
    tag text not null references account on delete cascade,
    id text collate "C" not null check (id ~ '^calc_[0-9a-z]{26}$'),
    name text not null,
    kind text not null check (kind in ('calculate', 'monteCarlo')),
    input text not null check (octet_length(input) <= 65536),
    revision integer not null default 1,
    created_at timestamptz not null,
    primary key (tag, id)
  )`

/** JSON is kept as text: jsonb would change the order of its fields. */
const createResult = sql`
  create table calculation_result (
    tag text not null,
    id text collate "C" not null,
    revision integer not null check (revision >= 1),
    model text not null,
    result text not null,
    cash_flow text not null,
    calculated_at timestamptz not null,
    primary key (tag, id, revision),
    foreign key (tag, id) references calculation on delete cascade
  )`
