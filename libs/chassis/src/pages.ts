import { createHash } from 'node:crypto'
import type { ProblemKind } from './errors.ts'
import { pathTemplate, type OpenApiOptions } from './openapi.ts'
import type { MountedOperation } from './routes.ts'
import { staticText, type StaticText } from './static-text.ts'

/**
 * The page /docs. Swagger UI puts itself in the place of the list of operations; who runs no scripts, be it a text
 * browser or a program, reads the list.
 */
export function docsPage(options: OpenApiOptions, operations: readonly MountedOperation[]): StaticText {
  const { title, description, tags } = options
  const groups = tags.map((tag) => {
    const own = operations.filter((operation) => operation.tag === tag.name)
    return `<h2>${formatted(tag.name)}</h2><p>${formatted(tag.description)}</p><ul>${own.map(listItem).join('')}</ul>`
  })
  const paragraphs = [
    ...description.split('\n\n').map(formatted),
    '<a href="openapi.json">openapi.json</a> describes each operation in full.',
  ].map((paragraph) => `<p>${paragraph}</p>`)
  return htmlOf(
    title,
    `<link rel="stylesheet" href="docs/swagger-ui.css"><div id="ui"><main class="page"><h1>${escapeHtml(title)}</h1>${paragraphs.join('')}${groups.join('')}</main></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script>`,
  )
}

/** The page of an error code. */
export function errorPage(
  { code, status, title, meaning }: ProblemKind,
  options: OpenApiOptions,
): StaticText {
  const back = `<a href="${escapeHtml(options.publicUrl)}/docs">API description</a>`
  return htmlOf(
    `${code} - ${options.title}`,
    `<main class="page"><h1><code>${code}</code></h1><p>HTTP ${status}: ${escapeHtml(title)}.</p><p>${formatted(meaning)}</p><p>${back}</p></main>`,
  )
}

function listItem({ method, path, summary }: MountedOperation): string {
  return `<li><code>${method.toUpperCase()} ${escapeHtml(pathTemplate(path))}</code> ${formatted(summary)}</li>`
}

/** The only style that stands in the pages themselves; their policies name it by its hash. */
const style =
  '.page{font:1.1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}.page code{background:#eee;padding:.1em .3em;border-radius:.2em}'
const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

const closed = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** The policy of an error page: text in our own style and nothing else. */
export const errorPageHeaders: readonly string[] = [
  ...['Content-Security-Policy', `default-src 'none'; style-src ${styleHash}; ${closed}`],
]

/** The policy of /docs: scripts, styles and requests of Swagger UI, all to this service; its icons are data URLs. */
export const docsPageHeaders: readonly string[] = [
  'Content-Security-Policy',
  `default-src 'none'; script-src 'self'; style-src 'self' ${styleHash}; img-src 'self' data:; connect-src 'self'; ${closed}`,
]

function htmlOf(title: string, body: string): StaticText {
  return staticText(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style>${body}</html>\n`,
  )
}

/** Text as HTML, with what stands between backticks as code. */
function formatted(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
