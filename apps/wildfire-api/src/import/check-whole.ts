import { ImportError } from '@hearth/chassis/importing/import-error'
import type { Staged, TableKind } from './stage.ts'

/** What a whole table has to be. */
export type Demands = {
  /** Undefined: the whole country is expected. */
  readonly minRows: number | undefined
  readonly maxRejected: number
}

/**
 * Checks a table as a whole before it may replace what is served.
 *
 * @param states the first two digits of the codes of the 50 states
 * @throws ImportError with what is wrong and what can be done
 */
export function checkWhole(
  { mainField, name }: TableKind,
  { rows, rejections, releases }: Staged,
  states: ReadonlySet<string>,
  { minRows, maxRejected }: Demands,
): void {
  const faults = rejections.filter(({ isFault }) => isFault)
  if (faults.length > maxRejected) {
    const [first] = faults
    throw new ImportError(
      `${lines(faults.length)} of the table ${name} ${faults.length === 1 ? 'is' : 'are'} faulty, ${maxRejected} are allowed (--max-rejected). The first is line ${first?.line ?? 0}, county ${first?.subject ?? ''}: ${first?.reason ?? ''}`,
    )
  }
  const least = minRows ?? fewestCounties
  if (rows.length < least) {
    throw new ImportError(
      `The table ${name} has ${rows.length} usable counties; expected at least ${least}. It may have been cut off; for an extract, say how many with --min-rows.`,
    )
  }
  if (minRows === undefined) checkStates(name, rows, rejections, states)
  const inStates = rows.filter(({ code }) => states.has(code.slice(0, 2)))
  const filled = inStates.filter((row) => typeof row[mainField] === 'number').length
  if (filled < inStates.length * 0.9) {
    throw new ImportError(
      `Only ${filled} of ${inStates.length} counties of the table ${name} have a number in ${mainField.toUpperCase()}; expected nearly all.`,
    )
  }
  if (releases.length > 1) {
    throw new ImportError(`The table ${name} mixes releases: ${releases.slice(0, 5).join(', ')}.`)
  }
}

/** Of 3,144; older tables lack up to 11 counties that have other codes now. */
const fewestCounties = 3_100

/** A file that was cut off between two lines has fewer states. */
function checkStates(
  name: string,
  rows: Staged['rows'],
  rejections: Staged['rejections'],
  states: ReadonlySet<string>,
): void {
  const codes = [...rows.map(({ code }) => code), ...rejections.map(({ subject }) => subject)]
  const seen = new Set(codes.map((code) => code.slice(0, 2)))
  const missing = [...states].filter((state) => !seen.has(state))
  if (missing.length > 0) {
    throw new ImportError(
      `The table ${name} has no county of the states with FIPS ${missing.toSorted().join(', ')}. It may have been cut off.`,
    )
  }
}

function lines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`
}
