import {
  addResults,
  closingLine,
  crashedSuites,
  failuresOf,
  mergeRerun,
  readResults,
} from '../test-results.ts'

test('counts passed, failed and skipped tests', () => {
  const json = result({
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    success: false,
  })

  expect(readResults(json)).toEqual({ passed: 5, failed: 1, skipped: 3 })
})

test('counts a suite that fails before its first test as one failure', () => {
  const json = result({
    numPassedTests: 5,
    success: false,
    testResults: [{ status: 'failed', assertionResults: [] }],
  })

  expect(readResults(json)).toEqual({ passed: 5, failed: 1, skipped: 0 })
})

test('counts a run that calls itself unsuccessful as a failure', () => {
  expect(readResults(result({ numPassedTests: 5, success: false }))).toEqual({
    passed: 5,
    failed: 1,
    skipped: 0,
  })
})

test.each([[undefined], [''], ['{"half":']])('knows that %j is no result', (json) => {
  expect(readResults(json)).toBeUndefined()
})

test('tells which tests failed and why, without colours and not at length', () => {
  const failed = (fullName: string, message: string) => ({
    fullName,
    status: 'failed',
    failureMessages: [message],
  })
  const long = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n')
  const json = result({
    success: false,
    testResults: [
      { name: '/a.test.ts', status: 'passed', message: '', assertionResults: [{ status: 'passed' }] },
      {
        name: '/b.test.ts',
        status: 'failed',
        message: 'both',
        assertionResults: [
          failed('adds up', '\u001b[31mexpected\u001b[39m 2, received 3'),
          failed('goes on', long),
        ],
      },
      { name: '/c.test.ts', status: 'failed', message: 'cannot find module', assertionResults: [] },
    ],
  })

  const [wrong, endless, broken, ...more] = failuresOf(json)
  expect(wrong).toBe('/b.test.ts: adds up\nexpected 2, received 3')
  expect(endless?.split('\n')).toHaveLength(21)
  expect(broken).toBe('/c.test.ts: cannot be run\ncannot find module')
  expect(more).toEqual([])
  expect(failuresOf(undefined)).toEqual([])
})

test('knows suites whose process was ended by the system, and puts their second run in their place', () => {
  const crash =
    'A jest worker process (pid=1) was terminated by another process: signal=SIGSEGV, exitCode=null.'
  const suite = (name: string, status: string, message = '') => ({
    ...{ name, status, message },
    assertionResults: [],
  })
  const first = (other: string) =>
    result({
      ...{ numPassedTests: 5, success: false },
      testResults: [suite('/a.test.ts', 'failed', crash), suite('/b.test.ts', other)],
    })
  const second = result({ numPassedTests: 2, testResults: [suite('/a.test.ts', 'passed')] })
  const broken = result({ success: false, testResults: [suite('/a.test.ts', 'failed')] })

  const merged = (one: string, again: string) => readResults(JSON.stringify(mergeRerun(one, again)))
  expect(crashedSuites(first('failed'))).toEqual(['/a.test.ts'])
  expect(merged(first('passed'), second)).toEqual({ passed: 7, failed: 0, skipped: 0 })
  expect(merged(first('failed'), second)).toMatchObject({ failed: 1 })
  expect(merged(first('passed'), broken)).toMatchObject({ failed: 1 })
  expect(mergeRerun(first('passed'), undefined)).toBeUndefined()
})

test('closes with a line that names skipped tests only if there are some', () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
  expect(
    closingLine(addResults({ passed: 1, failed: 2, skipped: 3 }, { passed: 10, failed: 20, skipped: 30 })),
  ).toBe('11 passed, 22 failed, 33 skipped')
})

function result(changes: object): string {
  const empty = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, success: true }
  return JSON.stringify({ ...empty, testResults: [], ...changes })
}
