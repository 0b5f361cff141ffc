import { endAll, newDirectory, runProcess } from '@hearth/chassis/testing/service-process'
import { sql } from 'kysely'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipOf } from './archive.ts'
import { complaintLine } from './complaint-lines.ts'
import { generatedLines } from './import-files.ts'
import { openDeployment } from './import-process.ts'
import { openImporting, type Importing } from './importing.ts'

const whole = generatedLines(400).join('')
let importing: Importing

beforeAll(async () => {
  importing = await openImporting()
})
afterAll(async () => {
  await importing.close()
  await endAll()
})

async function run(name: string, content: string | Buffer, option = '--complaints') {
  const outcome = await importing.run(option, importing.workshop.file(name, content), '--dry-run')
  return { ...outcome, sentence: outcome.stderr.split('\n').at(-1) }
}

/** A zip whose only file says another method, or that it is encrypted. */
function marked(offset: number, value: number): Buffer {
  const zip = zipOf({ 'FLAT_CMPL.txt': whole })
  const entry = zip.indexOf('PK\u0001\u0002')
  zip[4 + 2 + offset] = value
  zip[entry + 6 + 2 + offset] = value
  return zip
}

/** A zip whose files say that each of them has 4 GiB. */
function bomb(): Buffer {
  const zip = zipOf({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd', 'e.txt': 'e' })
  for (let at = zip.indexOf('PK\u0001\u0002'); at >= 0; at = zip.indexOf('PK\u0001\u0002', at + 4)) {
    zip.writeUInt32LE(0xff_ff_ff_f0, at + 24)
  }
  return zip
}

test.each([
  ['an empty last line', `${whole}\r\n`],
  ['an empty line in front and blank ones behind', `\r\n${whole}  \r\n\r\n`],
  ['a last line that is too long', whole + complaintLine({ narrative: 'x'.repeat(70_000) })],
])('a whole file with %s is not taken for one that was cut off', async (_, text) => {
  const { code, stdout } = await run('lines.txt', text)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/[1-9]\d* lines faulty[^]*Everything fits/)])
})

test.each([
  ['encrypted.zip', marked(0, 1), /FLAT_CMPL\.txt is encrypted.*Unpack it yourself/],
  ['bzip2.zip', marked(2, 12), /FLAT_CMPL\.txt is packed .*method 12; expected.*deflate.*Unpack it yourself/],
  [
    'cmpl.txt.xz',
    Buffer.from('\u00fd7zXZ\0\0', 'latin1'),
    /packed with xz; expected plain text, gzip or zip/,
  ],
  ['cmpl.7z', Buffer.from('7z\u00bc\u00af\u0027\u001c\0', 'latin1'), /a 7z archive.*Unpack it/],
  ['old.txt', whole.replaceAll('\r\n', '\r'), /longer than 64 KiB; expected one record in each line/],
  ['bomb.zip', bomb(), /would be 20 GiB when unpacked, 16 GiB are allowed/],
  ['nothing.zip', zipOf({ 'a.txt': '' }), /There are no complaints in nothing\.zip: it has no lines/],
])('%s: says what is wrong and what to do', async (name, content, why) => {
  const { code, stdout, sentence } = await run(name, content)
  expect([code, stdout, sentence]).toEqual([1, '', expect.stringMatching(why)])
})

test('a file that was given to the wrong option says why none of its lines was taken', async () => {
  await importing.publish('--complaints', importing.workshop.file('served.txt', whole))
  const { code, sentence } = await run('cmpl.txt', whole, '--recalls')
  expect([code, sentence]).toEqual([
    1,
    expect.stringMatching(
      /no recalls in cmpl\.txt: of 400 lines 0 are faulty and 400 are left out, such as line 1 .*not a vehicle.*another option\?/,
    ),
  ])
})

test('the report does not take the place of a file that is to be read', async () => {
  const file = importing.workshop.file('mine.txt', whole)
  const { code, stderr } = await importing.run('--complaints', file, '--report', join(file, '..', 'mine.txt'))
  expect([code, stderr]).toEqual([2, expect.stringMatching(/would take the place of the file .*--report/)])
  expect(readFileSync(file, 'utf8')).toBe(whole)
})

test('a pipe, which could be read only once, is refused', async () => {
  const pipe = join(newDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const { code, stderr } = await importing.run('--complaints', pipe)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is a pipe or a device.*Give a file/)])
})

test('a directory is named as one', async () => {
  const directory = newDirectory()
  const { code, stderr } = await importing.run('--complaints', directory)
  expect([code, stderr]).toEqual([1, `${directory} cannot be read: it is a directory. Give the files in it.`])
})

test('paths start where npm was called, and a role that may only read is told so', async () => {
  const { database, environment } = await openDeployment()
  const directory = newDirectory()
  writeFileSync(join(directory, 'mine.txt'), whole)
  const asNpm = { ...environment, npm_lifecycle_event: 'import', INIT_CWD: directory }
  const args = ['import', '--complaints', 'mine.txt', '--report', 'mine.csv']
  expect(await runProcess(args, asNpm, 60_000)).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('400 lines of mine.txt') },
  })

  expect(existsSync(join(directory, 'mine.csv'))).toBe(true)

  const role = `reader_${randomBytes(6).toString('hex')}`
  await sql`create role ${sql.id(role)} login password 'reads'`.execute(database.db)
  await sql`grant usage on schema vehicle to ${sql.id(role)}`.execute(database.db)
  await sql`grant select on all tables in schema vehicle to ${sql.id(role)}`.execute(database.db)
  const url = new URL(environment['DATABASE_URL'] ?? '')
  Object.assign(url, { username: role, password: 'reads' })
  writeFileSync(join(directory, 'mine.txt'), `${whole}${complaintLine({ odi: '77777777' })}`)
  const { code, stderr } = await runProcess(args, { ...asNpm, DATABASE_URL: url.href }, 60_000)
  await sql`drop owned by ${sql.id(role)}`.execute(database.db)
  await sql`drop role ${sql.id(role)}`.execute(database.db)
  await database.close()
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^The database refuses it: permission denied .*Nothing was changed.*DATABASE_URL/),
  ])
}, 120_000)
