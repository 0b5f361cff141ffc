import type { Express } from 'express'
import Joi from 'joi'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { endpoint, record } from './endpoint.ts'
import { HttpError, httpProblems } from './errors.ts'
import { send } from './http.ts'
import { openApiDocument, type DocsOptions } from './openapi.ts'
import { docsPage, docsPageHeaders, errorPage, errorPageHeaders } from './pages.ts'
import { indexRoutes } from './routes.ts'
import { once, sendStatic, staticText, type StaticText } from './static-text.ts'

const htmlType = 'text/html; charset=utf-8'
const htmlPage = { description: 'An HTML page.', schema: Joi.string(), mediaType: 'text/html' }
const unchanged = { description: 'It is what `If-None-Match` names.' }

/** Mounts `/`, `/openapi.json`, `/docs` with its assets and `/errors/{code}`: public, without key, never charged. */
export function mountDocs(app: Express, options: DocsOptions): void {
  const document = once(async () =>
    staticText(JSON.stringify(openApiDocument(indexRoutes(app).operations, options))),
  )
  app.get('/', index(options))
  app.get('/openapi.json', describe(document))
  app.get('/docs', docs(app, options))
  app.get('/docs/:asset', docsAsset)
  app.get('/errors/:code', errorPages(options))
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

function describe(document: () => Promise<StaticText>) {
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
    async (_input, req, res) => sendStatic(req, res, 'application/json; charset=utf-8', await document()),
  )
}

function docs(app: Express, options: DocsOptions) {
  const page = once(async () => docsPage(options, indexRoutes(app).operations))
  return endpoint(
    {
      id: 'getDocs',
      summary: 'This description, for people',
      tag: 'Service',
      access: 'public',
      responses: { 200: htmlPage, 304: unchanged },
    },
    async (_input, req, res) => sendStatic(req, res, htmlType, await page(), docsPageHeaders),
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
    await sendStatic(req, res, asset.type, await asset.load())
  },
)

function errorPages(options: DocsOptions) {
  const pages = new Map(options.problems.map((kind) => [kind.code, errorPage(kind, options)]))
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
      const page = pages.get(params.code)
      if (page === undefined) {
        throw new HttpError(
          httpProblems.not_found,
          `There is no such error code. The codes are: ${[...pages.keys()].join(', ')}.`,
        )
      }
      return sendStatic(req, res, htmlType, page, errorPageHeaders)
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
      load: once(async () =>
        staticText(
          "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#ui', deepLinking: true, validatorUrl: null, persistAuthorization: false })\n",
        ),
      ),
    },
  ].map((asset) => [asset.name, asset]),
)

function file(name: string, type: string): { name: string; type: string; load: () => Promise<StaticText> } {
  const path = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)
  return { name, type, load: once(async () => staticText(await readFile(path, 'utf8'))) }
}
