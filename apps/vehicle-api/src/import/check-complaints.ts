import { ImportError } from '@hearth/chassis/importing/import-error'
import type { ImportArguments } from './import-arguments.ts'
import type { ComplaintTally } from './load-complaints.ts'
import type { LoadedDataset } from './publish.ts'

/**
 * Whether complaints may take the place of those that are served: a file that was cut off, that is older, or that
 * lost its narratives on the way here may not.
 *
 * @param served the complaints that are served; undefined for none or generated ones
 * @throws ImportError
 */
export function checkComplaints(
  { complaints, withoutNarrative, lastDate }: ComplaintTally,
  served: LoadedDataset | undefined,
  { maxEmpty, allowFewer }: Pick<ImportArguments, 'maxEmpty' | 'allowFewer'>,
): void {
  const empty = (100 * withoutNarrative) / complaints
  if (empty > maxEmpty) {
    throw new ImportError(
      `${empty.toFixed(1)} % of the complaints have no narrative, ${maxEmpty} % are allowed (--max-empty). The official file has next to none.`,
    )
  }
  if (lastDate === null) {
    throw new ImportError(
      'No complaint has a date in the past, received or of the incident, from which the age of vehicles could be counted.',
    )
  }
  if (served === undefined || allowFewer) return
  refuseFewer(complaints, served, 'complaints')
  if (served.lastDate !== null && lastDate < served.lastDate) {
    throw new ImportError(
      `The newest complaint is of ${lastDate}, the newest that is served of ${served.lastDate}. Give the newer file, or say --allow-fewer.`,
    )
  }
}

/**
 * The same for recalls, of which the official ones are in two files: one may have been forgotten.
 *
 * @throws ImportError
 */
export function checkRecalls(
  recalls: number,
  served: LoadedDataset | undefined,
  { allowFewer }: Pick<ImportArguments, 'allowFewer'>,
): void {
  if (served !== undefined && !allowFewer) refuseFewer(recalls, served, 'recalls')
}

/** A few may be withdrawn between two publications. */
const leastShare = 0.98

function refuseFewer(records: number, served: LoadedDataset, name: string): void {
  if (records >= served.records * leastShare) return
  throw new ImportError(
    `There are ${records} ${name}, ${served.records} are served. The official files only grow, so this one was probably cut off, or one is missing; if it is meant, say --allow-fewer.`,
  )
}
