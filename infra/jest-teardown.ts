/** Jest globalTeardown: ends what jest-servers.ts started. */
export default async function stopServers(): Promise<void> {
  await Promise.all((globalThis.hearthTestServers ?? []).map((server) => server.stop()))
}
