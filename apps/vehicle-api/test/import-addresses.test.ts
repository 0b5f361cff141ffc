import { fetchFile } from '@hearth/chassis/importing/fetch-file'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { generatedLines, salesCsv } from './import-files.ts'
import { openImporting, type Importing } from './importing.ts'

const file = gzipSync(generatedLines(1_000).join(''))
const newer = gzipSync(generatedLines(1_000, 3).join(''))

let importing: Importing
let server: Server
let base: string
let answer: RequestListener
let asked: IncomingMessage[]

beforeAll(async () => {
  importing = await openImporting()
  server = createServer((req, res) => {
    asked.push(req)
    answer(req, res)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  answer = (_req, res) => res.end(file)
  asked = []
  await importing.publish('--complaints', `${base}/FLAT_CMPL.txt.gz`)
})
beforeEach(() => {
  asked = []
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await importing.close()
})

/** What is served, which tables there are, and which downloads are on the disk. */
async function state() {
  const answers = [
    await importing.get('/v1/datasets'),
    await importing.get('/v1/vehicles/aldera/corvane/2016'),
  ]
  return { answers, tables: await importing.dataTables(), downloads: downloads() }
}

/** Copies of our files in the directory for temporary files, where others may have theirs. */
function downloads(): string[] {
  return readdirSync(tmpdir()).filter((name) => {
    const path = join(tmpdir(), name, 'download')
    if (!name.startsWith('hearth-import-') || !existsSync(path)) return false
    const content = readFileSync(path)
    return content.length > 0 && [file, newer].some((own) => own.subarray(0, content.length).equals(content))
  })
}

test('an address is downloaded and named without the credentials it is asked with', async () => {
  answer = (_req, res) => res.end(newer)
  const address = `${base.replace('http://', 'http://ann:p%40ss%20word@')}/FLAT_CMPL.txt.gz?day=1`
  const { code, stdout, stderr } = await importing.run('--complaints', address)

  expect([code, asked.map(({ headers }) => headers.authorization)]).toEqual([
    0,
    [`Basic ${btoa('ann:p@ss word')}`],
  ])
  const { data } = await importing.get('/v1/datasets')
  expect(data.datasets[0].source).toBe(`${base}/FLAT_CMPL.txt.gz?day=1`)
  expect(stdout).toContain(`${base}/FLAT_CMPL.txt.gz?day=1`)
  expect(stdout + stderr).not.toMatch(/ann|ss.?word/)
}, 30_000)

test('several addresses are read as one', async () => {
  answer = (req, res) =>
    res.end(req.url === '/a.csv' ? salesCsv() : 'make,model,year,units\nNorrvik,NV-99,2020,5000')
  await importing.publish('--sales', `${base}/a.csv`, '--sales', `${base}/b.csv`)
  const { data } = await importing.get('/v1/datasets')
  expect(data.datasets[1].source).toBe(`${base}/a.csv, ${base}/b.csv`)
  expect(data.datasets[1].rows).toBe(salesCsv().trim().split('\r\n').length)
})

test.each<[string, RequestListener, RegExp]>([
  ['answers 404', (_req, res) => res.writeHead(404).end('gone'), /answered 404; expected the file/],
  ['answers 403', (_req, res) => res.writeHead(403).end(), /answered 403/],
  ['answers 500', (_req, res) => res.writeHead(500).end('{}'), /answered 500/],
  ['answers with a web page', (_req, res) => res.end('<!doctype html><html>moved'), /web page/],
  ['answers with nothing', (_req, res) => res.end(), /is empty/],
  [
    'leads in a circle',
    (_req, res) => res.writeHead(302, { Location: '/again' }).end(),
    /could not be downloaded.*redirect/,
  ],
  [
    'breaks off half-way',
    (_req, res) => {
      res.writeHead(200, { 'Content-Length': file.length })
      res.write(file.subarray(0, file.length / 2), () => res.destroy())
    },
    /could not be downloaded.*Nothing was changed; try again/,
  ],
  [
    'hangs up without an answer',
    (req) => req.socket.destroy(),
    /could not be downloaded.*Nothing was changed; try again/,
  ],
])('an address that %s changes nothing', async (_, listener, why) => {
  answer = listener
  const before = await state()
  const address = `${base.replace('http://', 'http://ann:secret@')}/FLAT_CMPL.zip`
  const { code, stdout, stderr } = await importing.run('--complaints', address)

  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(why) })
  expect(stderr).toContain(base)
  expect(stderr).not.toMatch(/ann|secret/)
  expect(await state()).toEqual(before)
})

test('the second of two addresses that fails takes the download of the first with it', async () => {
  const before = await state()
  answer = (req, res) => (req.url === '/a' ? res.end(file) : res.writeHead(404).end())
  const { code, stderr } = await importing.run('--complaints', `${base}/a`, '--complaints', `${base}/b`)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${base}/b answered 404`)])
  expect(await state()).toEqual(before)
})

test('where nobody listens, the reason is told', async () => {
  const closed = createServer()
  await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done))
  const { port } = closed.address() as AddressInfo // it listens on a port
  await new Promise((done) => closed.close(done))
  const address = `http://ann:secret@127.0.0.1:${port}/FLAT_CMPL.zip`
  const { code, stderr } = await importing.run('--complaints', address)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/could not be downloaded: .*ECONNREFUSED/)])
  expect(stderr).not.toMatch(/ann|secret/)
})

test('an address that stalls half-way is given up, and leaves nothing on the disk', async () => {
  answer = (_req, res) => {
    res.writeHead(200, { 'Content-Length': file.length })
    res.write(file.subarray(0, file.length / 2))
  }
  const options = { largestGiB: 1, usual: '', onProgress: () => undefined, stallMs: 300 }
  await expect(fetchFile(`${base}/FLAT_CMPL.zip`, options)).rejects.toThrow(
    /FLAT_CMPL\.zip could not be downloaded: nothing arrived for 0\.3 s\. Nothing was changed; try again/,
  )
  expect(downloads()).toEqual([])
})

test('an address that is slow, but goes on, is not given up', async () => {
  answer = (_req, res) => {
    const parts = Array.from({ length: 8 }, (_, at) =>
      file.subarray((at * file.length) / 8, ((at + 1) * file.length) / 8),
    )
    const send = () => {
      const part = parts.shift()
      if (part === undefined) res.end()
      else res.write(part, () => setTimeout(send, 400))
    }
    send()
  }
  const options = { largestGiB: 1, usual: '', onProgress: () => undefined, stallMs: 2_000 }
  const { bytes, dispose } = await fetchFile(`${base}/FLAT_CMPL.zip`, options)
  await dispose()
  expect(bytes).toBe(file.length)
})

test.each([
  [
    'an address of another kind',
    ['--complaints', 'ftp://ann:secret@127.0.0.1/a'],
    1,
    /ftp:\/\/ cannot be read; give a file/,
  ],
  ['no address', ['--complaints', 'https://ann:secret@'], 1, /not one that can be read/],
  ['a misplaced address', ['http://ann:secret@127.0.0.1/a'], 2, /http:\/\/127/],
  ['an unknown option', ['--complaint=http://ann:secret@127.0.0.1/a'], 2, /complaint/],
  [
    'a password with a percent sign',
    ['--complaints', 'http://ann:100%secret@127.0.0.1:1/a'],
    1,
    /could not be downloaded/,
  ],
])('%s is refused without its credentials', async (_, args, expected, why) => {
  const { code, stdout, stderr } = await importing.run(...args)
  expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(why)])
  expect(stderr).not.toMatch(/ann:|secret/)
})
