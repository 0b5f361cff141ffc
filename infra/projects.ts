import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** One npm workspace: `directory` is absolute, `scripts` are those of its package.json. */
export type Project = { name: string; directory: string; scripts: Readonly<Record<string, string>> }

/** Every project of the repository that has the given npm script, services first, in alphabetical order. */
export function projectsWith(script: string, root = ROOT): Project[] {
  const directories = [...subdirectories(root, 'apps'), ...subdirectories(root, 'libs'), join(root, 'infra')]
  return directories.flatMap(readProject).filter((project) => script in project.scripts)
}

/** Whether a name on a command line (`@hearth/solar-api` or `solar-api`) means this project. */
export function isCalled(project: Project, name: string): boolean {
  return project.name === name || project.name.endsWith(`/${name}`)
}

function subdirectories(root: string, folder: string): string[] {
  const parent = join(root, folder)
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .sort()
    .map((name) => join(parent, name))
}

function readProject(directory: string): Project[] {
  const path = join(directory, 'package.json')
  if (!existsSync(path)) return []
  const { name, scripts = {} } = JSON.parse(readFileSync(path, 'utf8')) as PackageJson
  return [{ name, directory, scripts }]
}

/** Our own manifests, which npm has already accepted, so their shape is not checked again. */
type PackageJson = { name: string; scripts?: Record<string, string> }
