import { existsSync } from 'node:fs'

/**
 * Where a file of a service's `data` folder lies: beside the bundle in an image, beside `src` in the repository.
 * @param module `import.meta.url` of a file in `src`, which in an image is that of the bundle
 */
export function dataFile(module: string, name: string): URL {
  const inBundle = new URL(`data/${name}`, module)
  return existsSync(inBundle) ? inBundle : new URL(`../data/${name}`, module)
}
