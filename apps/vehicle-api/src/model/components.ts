import type { Category } from './category.ts'
import { componentPrefixes, namesWithCommas, unspecificComponents } from './component-categories.ts'
import { displayName } from './display-name.ts'
import { memoise } from './memo.ts'

/** The complaint file has 770 different paths. */
const mostPaths = 5_000

/** A component path in the form that is compared: upper case, no blanks at its ends or around its colons. */
export function componentPath(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll(/ ?: ?/g, ':').toUpperCase()
}

/**
 * Category of a component path of the complaint file: that of the longest known prefix; `other` when none is known.
 * Letter case and blanks around colons make no difference.
 */
export const componentCategory: (text: string) => Category = memoise((text) => {
  const path = componentPath(text)
  return prefixes.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'other'
}, mostPaths)

/** The known prefixes, the longest first. */
const prefixes: readonly (readonly [string, Category])[] = Object.entries(componentPrefixes)
  .map(([prefix, category]) => [componentPath(prefix), category] as const)
  .sort(([a], [b]) => b.length - a.length)

/** Whether a component says nothing about the part, so that the narrative may be asked. */
export const isUnspecific: (text: string) => boolean = memoise(
  (text) => unspecificComponents.has(componentPath(text)),
  mostPaths,
)

/** Levels of a component path: 2 for `POWER TRAIN:AUTOMATIC TRANSMISSION`. */
export function componentDepth(text: string): number {
  return text.split(':').length
}

/** A component path for people: `Power Train: Automatic Transmission`. */
export const componentName: (text: string) => string = memoise(
  (text) => componentPath(text).split(':').map(displayName).join(': '),
  mostPaths,
)

/**
 * The component paths in the text of the API: `A,B`, although names contain commas too (`FUEL SYSTEM, GASOLINE`).
 */
export function splitComponents(text: string): string[] {
  const paths: string[] = []
  for (const part of text.split(',')) {
    const before = paths.at(-1)
    if (before !== undefined && continues(before, part)) paths[paths.length - 1] = `${before}, ${part.trim()}`
    else if (part.trim() !== '') paths.push(part.trim())
  }
  return paths
}

/** Whether what follows a comma belongs to the name before it. */
function continues(before: string, part: string): boolean {
  const path = componentPath(`${before}, ${part}`)
  if (namesWithCommas.some((name) => holdsAcross(path, componentPath(before).length, name))) return true
  // The API has no blank between two paths, and names have one after their commas.
  return part.startsWith(' ') && !prefixes.some(([prefix]) => componentPath(part).startsWith(prefix))
}

/** Whether a name with commas stands in a path across the comma at a position. */
function holdsAcross(path: string, comma: number, name: readonly string[]): boolean {
  return name.slice(1).some((_, index) => {
    const head = name.slice(0, index + 1).join(', ')
    const start = comma - head.length
    const isWhole = start === 0 || path[start - 1] === ':'
    return isWhole && path.startsWith(name.slice(0, index + 2).join(', '), start)
  })
}
