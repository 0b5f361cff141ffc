import { stripVTControlCharacters } from 'node:util'

/** How many tests of one run passed, failed and were skipped. */
export type Counts = { passed: number; failed: number; skipped: number }

/**
 * Counts the tests in the JSON that Jest writes. A suite that fails without a failing test of its own (it
 * cannot be loaded, or its set-up throws) counts as one failure.
 *
 * @returns undefined if the text is missing or no Jest result
 */
export function readResults(json: string | undefined): Counts | undefined {
  const result = parse(json)
  if (result === undefined) return undefined
  const brokenSuites = result.testResults.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
  )
  const failed = result.numFailedTests + brokenSuites.length
  return {
    passed: result.numPassedTests,
    failed: failed === 0 && !result.success ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  }
}

/**
 * Says of every failed test which one it was and why, for the end of a long report: CI often keeps only that.
 *
 * @returns the text of Jest's JSON result, a paragraph for each; none if the text is missing or no Jest result
 */
export function failuresOf(json: string | undefined): string[] {
  const suites = parse(json)?.testResults ?? []
  return suites.flatMap((suite) => {
    const failed = suite.assertionResults.filter((test) => test.status === 'failed')
    const stories = failed.map((test) => [test.fullName, ...test.failureMessages])
    if (suite.status === 'failed' && failed.length === 0) stories.push(['cannot be run', suite.message])
    return stories.map(
      ([title = '', ...reasons]) => `${suite.name}: ${title}\n${opening(reasons.join('\n'))}`,
    )
  })
}

const SHOWN_LINES = 20

function opening(text: string): string {
  const lines = stripVTControlCharacters(text).trimEnd().split('\n')
  return lines.slice(0, SHOWN_LINES).join('\n')
}

/** Paths of the suites in Jest's JSON result that did not fail but whose process was ended by a signal. */
export function crashedSuites(json: string | undefined): string[] {
  const suites = parse(json)?.testResults ?? []
  return suites
    .filter(
      ({ status, message }) => status === 'failed' && /jest worker process .* was terminated/.test(message),
    )
    .map(({ name }) => name)
}

/** The result of a run with the suites that crashed in it replaced by those of a second run; undefined without either. */
export function mergeRerun(json: string | undefined, again: string | undefined): JestResult | undefined {
  const [first, second] = [parse(json), parse(again)]
  if (first === undefined || second === undefined) return undefined
  const crashed = new Set(crashedSuites(json))
  const kept = first.testResults.filter(({ name }) => !crashed.has(name))
  return {
    success: second.success && kept.every(({ status }) => status !== 'failed'),
    numPassedTests: first.numPassedTests + second.numPassedTests,
    numFailedTests: first.numFailedTests + second.numFailedTests,
    numPendingTests: first.numPendingTests + second.numPendingTests,
    numTodoTests: first.numTodoTests + second.numTodoTests,
    testResults: [...kept, ...second.testResults],
  }
}

/** The sum of two counts. */
export function addResults(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/** `N passed, N failed`, and `, N skipped` if there are any. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  const line = `${String(passed)} passed, ${String(failed)} failed`
  return skipped === 0 ? line : `${line}, ${String(skipped)} skipped`
}

function parse(json: string | undefined): JestResult | undefined {
  if (json === undefined) return undefined
  try {
    // Written by the Jest version of our own lock file.
    return JSON.parse(json) as JestResult
  } catch {
    return undefined
  }
}

type JestResult = {
  success: boolean
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}
