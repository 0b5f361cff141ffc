import { newAddress, type TestApp } from '@hearth/account/testing/test-app'
import { accountProblems } from '@hearth/account'
import { httpProblems } from '@hearth/chassis/errors'
import express from 'express'
import helmet from 'helmet'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import supertest from 'supertest'
import { operationsOf } from './operations.ts'
import { startSolar, threeNumbers } from './support.ts'

let app: TestApp
let key: string

beforeAll(async () => {
  app = await startSolar({ settings: { signupsPerHour: 0 } })
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

describe('request bodies', () => {
  test('may have 64 KiB and not one byte more', async () => {
    const json = JSON.stringify(threeNumbers)

    const whole = await post(json.padEnd(65_536))
    expect(whole.status).toBe(200)
    const larger = await post(json.padEnd(65_537))
    expect(larger).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
  })

  test('may be sent in chunks, and are measured then too', async () => {
    const json = JSON.stringify(threeNumbers)

    expect(await raw(chunked([json.slice(0, 20), json.slice(20)]))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await raw(chunked([json, ' '.repeat(65_536)]))).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('may be compressed with gzip, and are measured after decompression', async () => {
    const packed = gzipSync(JSON.stringify(threeNumbers))
    expect((await postBytes(packed, { 'Content-Encoding': 'gzip' })).status).toBe(200)

    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '))
    expect(bomb.length).toBeLessThan(65_536)
    const answer = await postBytes(bomb, { 'Content-Encoding': 'gzip' })
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
  })

  test.each([
    ['text/plain', 'application/json is asked for'],
    ['application/x-www-form-urlencoded', 'a form'],
    ['application/json; charset=shift_jis', 'an unknown character set'],
    ['application/jsonp', 'a name that begins alike'],
    ['', 'nothing said'],
  ])('of type %j are refused: %s', async (type) => {
    const answer = await postBytes(Buffer.from(JSON.stringify(threeNumbers)), { 'Content-Type': type })

    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    expect(answer.headers['accept']).toBe('application/json')
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/vnd.x+json',
  ])('of type %s are taken', async (type) => {
    const answer = await postBytes(Buffer.from(JSON.stringify(threeNumbers)), { 'Content-Type': type })

    expect(answer.status).toBe(200)
  })

  test('in an unknown compression, or broken by it, are refused', async () => {
    const unknown = await postBytes(Buffer.from('{}'), { 'Content-Encoding': 'zstd-9' })
    expect(unknown).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })

    const broken = await postBytes(Buffer.from('this is no gzip'), { 'Content-Encoding': 'gzip' })
    expect(broken).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  test.each(['{', '{"a":1,}', "{'a':1}", '{"a":NaN}', 'true', '"text"', '1', 'null', '\u0000', '{"a":1}}'])(
    'that are not one JSON object are refused: %j',
    async (text) => {
      const { status, body } = await post(text)

      expect({ status, body }).toMatchObject({ status: 400 })
      expect(['malformed_json', 'validation_failed']).toContain(body.code)
    },
  )

  test('that are an array, or missing, are said to need an object', async () => {
    expect(await post('[]')).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', detail: 'The body must be a JSON object.' },
    })
    const { status, body } = await app.call('post', '/v1/calculate', { key })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '', code: 'required' }] },
    })
  })

  test('that are refused cost nothing', async () => {
    const owner = await app.signUp()
    for (const body of ['{', '[]', JSON.stringify({ ...threeNumbers, extra: 1 })]) {
      await app.call('post', '/v1/calculate', {
        key: owner.key,
        body,
        headers: { 'Content-Type': 'application/json' },
      })
    }

    const { headers } = await app.call('post', '/v1/calculate', { key: owner.key, body: threeNumbers })

    expect(headers['x-ratelimit-remaining']).toBe('49')
  })
})

