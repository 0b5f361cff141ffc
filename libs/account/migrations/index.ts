import type { MigrationList } from '@hearth/chassis/migrate'
import { sql, type Kysely } from 'kysely'
import { chargeDirectAtOnce } from './direct-at-once.ts'
import { freeUsage } from './free-usage.ts'
import { indexIdempotency } from './idempotency-indexes.ts'
import { createJoinGate } from './join-gate.ts'
import { createKeyUsage } from './key-usage.ts'
import { moveWhenWritable } from './move-when-writable.ts'
import { createOnePlace } from './one-place.ts'
import { randomiseOutboxIds } from './outbox-ids.ts'
import { addOutboxVersion } from './outbox-versions.ts'
import { orderLocks } from './ordered-locks.ts'

/** The migrations of the account tables, in order. A service applies them to its own schema before its own list. */
export const accountMigrations: MigrationList = {
  owner: 'account',
  migrations: {
    '001_accounts': { up: createAccounts },
    '002_usage': { up: createUsage },
    '003_gate': { up: createGate },
    '004_one_place': { up: createOnePlace },
    '005_free_usage': { up: freeUsage },
    '006_key_usage': { up: createKeyUsage },
    '007_outbox_age': { up: addOutboxAge },
    '008_ordered_locks': { up: orderLocks },
    '009_idempotency_indexes': { up: indexIdempotency },
    '010_join_gate': { up: createJoinGate },
    '011_direct_at_once': { up: chargeDirectAtOnce },
    '012_outbox_versions': { up: addOutboxVersion },
    '013_outbox_ids': { up: randomiseOutboxIds },
    '014_move_when_writable': { up: moveWhenWritable },
  },
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await createAccount.execute(db)
  await createApiKey.execute(db)
  await createIdempotency.execute(db)
  await createAttempt.execute(db)
}

const createAccount = sql`
  create table account (
    tag text primary key check (tag ~ '^[0-9A-Za-z]{10}$'),
    name text not null,
    email text not null,
    email_normalised text not null unique,
    password_hash text not null,
    plan text not null default 'free',
    suspended_at timestamptz,
    version integer not null default 1,
    session_version integer not null default 1,
    created_at timestamptz not null default now()
  )`

const createApiKey = sql`
  create table api_key (
    tag text not null references account on delete cascade,
    selector text not null check (selector ~ '^[0-9A-Za-z]{4}$'),
    digest text not null,
    name text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    primary key (tag, selector)
  )`

const createIdempotency = sql`
  create table idempotency (
    scope text primary key,
    fingerprint text not null,
    tag text not null references account on delete cascade,
    selector text not null,
    created_at timestamptz not null
  )`

const createAttempt = sql`
  create table attempt (
    bucket text primary key,
    count integer not null,
    resets_at timestamptz not null
  )`

async function createUsage(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_day (
      tag text not null references account on delete cascade,
      day integer not null,
      redis_used integer not null default 0,
      redis_refunded integer not null default 0,
      direct_used integer not null default 0,
      direct_refunded integer not null default 0,
      primary key (tag, day)
    )`.execute(db)
  await sql`
    create table usage_endpoint (
      tag text not null references account on delete cascade,
      day integer not null,
      endpoint text not null,
      instance text not null,
      used integer not null,
      primary key (tag, day, endpoint, instance)
    )`.execute(db)
}

async function createGate(db: Kysely<unknown>): Promise<void> {
  await sql`create table outbox (id bigint generated always as identity primary key, tag text not null)`.execute(
    db,
  )
  await sql`create table gate_epoch (epoch bigint not null)`.execute(db)
  await sql`insert into gate_epoch values (1)`.execute(db)
  await sql`
    create function month_start(day integer) returns integer language sql immutable as
    $$ select date_trunc('month', (date '1970-01-01' + day)::timestamp)::date - date '1970-01-01' $$`.execute(
    db,
  )
  await createPassGate.execute(db)
}

/** How long a change has waited: an instance that is late with it stops trusting Redis, see outbox.ts. */
async function addOutboxAge(db: Kysely<unknown>): Promise<void> {
  await sql`alter table outbox add column noted_at timestamptz not null default clock_timestamp()`.execute(db)
}

/**
 * The Postgres gate: the same decision as the script of redis-scripts.ts, in the same order. The row of the account is
 * locked while a unit is charged, so charges of one account happen one after another and the sum of the month is
 * exact even over midnight.
 */
const createPassGate = sql`
    create function pass_gate(
      in_tag text, in_selector text, in_digests text, in_cost integer, in_at timestamptz, in_plans jsonb,
      floor_day integer, floor_used integer, floor_refunded integer,
      out outcome text, out plan text, out day integer, out used_today integer, out used_before integer
    ) language plpgsql as $$
    #variable_conflict use_column
    declare
      owner account%rowtype;
      presented api_key%rowtype;
      latest integer;
      today usage_day%rowtype;
      floor_now integer;
      refunded_now integer;
    begin
      if in_cost > 0 then
        select * into owner from account where tag = in_tag for no key update;
      else
        select * into owner from account where tag = in_tag;
      end if;
      outcome := 'unknown';
      if owner.tag is null then return; end if;
      if in_selector <> '' then
        select * into presented from api_key where tag = in_tag and selector = in_selector;
        if presented.tag is null or strpos(in_digests, presented.digest) = 0 then return; end if;
        outcome := 'revoked';
        if presented.revoked_at is not null then return; end if;
        outcome := 'expired';
        if presented.expires_at <= in_at then return; end if;
      end if;
      outcome := 'suspended';
      if owner.suspended_at is not null then return; end if;

      -- A plan that is no longer in the table counts as free.
      plan := case when jsonb_exists(in_plans, owner.plan) then owner.plan else 'free' end;
      day := floor(extract(epoch from in_at) / 86400);
      select max(u.day) into latest from usage_day u where u.tag = in_tag;
      -- A clock that steps back over midnight does not open a day that was already left.
      if latest = day + 1 then day := latest; end if;
      select * into today from usage_day u where u.tag = in_tag and u.day = pass_gate.day;
      floor_now := case when floor_day = day then floor_used else 0 end;
      refunded_now := greatest(coalesce(today.redis_refunded, 0), case when floor_day = day then floor_refunded else 0 end);
      -- A refund may reach the ledger before the charge that it belongs to.
      used_today := greatest(0, greatest(coalesce(today.redis_used, 0), floor_now) - refunded_now
        + coalesce(today.direct_used, 0) - coalesce(today.direct_refunded, 0));
      select coalesce(sum(greatest(0, redis_used - redis_refunded + direct_used - direct_refunded)), 0) into used_before
        from usage_day u where u.tag = in_tag and u.day >= month_start(pass_gate.day) and u.day < pass_gate.day;

      outcome := 'ok';
      if in_cost = 0 then return; end if;
      outcome := 'over';
      if used_today + in_cost > (in_plans->plan->>0)::integer then return; end if;
      if used_before + used_today + in_cost > (in_plans->plan->>1)::integer then return; end if;
      outcome := 'ok';
      insert into usage_day as u (tag, day, direct_used, redis_used, redis_refunded)
        values (in_tag, pass_gate.day, in_cost, floor_now, refunded_now)
        on conflict (tag, day) do update
        set direct_used = u.direct_used + in_cost, redis_used = greatest(u.redis_used, floor_now),
          redis_refunded = greatest(u.redis_refunded, refunded_now);
      used_today := used_today + in_cost;
    end $$`
