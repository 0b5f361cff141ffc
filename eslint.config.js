import { readFileSync } from 'node:fs'
import nx from '@nx/eslint-plugin'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const TESTS = ['**/*.test.ts', '**/{test,testing,bench}/**/*.ts']
const SOURCES = [
  'apps/*/src/**/*.ts',
  'apps/*/migrations/**/*.ts',
  'libs/*/src/**/*.ts',
  'libs/*/migrations/**/*.ts',
]
const MODELS = ['apps/*/src/model/**/*.ts']
const PARTS_OF_MODELS = ['apps/*/src/model/*/**/*.ts']
/** `main.ts` hands the environment over, `config.ts` reads it; everything else gets values. */
const ENVIRONMENT_READERS = ['apps/*/src/main.ts', '**/src/config.ts', '**/src/config/**/*.ts']
/** The operator's commands answer on a terminal, so they print. */
const COMMAND_LINES = ['**/src/cli.ts', '**/src/*-cli.ts', '**/src/cli/**/*.ts']

const LAYERS = [
  { sourceTag: 'type:service', onlyDependOnLibsWithTags: ['layer:account', 'layer:chassis'] },
  { sourceTag: 'layer:account', onlyDependOnLibsWithTags: ['layer:chassis'] },
  { sourceTag: 'layer:chassis', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:infra', onlyDependOnLibsWithTags: [] },
]
/** Only tests start servers, so only tests may import the harness. */
const LAYERS_IN_TESTS = LAYERS.map((layer) => ({
  ...layer,
  onlyDependOnLibsWithTags: [...layer.onlyDependOnLibsWithTags, 'type:infra'],
}))

const NOT_IN_MODELS = 'A model is pure: it may import only other files of src/model and node:crypto.'
const POWER_DIFFERS =
  'V8 may change the last digits of powers between versions; use the helpers of src/model.'
const IMPURE = 'A model is pure: take this as an argument.'

export default defineConfig(
  {
    ignores: ['**/dist/', '**/node_modules/', '.nx/', '.types/', '**/.results/', '**/.data/', '**/coverage/'],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(LAYERS),
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Numbers and booleans read well in messages; objects, where "[object Object]" threatens, stay forbidden.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // `() => socket.destroy()` says all there is to say where the caller ignores the result.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Interfaces of others ask for promises and parameters that an implementation may not need.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // Its successor Error.isError is not in the library types of ES2024.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'node:util', name: 'isNativeError' }] },
      ],
      'no-restricted-exports': [
        'error',
        { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: SOURCES,
    ignores: TESTS,
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-imports': ['error', { paths: [...developmentPackages(), environmentImport()] }],
    },
  },
  {
    files: SOURCES,
    ignores: [...TESTS, ...ENVIRONMENT_READERS],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only main.ts and config.ts read the environment.' },
      ],
    },
  },
  { files: COMMAND_LINES, rules: { 'no-console': 'off' } },
  {
    files: MODELS,
    ignores: TESTS,
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(?!\\./|node:crypto$)', message: NOT_IN_MODELS }] },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(BinaryExpression[operator="**"], AssignmentExpression[operator="**="])',
          message: POWER_DIFFERS,
        },
        { selector: 'MemberExpression[object.name="Math"][property.name="pow"]', message: POWER_DIFFERS },
        { selector: 'MemberExpression[object.name="Math"][property.name="random"]', message: IMPURE },
        { selector: 'MemberExpression[object.name="Date"][property.name="now"]', message: IMPURE },
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: IMPURE },
        { selector: 'ImportExpression', message: NOT_IN_MODELS },
      ],
      'no-restricted-globals': [
        'error',
        ...['process', 'fetch', 'performance'].map((name) => ({ name, message: IMPURE })),
      ],
    },
  },
  {
    // A folder in a model may reach the files beside it, one level up.
    files: PARTS_OF_MODELS,
    ignores: TESTS,
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(?!\\./|\\.\\./[\\w-]+\\.ts$|node:crypto$)', message: NOT_IN_MODELS }] },
      ],
    },
  },
  {
    files: TESTS,
    rules: {
      '@nx/enforce-module-boundaries': boundaries(LAYERS_IN_TESTS),
      // supertest types every body as `any`; the tests check bodies against the OpenAPI document instead.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  // Jest calls the default export of its set-up files.
  { files: ['infra/jest-*.ts'], rules: { 'no-restricted-exports': 'off' } },
)

function boundaries(depConstraints) {
  return ['error', { banTransitiveDependencies: true, enforceBuildableLibDependency: false, depConstraints }]
}

/** The root's devDependencies are hoisted within reach of every project and absent from every image. */
function developmentPackages() {
  const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
  const message = 'This package is only there in development; declare it in the package.json of this project.'
  return Object.keys(manifest.devDependencies).map((name) => ({ name, message }))
}

function environmentImport() {
  return {
    name: 'node:process',
    importNames: ['env'],
    message: 'Only main.ts and config.ts read the environment.',
  }
}