describe('addresses and methods', () => {
  test.each([
    ['get', '/v1/nothing', 404],
    ['get', '/nothing', 404],
    ['post', '/v1/calculate/', 404],
    ['get', '/docs/', 404],
    ['post', '/V1/calculate', 404],
    ['post', '//v1/calculate', 404],
    ['get', '/v1/calculate', 405],
    ['delete', '/v1/calculate', 405],
    ['put', '/livez', 405],
    ['patch', '/v1/signup', 405],
    ['delete', '/v1/account/keys/%E0%A4%A', 400],
    ['get', '/errors/%', 400],
  ])('%s %s is answered with %i', async (method, path, status) => {
    const answer = await app.call(method, path, { key })

    expect(answer).toMatchObject({ status, body: { status, instance: path } })
    if (status === 405) expect(answer.headers['allow']).toMatch(/^[A-Z]+(, [A-Z]+)*$/)
  })

  test('an unknown address under /v1 is not told to somebody without a key', async () => {
    const { status, body } = await app.call('get', '/v1/nothing')

    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'missing_api_key' } })
  })

  test.each(['/', '/livez', '/readyz', '/openapi.json', '/docs', '/docs/start.js', '/errors/not_found'])(
    'HEAD %s has the headers of GET and no body',
    async (path) => {
      const { headers: ofGet } = await supertest(app.server).get(path).set('Accept-Encoding', 'identity')
      const { status, headers, text } = await supertest(app.server).head(path)

      expect([status, text]).toEqual([200, undefined])
      expect([headers['content-type'], headers['content-length']]).toEqual([
        ofGet['content-type'],
        ofGet['content-length'],
      ])
    },
  )

  test('HEAD /v1/account needs a key as GET does', async () => {
    expect((await supertest(app.server).head('/v1/account')).status).toBe(401)
    expect((await supertest(app.server).head('/v1/account').set('X-API-Key', key)).status).toBe(200)
  })

  test('OPTIONS lists the methods of a path and needs no key', async () => {
    const { status, headers } = await app.call('options', '/v1/account')
    expect([status, headers['allow']]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS'])

    const unknown = await app.call('options', '/v1/nothing')
    expect([unknown.status, unknown.headers['allow']]).toEqual([204, undefined])
  })
})

