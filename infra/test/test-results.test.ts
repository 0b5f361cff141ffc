import { addResults, closingLine, readResults } from '../test-results.ts'

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
