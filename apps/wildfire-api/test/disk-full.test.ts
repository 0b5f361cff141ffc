import { sql } from 'kysely'
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorkshop } from './importing.ts'
import { nriCsv, nriRows } from './nri-file.ts'
import { databaseUrlOf, roomyPlans, startWildfire } from './support.ts'

/** A file system of a quarter of a megabyte, or undefined where this user may not mount one. */
function tinyDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-tiny-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=755', 'tmpfs', directory], {
      stdio: 'ignore',
    })
    return directory
  } catch {
    rmSync(directory, { recursive: true })
    return undefined
  }
}

const disk = tinyDisk()
if (disk === undefined) console.log('skipped: a full disk needs the right to mount one (root on Linux)')

afterAll(() => {
  if (disk === undefined) return
  execFileSync('umount', ['--lazy', disk])
  rmSync(disk, { recursive: true })
})

;(disk === undefined ? describe.skip : describe)('a disk of the database that is full', () => {
  test('stops the import with one clear line, and the data before stay served', async () => {
    const app = await startWildfire({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
    const { db } = app.database
    const { key } = await app.signUp('pro')
    const workshop = openWorkshop(await databaseUrlOf(app))
    const rows = nriRows()
    const served = async () => {
      await app.counties.refresh()
      return (await app.call('get', '/v1/risk/county/06061', { key })).body.data
    }
    const before = await served()
    const { rows: settings } = await sql<{
      directory: string
    }>`select current_setting('data_directory') as directory`.execute(db)
    const dataDirectory = settings[0]?.directory ?? ''
    if (!existsSync(dataDirectory)) throw new Error('The Postgres of the test run must be on this machine.')
    const place = join(disk ?? '', 'space')
    mkdirSync(place)
    const { uid, gid } = statSync(dataDirectory)
    chownSync(place, uid, gid)
    await sql`create tablespace tiny_disk location ${sql.lit(place)}`.execute(db)
    await sql`alter table nri_county set tablespace tiny_disk`.execute(db)

    const full = await workshop.run('--nri', workshop.file('full.csv', nriCsv(rows)))
    const after = await served()
    await sql`alter table nri_county set tablespace pg_default`.execute(db)
    const again = await workshop.run('--nri', workshop.file('again.csv', nriCsv(rows)))

    expect(full.code).toBe(1)
    expect(full.stderr).toMatch(
      /did not take it: .*No space left on device. What was served before is still served/,
    )
    expect(after).toEqual(before)
    expect(again.code).toBe(0)
    expect((await served()).dataVintage).not.toEqual(before.dataVintage)
    await sql`drop tablespace tiny_disk`.execute(db)
    workshop.close()
    await app.close()
  }, 60_000)
})
