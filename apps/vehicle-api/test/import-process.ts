import { openDatabase, type Database } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import {
  freePorts,
  type launch,
  newDirectory,
  newSecret,
  runProcess,
  send,
  startProcess,
  untilStatus,
  type Environment,
  type Reply,
  type ServiceProcess,
} from '@hearth/chassis/testing/service-process'
import { createDatabase } from '@hearth/infra/test-servers'
import { sql } from 'kysely'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A database with processes of the service and of its import. */
export type Deployment = {
  readonly database: Database<unknown>
  readonly environment: Environment
  /** Starts an instance and waits until it is ready. */
  readonly start: () => Promise<ServiceProcess>
}

/** @param server connection string of a Postgres; that of the test run unless given */
export async function openDeployment(server = process.env['TEST_DATABASE_URL'] ?? ''): Promise<Deployment> {
  const url = await createDatabase(server)
  const log = createLogger({ level: 'silent', service: 'test' })
  const database = await openDatabase({ url, dataDir: '', schema: 'vehicle', log, queryTimeoutMs: 20_000 })
  const secrets = { KEY_PEPPER: newSecret(), JWT_SECRET: newSecret(), OPERATOR_TOKEN: newSecret() }
  const environment = {
    ...{ DATABASE_URL: url, DATA_DIR: newDirectory(), BURST_PER_SECOND: '0', SHUTDOWN_DEADLINE_MS: '2000' },
    ...secrets,
  }
  return {
    database,
    environment,
    start: async () => {
      const ports = await freePorts()
      const service = await startProcess({ ...environment, DATA_DIR: newDirectory(), ...ports })
      await untilStatus(`${service.baseUrl}/readyz`, 200, 60_000)
      return service
    },
  }
}

/** Writes lines to a file of their own. */
export function fileWith(lines: readonly string[], name = 'FLAT_CMPL.txt'): string {
  const path = join(newDirectory(), name)
  writeFileSync(path, lines.join(''))
  return path
}

/** An import to its end; one that is told that another is under way, which may be killed already, comes again. */
export async function importFiles(environment: Environment, ...args: string[]) {
  for (const end = Date.now() + 30_000; ;) {
    const outcome = await runProcess(['import', ...args], environment, 120_000)
    if (!outcome.stderr.includes('under way') || Date.now() > end) return outcome
    await sleep(100)
  }
}

/** A client of an instance, on the plan with the largest quota. */
export async function signUp(
  service: ServiceProcess,
  environment: Environment,
): Promise<(path: string) => Promise<Reply>> {
  const email = 'ann@example.com'
  const { body } = await send(`${service.baseUrl}/v1/signup`, {
    body: { name: 'Ann', email, password: newSecret() },
  })
  const ports = { PORT: new URL(service.baseUrl).port, INTERNAL_PORT: new URL(service.internalUrl).port }
  const { code, stderr } = await runProcess(
    ['account', 'set-plan', email, 'business'],
    { ...environment, ...ports },
    60_000,
  )
  if (code !== 0) throw new Error(`set-plan: ${stderr}`)
  const headers = { Authorization: `Bearer ${String(body.data.apiKey)}` }
  return (path) => send(`${service.baseUrl}${path}`, { headers })
}

/** Lets statements of imports wait for as long as a test wants. */
export type Hold = {
  /** Every statement from now on whose text matches waits. */
  readonly at: (pattern: string) => Promise<void>
  /** Fulfilled when an import waits; rejected when it has ended instead. */
  readonly untilReached: (running: ReturnType<typeof launch>) => Promise<void>
  /** Lets everything go on. */
  readonly release: () => Promise<void>
  /** Fulfilled when Postgres has noticed that an import was killed, so that another one is let in. */
  readonly untilGone: () => Promise<void>
}

/** In the middle of the rows of a COPY, once this ODI number comes: the pattern for {@link Hold.at}. */
export const inTheMiddle = 'row of copy'
const middleOdi = '10000300'

/** Event triggers see all DDL; tables that come get triggers that see COPY. */
export async function installHold({ db }: Database<unknown>): Promise<Hold> {
  await sql`
    create schema hold;
    create table hold.at (pattern text);
    create function hold.wait(here text) returns void language plpgsql as $$ begin
      while exists (select 1 from hold.at where here ~ pattern) loop perform pg_sleep(0.02); end loop;
    end $$;
    create function hold.on_ddl() returns event_trigger language plpgsql as $$ begin
      perform hold.wait(current_query());
    end $$;
    create function hold.on_statement() returns trigger language plpgsql as $$ begin
      perform hold.wait(current_query());
      return null;
    end $$;
    create function hold.on_row() returns trigger language plpgsql as $$ begin
      perform hold.wait('row of ' || current_query());
      return new;
    end $$;
    create function hold.on_table() returns event_trigger language plpgsql as $$ declare made record; begin
      for made in select * from pg_event_trigger_ddl_commands() where command_tag = 'CREATE TABLE' loop
        execute format('create trigger hold before insert on %s for each statement
          execute function hold.on_statement()', made.object_identity);
        continue when made.object_identity !~ 'complaint_';
        execute format('create trigger hold_row before insert on %s for each row when (new.odi = %L)
          execute function hold.on_row()', made.object_identity, ${sql.lit(middleOdi)});
      end loop;
    end $$;
    create trigger hold before insert on dataset for each statement execute function hold.on_statement();
    create trigger hold before insert on data_version for each statement execute function hold.on_statement();
    create event trigger hold_ddl on ddl_command_start execute function hold.on_ddl();
    create event trigger hold_table on ddl_command_end when tag in ('CREATE TABLE')
      execute function hold.on_table()`.execute(db)
  return {
    at: async (pattern) => {
      await sql`insert into hold.at values (${pattern})`.execute(db)
    },
    release: async () => {
      await sql`delete from hold.at`.execute(db)
    },
    untilReached: async ({ outcome, output }) => {
      const ended = outcome.then(() => {
        throw new Error(`The import ended instead: ${output()}`)
      })
      ended.catch(() => undefined)
      await Promise.race([until(waits, () => `The import did not come to that point: ${output()}`), ended])
    },
    untilGone: () => until(isFree, () => 'Postgres did not notice that the import was killed.'),
  }

  async function waits(): Promise<boolean> {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`.execute(db)
    return rows.length > 0
  }

  async function isFree(): Promise<boolean> {
    const { rows } = await sql`
      select 1 from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      db,
    )
    return rows.length === 0
  }
}

async function until(holds: () => Promise<boolean>, failure: () => string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (await holds()) return
    await sleep(20)
  }
  throw new Error(failure())
}
