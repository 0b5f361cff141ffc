import { copyLine } from '@hearth/chassis/bulk'
import type { Category } from '../model/category.ts'
import { analyseModel, type Narrative } from '../model/narratives/analyse-model.ts'
import { backgroundOf } from '../model/narratives/background.ts'
import type { Issue } from '../model/narratives/issues.ts'
import type { MinedLines, MineTask } from './crew.ts'

/** Analyses the narratives of some models: see analyseModel(). */
export function mineModels({ models, background: counts, categoryCosts }: MineTask): MinedLines {
  const background = backgroundOf(counts)
  let complaints = 0
  let issues = ''
  let similar = ''
  for (const { make, model, names, heads, texts } of models) {
    const narratives = heads.map((head, index) => narrativeOf(head, texts[index] ?? ''))
    const found = analyseModel(narratives, { make, model, names, background, categoryCosts })
    for (const issue of found.issues) issues += issueLine(make, model, issue)
    for (const { id, count, ids } of found.similar) similar += copyLine([id, count, ids])
    complaints += heads.length
  }
  const encoder = new TextEncoder()
  return { complaints, issues: encoder.encode(issues), similar: encoder.encode(similar) }
}

function narrativeOf(head: string, text: string): Narrative {
  const [id = '', year = '', category = '', cost = '', component = ''] = head.split('\t')
  return {
    ...{ id, year: Number(year), category: category as Category, component, text },
    repairCost: cost === '' ? null : Number(cost),
  }
}

function issueLine(make: string, model: string, issue: Issue): string {
  const { year, rank, id, category, phrase, description, frequency, reportCount } = issue
  return copyLine([
    ...[make, model, year, rank, id, category, phrase, description, frequency, reportCount],
    ...[issue.avgRepairCost, issue.costEstimated],
  ])
}
