import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './projects.ts'

/*
 * Bundles the service in the current directory for its image: `node ../../infra/build.ts`. Our own libs go
 * into the bundle, npm packages stay outside (argon2 and PGlite carry files that a bundle would lose). A file
 * `*-worker.ts` of the service or of libs/account is the entry of a thread or a process and becomes a bundle of its
 * own, which main.js finds beside itself. `dist` then holds everything of ours that the image needs.
 */

const workers = ['src', join(ROOT, 'libs/account/src')].flatMap((folder) => globSync(`${folder}/*-worker.ts`))

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: ['src/main.ts', ...workers].map((file) => ({ in: file, out: basename(file, '.ts') })),
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  packages: 'external',
  alias: {
    '@hearth/account': join(ROOT, 'libs/account/src/index.ts'),
    '@hearth/chassis': join(ROOT, 'libs/chassis/src'),
  },
  sourcemap: true,
  logLevel: 'info',
})
writeFileSync('dist/package.json', imageManifest(readFileSync('package.json', 'utf8')))
if (existsSync('data')) cpSync('data', 'dist/data', { recursive: true })

/** What Node and an operator need to know: that main.js is a module, and which version this is. */
function imageManifest(source: string): string {
  const { name, version, license } = JSON.parse(source) as Record<string, unknown>
  return `${JSON.stringify({ name, version, license, private: true, type: 'module' }, undefined, 2)}\n`
}
