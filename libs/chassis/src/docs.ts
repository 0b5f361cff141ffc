import type { Express, Request, Response } from 'express'
import Joi from 'joi'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { endpoint, record } from './endpoint.ts'
import { HttpError, httpProblems, type ProblemKind } from './errors.ts'
import { send } from './http.ts'
import { openApiDocument, type OpenApiOptions } from './openapi.ts'
import { indexRoutes } from './routes.ts'

/** What the pages outside /v1 show. */
export type DocsOptions = OpenApiOptions & {
  /** Every problem the service can answer with: the closed list of codes. */
  readonly problems: readonly ProblemKind[]
}

const htmlPage = { description: 'An HTML page.', schema: Joi.string(), mediaType: 'text/html' }
const unchanged = { description: 'It is what `If-None-Match` names.' }

/** Mounts `/`, `/openapi.json`, `/docs` with its assets and `/errors/{code}`: public, without key, never charged. */
export function mountDocs(app: Express, options: DocsOptions): void {
  const document = once(() =>
    Promise.resolve(JSON.stringify(openApiDocument(indexRoutes(app).operations, options))),
  )
  app.get('/', index(options))
  app.get('/openapi.json', describe(document))
  app.get('/docs', docsPage(options.title))
  app.get('/docs/:asset', docsAsset)
  app.get('/errors/:code', errorPage(options))
}

function index({ title, version, publicUrl }: DocsOptions) {
  const links = { docs: `${publicUrl}/docs`, openapi: `${publicUrl}/openapi.json` }
  return endpoint(
    {
      id: 'getIndex',
      summary: 'Where to find what',
      tag: 'Service',
      access: 'public',
      responses: {
        200: {
          description: 'Name, version and links.',
          schema: record({
            name: Joi.string(),
            version: Joi.string(),
            docs: Joi.string(),
            openapi: Joi.string(),
          }),
        },
      },
    },
    (_input, _req, res) => send(res, 200, { name: title, version, ...links }),
  )
}

function describe(document: () => Promise<string>) {
  return endpoint(
    {
      id: 'getOpenApi',
      summary: 'This description, as OpenAPI 3.1',
      tag: 'Service',
      access: 'public',
      responses: {
        200: { description: 'The OpenAPI document.', schema: Joi.object().unknown() },
        304: unchanged,
      },
    },
    async (_input, req, res) => sendCached(req, res, 'application/json; charset=utf-8', await document()),
  )
}

function docsPage(title: string) {
  const html = page(
    title,
    '<link rel="stylesheet" href="docs/swagger-ui.css"><div id="ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script>',
  )
  return endpoint(
    {
      id: 'getDocs',
      summary: 'This description, for people',
      tag: 'Service',
      access: 'public',
      responses: { 200: htmlPage, 304: unchanged },
    },
    (_input, req, res) => sendCached(req, res, 'text/html; charset=utf-8', html, pageHeaders),
  )
}

const docsAsset = endpoint(
  {
    id: 'getDocsAsset',
    summary: 'A file of the docs page',
    tag: 'Service',
    access: 'public',
    params: Joi.object<{ asset: string }>({
      asset: Joi.string().required().description('File name.'),
    }),
    responses: {
      200: { description: 'The file.', schema: Joi.string(), mediaType: ['text/javascript', 'text/css'] },
      304: unchanged,
    },
    problems: [httpProblems.not_found],
    examples: [{ name: 'start', status: 200, params: { asset: 'start.js' } }],
  },
  async ({ params }, req, res) => {
    const asset = assets.get(params.asset)
    if (asset === undefined) throw new HttpError(httpProblems.not_found, 'The docs page has no such file.')
    await sendCached(req, res, asset.type, await asset.load())
  },
)

function errorPage({ title, problems, publicUrl }: DocsOptions) {
  const byCode = new Map(problems.map((kind) => [kind.code, kind]))
  return endpoint(
    {
      id: 'getErrorPage',
      summary: 'What an error code means and what to do',
      tag: 'Service',
      access: 'public',
      params: Joi.object<{ code: string }>({ code: Joi.string().required().description('Error code.') }),
      responses: { 200: htmlPage, 304: unchanged },
      problems: [httpProblems.not_found],
      examples: [{ name: 'validation', status: 200, params: { code: 'validation_failed' } }],
    },
    ({ params }, req, res) => {
      const kind = byCode.get(params.code)
      if (kind === undefined) {
        throw new HttpError(
          httpProblems.not_found,
          `There is no such error code. The codes are: ${[...byCode.keys()].join(', ')}.`,
        )
      }
      const text = escapeHtml(kind.meaning).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
      const body = `<main><h1><code>${kind.code}</code></h1><p>HTTP ${kind.status}: ${escapeHtml(kind.title)}.</p><p>${text}</p><p><a href="${escapeHtml(publicUrl)}/docs">API description</a></p></main>`
      return sendCached(
        req,
        res,
        'text/html; charset=utf-8',
        page(`${kind.code} - ${title}`, body),
        pageHeaders,
      )
    },
  )
}

const assets = new Map(
  [
    file('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    file('swagger-ui.css', 'text/css; charset=utf-8'),
    {
      name: 'start.js',
      type: 'text/javascript; charset=utf-8',
      load: () =>
        Promise.resolve(
          "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#ui', deepLinking: true, validatorUrl: null, persistAuthorization: false })\n",
        ),
    },
  ].map((asset) => [asset.name, asset]),
)

function file(name: string, type: string): { name: string; type: string; load: () => Promise<string> } {
  const path = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)
  return { name, type, load: once(() => readFile(path, 'utf8')) }
}

const pageHeaders = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
]

function page(title: string, body: string): string {
  const style =
    'main{font:1.1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}code{background:#eee;padding:.1em .3em;border-radius:.2em}'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style>${body}</html>\n`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Sends text that changes only with a release: an ETag by content, gzip where the client takes it. */
async function sendCached(
  req: Request,
  res: Response,
  type: string,
  text: string,
  headers: readonly string[] = [],
): Promise<void> {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  const common = ['ETag', etag, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding', ...headers]
  if (req.headers['if-none-match'] === etag) return send(res, 304, undefined, common)
  if (!/\bgzip\b/.test(req.headers['accept-encoding'] ?? '')) {
    return send(res, 200, text, ['Content-Type', type, ...common])
  }
  const packed = await compress(text, etag)
  return send(res, 200, packed, ['Content-Type', type, 'Content-Encoding', 'gzip', ...common])
}

const compress = (() => {
  const packed = new Map<string, Promise<Buffer>>()
  return (text: string, etag: string): Promise<Buffer> => {
    const known = packed.get(etag) ?? promisify(gzip)(text)
    packed.set(etag, known)
    return known
  }
})()

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () => (value ??= load())
}
