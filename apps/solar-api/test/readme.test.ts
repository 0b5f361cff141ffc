import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endAll, freePorts, newDirectory, startProcess } from '@hearth/chassis/testing/service-process'

const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('the READMEs', () => {
  afterAll(endAll)

  test('lead a newcomer from signup to a rotated key', async () => {
    const service = await startProcess({ DATA_DIR: newDirectory(), ...(await freePorts()) })
    const tour = codeUnder('## A tour').replaceAll('http://127.0.0.1:3001', service.baseUrl)

    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', tour])

    const answers = stdout.trim().replaceAll('}{', '}\n{').split('\n')
    const data = answers.map((line): unknown => JSON.parse(line).data)
    expect(data).toMatchObject([
      { model: 'solar-v1' },
      { windows: { daily: { limit: 50, used: 1 } } },
      { keys: [{ status: 'active' }, { status: 'revoked' }] },
    ])
    await service.stop()
  }, 60_000)

  test('name only scripts and files that exist', () => {
    const pages = globSync(['*.md', '{apps,libs}/*/README.md', 'infra/README.md'], { cwd: root })
    const missing = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8')
      return [...missingScripts(text), ...missingLinks(page, text)].map((name) => `${page}: ${name}`)
    })
    expect(pages.length).toBeGreaterThanOrEqual(6)
    expect(missing).toEqual([])
  })
})

function codeUnder(heading: string): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const code = /```sh\n(?<code>[\s\S]*?)```/.exec(text.slice(text.indexOf(heading)))
  if (code?.groups?.['code'] === undefined) throw new Error(`There is no code under ${heading}.`)
  return code.groups['code']
}

/** Scripts of `npm start|test|run NAME [-w PACKAGE]` that the package does not have. */
function missingScripts(text: string): string[] {
  const uses = text.matchAll(/npm (?:run )?(start|test|(?<=run )[\w-]+)(?: -w @hearth\/([\w-]+))?/g)
  return [...uses]
    .filter(([, script = '', name]) => {
      const directory = name === undefined ? '.' : name.endsWith('-api') ? `apps/${name}` : `libs/${name}`
      const manifest = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'))
      return manifest.scripts[script] === undefined
    })
    .map(([use]) => use)
}

function missingLinks(page: string, text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => globSync(join(root, page, '..', target)).length === 0)
}
