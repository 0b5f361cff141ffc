import { startPostgres, startRedis, type TestServer } from './test-servers.ts'

/**
 * Jest globalSetup: one Postgres and one Redis for the run, told to the tests as TEST_DATABASE_URL and
 * TEST_REDIS_URL. A value that is already set is used instead, and no server is started for it.
 */
export default async function startServers(): Promise<void> {
  const [postgres, redis] = await Promise.all([
    process.env['TEST_DATABASE_URL'] === undefined ? startPostgres() : undefined,
    process.env['TEST_REDIS_URL'] === undefined ? startRedis() : undefined,
  ])
  if (postgres !== undefined) process.env['TEST_DATABASE_URL'] = postgres.url
  if (redis !== undefined) process.env['TEST_REDIS_URL'] = redis.url
  globalThis.hearthTestServers = [postgres, redis].filter((server) => server !== undefined)
}

declare global {
  /** Jest runs setup and teardown as separate modules of one process; this is how they share the servers. */
  var hearthTestServers: readonly TestServer[] | undefined
}
