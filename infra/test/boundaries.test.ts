import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { ESLint } from 'eslint'
import { ROOT } from '../projects.ts'

/*
 * The walls between projects, by linting text in the place of a file that exists: the type-aware rules know
 * only files of a tsconfig.
 */

const eslint = new ESLint({ cwd: ROOT })
const SERVICE = 'apps/solar-api/src/!(*.test).ts'
const MODEL = 'apps/solar-api/src/model/!(*.test).ts'
const ACCOUNT = 'libs/account/src/!(*.test).ts'
const CHASSIS = 'libs/chassis/src/!(*.test).ts'
const BOUNDARIES = '@nx/enforce-module-boundaries'

test.each([
  ['a service', 'infra in its sources', SERVICE, "import '@hearth/infra/test-servers'", BOUNDARIES],
  [
    'a service',
    'a file of a lib by its path',
    SERVICE,
    "import '../../../libs/account/src/keys.ts'",
    BOUNDARIES,
  ],
  ['a service', 'a package that only other projects declare', SERVICE, "import 'argon2'", BOUNDARIES],
  ['a service', 'a development package', SERVICE, "import 'supertest'", 'no-restricted-imports'],
  [
    'account',
    'a service by its path',
    ACCOUNT,
    "import '../../../apps/solar-api/src/model/irr.ts'",
    BOUNDARIES,
  ],
  ['account', 'infra in its sources', ACCOUNT, "import '@hearth/infra/test-servers'", BOUNDARIES],
  ['chassis', 'account', CHASSIS, "import '@hearth/account'", BOUNDARIES],
  [
    'chassis',
    'a service by its path',
    CHASSIS,
    "import '../../../apps/solar-api/src/model/irr.ts'",
    BOUNDARIES,
  ],
  ['a model', 'a web framework', MODEL, "import 'express'", 'no-restricted-imports'],
  ['a model', 'a file outside of the model', MODEL, "import '../main.ts'", 'no-restricted-imports'],
  ['a model', 'the chassis', MODEL, "import '@hearth/chassis/errors'", 'no-restricted-imports'],
  ['a model', 'the file system', MODEL, "import 'node:fs'", 'no-restricted-imports'],
])('lint reports that %s imports %s', async (_who, _what, place, source, rule) => {
  expect(await brokenRules(place, source)).toContain(rule)
})

test.each([
  [
    'a power operator in a model',
    MODEL,
    'export const square = (x: number): number => x ** 2',
    'no-restricted-syntax',
  ],
  [
    'Math.pow in a model',
    MODEL,
    'export const square = (x: number): number => Math.pow(x, 2)',
    'no-restricted-syntax',
  ],
  ['the clock in a model', MODEL, 'export const now = (): number => Date.now()', 'no-restricted-syntax'],
  [
    'the environment outside of the configuration',
    ACCOUNT,
    'export const home = process.env.HOME',
    'no-restricted-properties',
  ],
  ['printing', CHASSIS, "console.log('here')", 'no-console'],
  ['a default export', CHASSIS, 'export default 1', 'no-restricted-exports'],
])('lint reports %s', async (_what, place, source, rule) => {
  expect(await brokenRules(place, source)).toContain(rule)
})

test.each([
  ['a service imports the chassis', 'apps/solar-api/test/*.ts', "import '@hearth/chassis/errors'"],
  ['a test imports the harness', 'libs/*/test/*.test.ts', "import '@hearth/infra/test-servers'"],
  ['account imports the chassis', ACCOUNT, "import '@hearth/chassis/errors'"],
  ['a model imports its neighbour and node:crypto', MODEL, "import './irr.ts'\nimport 'node:crypto'"],
])('lint accepts that %s', async (_what, place, source) => {
  expect(await brokenRules(place, source)).toEqual([])
})

test.each(['@hearth/solar-api', '@hearth/solar-api/src/model/irr.ts', '@hearth/chassis/src/http.ts'])(
  'Node refuses to import %s, which is not exported',
  (specifier) => {
    const args = ['--input-type=module', '--eval', `import ${JSON.stringify(specifier)}`]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })

    expect(status).toBe(1)
    expect(stderr).toMatch(/ERR_PACKAGE_PATH_NOT_EXPORTED|ERR_MODULE_NOT_FOUND/)
  },
)

async function brokenRules(place: string, source: string): Promise<string[]> {
  const [file] = globSync(place, { cwd: ROOT })
  if (file === undefined)
    throw new Error(`There is no file ${place} in whose place the text could be linted.`)
  const results = await eslint.lintText(`${source}\n`, { filePath: join(ROOT, file) })
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message))
}
