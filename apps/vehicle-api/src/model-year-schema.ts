import { record } from '@hearth/chassis/endpoint'
import { complaintSchema } from './complaint-schema.ts'
import { ratingSchema } from './ratings.ts'
import { recallSchema } from './recalls.ts'
import * as schema from './vehicle-schema.ts'

/** How often an issue is reported, as a share of the complaints about the vehicle. */
export const frequencies = ['very_common', 'common', 'occasional', 'rare'] as const

const issueSchema = record({
  id: schema.text('Names the issue; the same in every data version while its phrase is the same.'),
  category: schema.categorySchema,
  description: schema.text('What owners report, with the sentence that says it best.'),
  frequency: schema.choice(
    frequencies,
    "Share of the vehicle's complaints: very_common from 25 % on, common 10 %, occasional 3 %, rare below.",
  ),
  avg_repair_cost: schema.number('US dollars per repair; null when nothing is known.').allow(null),
  repair_cost_estimated: schema.flag(
    'The cost is the median of the category over all vehicles, for lack of own ones.',
  ),
  report_count: schema.integer('Complaints that report it.'),
})

/** The answer about a model year. */
export const modelYearSchema = record({
  ...schema.vehicleFields,
  year: schema.integer('Model year.'),
  reliability_score: schema.scoreSchema,
  score_low: schema.scoreSchema.description('With 90 % probability the score is not lower.'),
  score_high: schema.scoreSchema.description('With 90 % probability the score is not higher.'),
  reliability_rating: schema.ratingSchema,
  ...schema.trustFields,
  complaint_summary: record({
    total: schema.integer('Complaints.'),
    categories: schema.byCategory(schema.integer('Complaints under this category.')),
  }).description('Each complaint is counted once, under its primary category.'),
  average_mileage_at_failure: schema
    .integer('Mean of the mileages that are known, in miles; null when none is.')
    .allow(null),
  complaints_with_mileage: schema.integer('Complaints whose mileage is known.'),
  crashes: schema.integer('Complaints that tell of a crash.'),
  fires: schema.integer('Complaints that tell of a fire.'),
  injuries: schema.integer('Persons injured, by all complaints.'),
  deaths: schema.integer('Persons killed, by all complaints.'),
  recall_count: schema.integer('Recall campaigns; null when no recalls are loaded.').allow(null),
  common_issues: schema.list(issueSchema, 'Issues with at least 3 reports, the most frequent first.'),
  complaints: schema.list(complaintSchema, 'With `include=complaints`: the 10 latest.').optional(),
  recalls: schema
    .list(recallSchema, 'With `include=recalls`: newest first; null when none are loaded.')
    .allow(null)
    .optional(),
  ratings: schema
    .list(ratingSchema, 'With `include=ratings`: by variant; null when none are loaded.')
    .allow(null)
    .optional(),
  notes: schema.notesSchema,
})
