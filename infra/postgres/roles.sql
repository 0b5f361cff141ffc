-- One login role and one schema per service, and no way from one to another.
--   psql "$ADMIN_URL" -v solar_password=… -v wildfire_password=… -v vehicle_password=… -f roles.sql
-- Run again at any time: it changes passwords and settings, never data.
\set ON_ERROR_STOP on

begin;

-- Postgres lets everybody connect and create temporary tables; only the roles below may, and only to connect.
select format('revoke all on database %I from public', current_database()) \gexec
revoke all on schema public from public;

select format('create role %I', name)
from unnest(array['solar', 'wildfire', 'vehicle']) as name
where not exists (select from pg_roles where rolname = name) \gexec

alter role solar password :'solar_password';
alter role wildfire password :'wildfire_password';
alter role vehicle password :'vehicle_password';

-- A service owns its schema because it migrates itself. Its migrations create nothing outside of it.
select
  format('alter role %I login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls connection limit 200', name),
  format('grant connect on database %I to %I', current_database(), name),
  format('create schema if not exists %I authorization %I', name, name),
  format('alter role %I set search_path = %I', name, name),
  format('alter role %I set statement_timeout = %L', name, timeout),
  format('alter role %I set lock_timeout = %L', name, '2s'),
  format('alter role %I set idle_in_transaction_session_timeout = %L', name, '15s')
-- A request is over after 10 s; the two services with imports raise their limit for the import itself.
from (values ('solar', '8s'), ('wildfire', '8s'), ('vehicle', '8s')) as service (name, timeout) \gexec

commit;
