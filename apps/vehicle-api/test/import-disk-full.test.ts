import { sql } from 'kysely'
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatedLines, recallLines } from './import-files.ts'
import { openImporting, type Importing } from './importing.ts'

/** A file system of a size, or undefined where this user may not mount one. */
function tinyDisk(size: string): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-tiny-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', directory], {
      stdio: 'ignore',
    })
    return directory
  } catch {
    rmSync(directory, { recursive: true })
    return undefined
  }
}

const disks = [
  { size: '256k', when: 'while it reads', isReached: false },
  { size: '1400k', when: 'while it makes indexes and tables', isReached: true },
].map((one) => ({ ...one, disk: tinyDisk(one.size) }))
const canMount = disks.every(({ disk }) => disk !== undefined)
if (!canMount) console.log('skipped: a full disk needs the right to mount one (root on Linux)')

let importing: Importing | undefined
afterEach(() => importing?.close())

afterAll(() => {
  for (const { disk } of disks) {
    if (disk === undefined) continue
    execFileSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true })
  }
})

;(canMount ? test.each(disks) : test.skip.each(disks))(
  'a disk of the database that is full $when stops the import with one clear line, and the data before stay served',
  async ({ size, disk = '', isReached }) => {
    importing = await openImporting()
    const { workshop } = importing
    await importing.publish('--complaints', workshop.file('served.txt', generatedLines(300).join('')))
    const before = await state(importing)
    const files = [
      ...['--complaints', workshop.file('newer.txt', generatedLines(1_500, 3).join(''))],
      ...['--recalls', workshop.file('recalls.txt', recallLines(20).join(''))],
    ]

    await putNewTablesOn(importing, disk, size)
    const full = await importing.run(...files)
    expect(await state(importing)).toEqual(before)
    await putNewTablesBack(importing, size)
    const again = await importing.run(...files)

    expect(full.stderr.includes('making indexes')).toBe(isReached)
    expect([full.code, full.stderr.split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(
        /^The database did not take it: .*No space left on device.*What was served before is still served; import again\.$/,
      ),
    ])
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('as data version 2') })
    expect((await importing.get('/v1/datasets')).data.version.number).toBe(2)
  },
  90_000,
)

async function state({ get, dataTables }: Importing) {
  const paths = ['/v1/datasets', '/v1/vehicles/aldera/corvane/2016?include=complaints']
  const answers = []
  for (const path of paths) answers.push(await get(path))
  return { answers, tables: await dataTables() }
}

async function putNewTablesOn({ app }: Importing, disk: string, size: string): Promise<void> {
  const { db } = app.database
  const { rows } = await sql<{ directory: string; database: string }>`
    select current_setting('data_directory') as directory, current_database() as database`.execute(db)
  const [{ directory, database } = { directory: '', database: '' }] = rows
  if (!existsSync(directory)) throw new Error('The Postgres of the test run must be on this machine.')
  const place = join(disk, 'space')
  mkdirSync(place)
  const { uid, gid } = statSync(directory)
  chownSync(place, uid, gid)
  await sql`create tablespace ${sql.id(`tiny_${size}`)} location ${sql.lit(place)}`.execute(db)
  await sql`alter database ${sql.id(database)} set default_tablespace = ${sql.id(`tiny_${size}`)}`.execute(db)
}

async function putNewTablesBack({ app }: Importing, size: string): Promise<void> {
  const { db } = app.database
  const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(db)
  await sql`alter database ${sql.id(rows[0]?.database ?? '')} reset default_tablespace`.execute(db)
  await sql`drop tablespace ${sql.id(`tiny_${size}`)}`.execute(db)
}