describe('security headers', () => {
  test('of answers are those of helmet, but for what an API and its pages can do better', async () => {
    const reference = express()
      .use(helmet())
      .use((_req, res) => void res.end())
    const { headers: theirs } = await supertest(reference).get('/')
    const { headers: ours } = await app.call('get', '/v1/account', { key })
    const names = Object.keys(theirs).filter(
      (name) => !['connection', 'date', 'transfer-encoding', 'content-length'].includes(name),
    )

    const differing = names.filter((name) => ours[name] !== theirs[name])

    expect(names.length).toBeGreaterThan(10)
    expect(Object.fromEntries(differing.map((name) => [name, ours[name]]))).toStrictEqual({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
    })
    expect(ours['x-powered-by']).toBeUndefined()
    expect(ours['server']).toBeUndefined()
  })

  test('of pages allow their own scripts and styles and nothing from elsewhere', async () => {
    const { headers } = await app.call('get', '/docs')
    const policy = headers['content-security-policy'] ?? ''

    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toMatch(/https?:|\*|unsafe/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
  })

  test.each(['/docs', '/errors/not_found'])('of %s name the style that stands in it', async (path) => {
    const { text, headers } = await supertest(app.server).get(path)
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []

    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toMatch(/style-src [^;]*'sha256-/)
    expect(headers['content-security-policy']).toContain(`'sha256-${hash}'`)
    expect(text).not.toMatch(/<style>.*<style>|\sstyle=/s)
  })

  test('of error pages allow no scripts', async () => {
    const { headers } = await app.call('get', '/errors/not_found')

    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=';/)
    expect(headers['content-security-policy']).not.toContain('script-src')
  })

  test('answers with secrets or personal data are not stored by caches', async () => {
    const { headers } = await app.call('get', '/v1/account/keys', { key })

    expect(headers['cache-control']).toBe('no-store')
  })
})

describe('/docs', () => {
  test('is a page whose scripts and styles are all served by the service itself', async () => {
    const { text } = await supertest(app.server).get('/docs')
    const sources = [...text.matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)].map(([, source]) => source ?? '')

    expect(sources).toHaveLength(3)
    for (const source of sources) {
      expect(source).toMatch(/^docs\/[\w.-]+$/)
      const { status, headers } = await app.call('get', `/${source}`)
      expect([source, status, headers['content-type']]).toEqual([
        source,
        200,
        expect.stringMatching(/^text\/(javascript|css)/),
      ])
    }
    const { text: start } = await supertest(app.server).get('/docs/start.js')
    expect(start).toContain("url: 'openapi.json'")
    expect(start + text).not.toMatch(/https?:\/\//)
  })

  test.each([
    ...['/docs', '/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'],
    '/errors/not_found',
  ])('%s is compressed for those who take gzip, and not sent again to those who have it', async (path) => {
    const plain = await supertest(app.server).get(path).set('Accept-Encoding', 'identity').buffer()
    const packed = await bytesOf(path, { 'Accept-Encoding': 'gzip' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(gunzipSync(packed.body).toString()).toBe(plain.text)
    expect(packed.body.length).toBeLessThan(plain.text.length)

    const tags = { identity: String(plain.headers['etag']), gzip: String(packed.headers['etag']) }
    expect(tags.gzip).not.toBe(tags.identity)
    for (const [coding, etag] of Object.entries(tags)) {
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const headers = { 'Accept-Encoding': coding, 'If-None-Match': known }
        const again = await app.call('get', path, { headers })
        expect([known, again.status, again.headers['etag'], again.headers['content-length']]).toEqual([
          ...[known, 304, etag, undefined],
        ])
      }
    }
    const other = await supertest(app.server).get(path).set('If-None-Match', '"other"')
    expect(other.status).toBe(200)
  })

  test('is not compressed for those who refuse gzip', async () => {
    for (const refusing of ['gzip;q=0', 'identity, gzip;q=0.1', 'br', '']) {
      const { headers } = await bytesOf('/openapi.json', { 'Accept-Encoding': refusing })
      expect([refusing, headers['content-encoding'], headers['vary']]).toEqual([
        ...[refusing, undefined, 'Accept-Encoding'],
      ])
    }
  })

  test('lists every operation for those who run no scripts, under one heading', async () => {
    const { text } = await supertest(app.server).get('/docs')

    expect(text).toMatch(/<div id="ui"><main class="page"><h1>hearth solar<\/h1>.*<\/main><\/div>/s)
    expect(text).toContain('<a href="openapi.json">')
    const listed = [...text.matchAll(/<li><code>(\w+ [^<]+)<\/code> ([^<]+)/g)].map(([, name, summary]) => [
      name,
      summary,
    ])
    const operations = (await operationsOf(app)).map(({ method, template, document: { summary } }) => [
      `${method.toUpperCase()} ${template}`,
      summary,
    ])
    expect(listed.toSorted()).toEqual(operations.toSorted())
  })

  test('shows every operation in a real browser', async () => {
    if (!existsSync(browser)) {
      console.log(`skipped: there is no ${browser} to look at /docs with`)
      return
    }
    const dom = await dumpDom(`http://127.0.0.1:${portOf(app)}/docs`)
    for (const { id, document } of await operationsOf(app)) {
      expect(dom).toContain(`operations-${document.tags?.[0]?.replaceAll(' ', '_')}-${id}`)
    }
    // Swagger UI brings its own heading and takes the place of the list.
    expect(dom.match(/<(?:h1|main)\b/g)).toEqual(['<h1', '<main'])
  }, 60_000)
})

describe('/errors/{code}', () => {
  test.each(Object.values({ ...httpProblems, ...accountProblems }))(
    '$code has a page',
    async ({ code, title }) => {
      const { status, headers, text } = await supertest(app.server).get(`/errors/${code}`)

      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(text).toContain(`<h1><code>${code}</code></h1>`)
      expect(text).toContain(title)
      expect(text).not.toMatch(/undefined|\[object/)
    },
  )

  test('an unknown code is told which ones there are, and cannot write into the page', async () => {
    const { status, headers, body } = await app.call('get', '/errors/%3Cscript%3Ealert(1)%3C%2Fscript%3E')

    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(body.detail).toContain('validation_failed')
    expect(headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(body.detail).not.toContain('<')
  })
})

const browser = '/usr/bin/chromium'

function post(text: string) {
  return postBytes(Buffer.from(text), {})
}

/** The bytes as they are: superagent would make JSON of a Buffer. */
async function postBytes(bytes: Buffer, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`http://127.0.0.1:${portOf(app)}/v1/calculate`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-API-Key': key,
      'X-Forwarded-For': newAddress(),
      ...headers,
    },
    body: new Uint8Array(bytes),
  })
  const body = (await response.json()) as { code?: string }
  const answer = { status: response.status, headers: Object.fromEntries(response.headers), body }
  app.contract.check('post', '/v1/calculate', answer)
  return answer
}

function chunked(parts: readonly string[]): string {
  const chunks = [...parts, ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
  const head = `POST /v1/calculate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  return head + chunks.join('')
}

/** Everything that comes back for a text written to the socket. */
function raw(request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(portOf(app), '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.on('data', (data) => (answer += data.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}

/** The body before any decoding. */
function bytesOf(path: string, headers: Readonly<Record<string, string>>) {
  return new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get({ host: '127.0.0.1', port: portOf(app), path, headers }, (res) => {
      const parts: Buffer[] = []
      res.on('data', (part: Buffer) => parts.push(part))
      res.on('end', () => resolve({ headers: res.headers, body: Buffer.concat(parts) }))
    }).on('error', reject)
  })
}

function dumpDom(url: string): Promise<string> {
  const profile = mkdtempSync(join(tmpdir(), 'hearth-browser-'))
  const silent = [
    '--disable-background-networking',
    '--disable-sync',
    '--disable-component-update',
    '--no-first-run',
  ]
  const view = ['--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', '--virtual-time-budget=5000']
  const child = spawn(browser, [...view, ...silent, `--user-data-dir=${profile}`, url], { timeout: 50_000 })
  let dom = ''
  child.stdout.on('data', (data: Buffer) => (dom += data.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => {
      rmSync(profile, { recursive: true, force: true })
      resolve(dom)
    })
  })
}

function portOf({ server }: TestApp): number {
  return (server.address() as AddressInfo).port // it listens on a port
}
