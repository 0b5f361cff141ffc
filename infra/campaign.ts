/*
 * Tests that have a usual size, which every run affords, and a full one, which `node infra/jest.ts --campaign` runs:
 * minutes of load, the numbers of the degraded-mode contract, one test file after the other.
 */

/** Whether the full sizes are asked for. */
export const isCampaign = process.env['CAMPAIGN'] === '1'

/** The size of a test: the usual one, or the full one in a campaign. */
export function size<T>(usual: T, full: T): T {
  return isCampaign ? full : usual
}

/** Prints a measured number in a campaign; a usual run, on a machine that others use, measures nothing. */
export function measured(what: string): void {
  if (isCampaign) process.stderr.write(`measured: ${what}\n`)
}
