import { copyLine } from '@hearth/chassis/copy-line'
import { analyseModel } from '../model/narratives/analyse-model.ts'
import { backgroundOf } from '../model/narratives/background.ts'
import type { Issue } from '../model/narratives/issues.ts'
import type { MinedLines, MineTask } from './crew.ts'
import { readShelf } from './narrative-shelves.ts'

/** Analyses the narratives of the models of a shelf: see analyseModel(). */
export function mineModels({ shelf, names, background: counts, categoryCosts }: MineTask): MinedLines {
  const background = backgroundOf(counts)
  let complaints = 0
  let issues = ''
  let similar = ''
  for (const { make, model, narratives } of readShelf(shelf)) {
    const own = narratives()
    const context = { make, model, names: names.get(`${make}/${model}`) ?? [], background, categoryCosts }
    const found = analyseModel(own, context)
    for (const issue of found.issues) issues += issueLine(make, model, issue)
    for (const { id, count, ids } of found.similar) similar += copyLine([id, count, ids])
    complaints += own.length
  }
  const encoder = new TextEncoder()
  return { complaints, issues: encoder.encode(issues), similar: encoder.encode(similar) }
}

function issueLine(make: string, model: string, issue: Issue): string {
  const { year, rank, id, category, phrase, description, frequency, reportCount } = issue
  return copyLine([
    ...[make, model, year, rank, id, category, phrase, description, frequency, reportCount],
    ...[issue.avgRepairCost, issue.costEstimated],
  ])
}
