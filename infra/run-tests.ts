import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureOptional, ensurePrerequisites } from './prerequisites.ts'
import { isCalled, projectsWith, ROOT, type Project } from './projects.ts'
import { addResults, closingLine, failuresOf, readResults, type Counts } from './test-results.ts'

/*
 * `npm test [project …]`: sets up what the tests need, runs them through the Nx cache and closes with one
 * line that counts them.
 */

process.exitCode = runTests(process.argv.slice(2))

function runTests(names: readonly string[]): number {
  try {
    const projects = selectProjects(names)
    ensurePrerequisites()
    ensureOptional()
    return report(projects, runThroughNx(projects))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return report([], false)
  }
}

function selectProjects(names: readonly string[]): Project[] {
  const all = projectsWith('test')
  const unknown = names.filter((name) => !all.some((project) => isCalled(project, name)))
  if (unknown.length > 0) {
    const known = all.map((project) => project.name).join(', ')
    throw new Error(`There is no project with tests called ${unknown.join(', ')}; there are ${known}.`)
  }
  return names.length === 0 ? all : all.filter((project) => names.some((name) => isCalled(project, name)))
}

/** @returns whether every project's tests ended well */
function runThroughNx(projects: readonly Project[]): boolean {
  // Nx puts the results of unchanged projects back from its cache; a file of an earlier run must not pass for one.
  for (const project of projects) rmSync(resultsOf(project), { force: true })
  const names = projects.map((project) => project.name).join(',')
  const { status } = spawnSync(
    'nx',
    // One project at a time: each uses every core already, and two would only make each other late.
    ['run-many', '-t', 'test', `--projects=${names}`, '--parallel=1', '--output-style=static'],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, NX_TUI: 'false' } },
  )
  return status === 0
}

function report(projects: readonly Project[], succeeded: boolean): number {
  let total: Counts = { passed: 0, failed: 0, skipped: 0 }
  for (const project of projects) {
    const results = readIfThere(resultsOf(project))
    for (const failure of failuresOf(results)) process.stdout.write(`\nFAILED ${failure}\n\n`)
    const counts = readResults(results)
    if (counts === undefined) process.stdout.write(`${project.name} left no test results.\n`)
    total = addResults(total, counts ?? { passed: 0, failed: 1, skipped: 0 })
  }
  if (!succeeded && total.failed === 0) total = { ...total, failed: 1 }
  process.stdout.write(`${closingLine(total)}\n`)
  return total.failed === 0 && total.passed > 0 ? 0 : 1
}

function resultsOf(project: Project): string {
  return join(project.directory, '.results', 'tests.json')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
