import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './projects.ts'

/*
 * Bundles the service in the current directory for its image: `node ../../infra/build.ts`. Our own libs go
 * into the bundle, npm packages stay outside (argon2 and PGlite carry files that a bundle would lose). A file
 * `src/*-worker.ts` is the entry of a thread and becomes a bundle of its own, which main.js finds beside itself.
 * `dist` then holds everything of ours that the image needs.
 */

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: ['src/main.ts', ...globSync('src/*-worker.ts')],
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
