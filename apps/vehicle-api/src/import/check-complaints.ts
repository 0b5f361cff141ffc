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
  if (served === undefined || allowFewer) return
  if (complaints < served.records * 0.98) {
    throw new ImportError(
      `There are ${complaints} complaints, ${served.records} are served. The official file only grows, so this one was probably cut off; if it is meant, say --allow-fewer.`,
    )
  }
  if (served.lastDate !== null && (lastDate ?? '') < served.lastDate) {
    throw new ImportError(
      `The newest complaint is of ${lastDate ?? 'no date'}, the newest that is served of ${served.lastDate}. Give the newer file, or say --allow-fewer.`,
    )
  }
}
