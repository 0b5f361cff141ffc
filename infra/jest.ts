import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sweepAbandoned } from './server-process.ts'
import { crashedSuites, mergeRerun } from './test-results.ts'

/*
 * Runs the tests of the project in the current directory: `node ../../infra/jest.ts [jest arguments]`.
 * With --campaign it runs those that have a full size in it, one file after the other, and prints what they measure;
 * see campaign.ts. Jest needs a Node flag for ES modules, which is why it is a child process.
 */

const isCampaign = process.argv.includes('--campaign')
const RESULTS = join('.results', isCampaign ? 'campaign.json' : 'tests.json')
const HANG_LIMIT_MS = 10_000

const config = {
  rootDir: process.cwd(),
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: isCampaign ? ['**/test/faults/**/*.test.ts', '**/*.campaign.ts'] : ['**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: { '\\.ts$': fileURLToPath(new URL('strip-types.js', import.meta.url)) },
  globalSetup: fileURLToPath(new URL('jest-servers.ts', import.meta.url)),
  globalTeardown: fileURLToPath(new URL('jest-teardown.ts', import.meta.url)),
  // Against hanging, not a bound: services start slowly on a busy machine.
  testTimeout: 60_000,
  // Jest would leave one core free; half of a test's time is waiting for servers.
  maxWorkers: isCampaign ? 1 : availableParallelism(),
  coverageProvider: 'v8',
}

rmSync(RESULTS, { force: true })
mkdirSync('.results', { recursive: true })
const watch = process.argv.some((argument) => argument.startsWith('--watch'))
const code = await runJest(RESULTS, process.argv.slice(2))
const crashed = crashedSuites(readText(RESULTS))
// A process of Jest that the system ended says nothing about the code: its suites get one more chance.
process.exitCode = crashed.length === 0 ? code : await runAgain(crashed, code)
sweepAbandoned()

function runJest(results: string, args: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      createRequire(import.meta.url).resolve('jest/bin/jest'),
      `--config=${JSON.stringify(config)}`,
      '--json',
      `--outputFile=${results}`,
      ...args.filter((argument) => argument !== '--campaign'),
    ],
    {
      // With --json Jest prints the same JSON on stdout too; the report for people goes to stderr.
      stdio: ['inherit', 'ignore', 'inherit'],
      env: { ...process.env, ...(isCampaign && { CAMPAIGN: '1' }) },
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const hangCheck = setInterval(() => endIfHanging(child, results), 1_000)
  return new Promise((resolve) => {
    child.once('close', (ended) => {
      clearInterval(hangCheck)
      resolve(ended ?? 1)
    })
  })
}

/** @returns the exit code of both runs together, whose results are in RESULTS then */
async function runAgain(suites: readonly string[], first: number): Promise<number> {
  process.stderr.write(`Run again, because their process was ended by the system: ${suites.join(', ')}\n`)
  const again = `${RESULTS}.again`
  rmSync(again, { force: true })
  await runJest(again, ['--runTestsByPath', ...suites])
  const merged = mergeRerun(readText(RESULTS), readText(again))
  if (merged === undefined) return first
  writeFileSync(RESULTS, JSON.stringify(merged))
  return merged.success ? 0 : 1
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** A socket or server left open by a test keeps Jest alive for ever; in CI that would be an hour of silence. */
function endIfHanging(child: ChildProcess, results: string): void {
  if (watch || !existsSync(results) || Date.now() - statSync(results).mtimeMs < HANG_LIMIT_MS) return
  process.stderr.write(
    'The tests are done and Jest does not end: a test left a connection, timer or server open.\n',
  )
  child.kill('SIGKILL')
}
