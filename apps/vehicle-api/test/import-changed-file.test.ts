import { endAll, launch } from '@hearth/chassis/testing/service-process'
import { sql } from 'kysely'
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { complaintLine } from './complaint-lines.ts'
import { generatedLines } from './import-files.ts'
import { fileWith, installHold, inTheMiddle, openDeployment, type Deployment } from './import-process.ts'

const lines = generatedLines(2_000)
const whole = Buffer.byteLength(lines.join(''))

let deployment: Deployment

beforeEach(async () => {
  deployment = await openDeployment()
  await (await deployment.start()).stop()
})
afterEach(async () => {
  await endAll()
  await deployment.database.close()
})

test.each([
  [
    'was cut between two lines',
    (path: string) => truncateSync(path, Buffer.byteLength(lines.slice(0, 1_000).join(''))),
    new RegExp(`changed while it was read \\(it had ${whole} bytes and has \\d+\\): import again when`),
  ],
  [
    'grew',
    (path: string) => appendFileSync(path, complaintLine({ odi: '77777777' })),
    /changed while it was read/,
  ],
  [
    'was written anew with as many bytes',
    (path: string) => writeFileSync(path, lines.toReversed().join('')),
    /changed while it was read \(it was written to\)/,
  ],
  ['was removed', (path: string) => rmSync(path), /changed while it was read \(ENOENT/],
])(
  'a file that %s while it was read is not published',
  async (_, change, why) => {
    const { database, environment } = deployment
    const path = fileWith(lines)
    const hold = await installHold(database)
    await hold.at(inTheMiddle)
    const running = launch(['import', '--complaints', path], environment)
    await hold.untilReached(running)
    change(path)
    await hold.release()

    const { code, stderr } = await running.outcome
    const { rows } = await sql<{ sample: boolean }>`select sample from data_version`.execute(database.db)
    expect({ code, stderr, rows }).toEqual({
      ...{ code: 1, stderr: expect.stringMatching(why), rows: [{ sample: true }] },
    })
  },
  90_000,
)
