import { record } from '@hearth/chassis/endpoint'
import { exposureBases } from './model/vehicle-counts.ts'
import * as schema from './vehicle-schema.ts'

const scaleSchema = record({
  mu: schema.number('Complaints per thousand vehicle-years in the whole population.'),
  mean_weight: schema.number('Mean weight of a complaint.'),
  median_ln_rate: schema.number('Median of the logarithm of the rate.'),
  sigma: schema.number('1.4826 times its median absolute deviation, 0.25 at least.'),
})

const fitSchema = record({
  vehicles: schema.integer('Model years of the reference population.'),
  complaints: schema.integer('Their complaints.'),
  thousand_vehicle_years: schema.number('Their exposure.'),
  alpha: schema.number('Shape of the gamma distribution of rates.'),
  alpha_fitted: schema.flag('It was fitted to these data; else it is the published default.'),
  overall: scaleSchema,
  categories: schema.byCategory(scaleSchema),
})

/** The answer of GET /v1/methodology. */
export const methodologySchema = record({
  method: schema.text('Id of the method. Scores of different methods cannot be compared.'),
  as_of: schema.date('The day that ages are counted to, that of the newest complaint'),
  score: record({
    range: schema.text('Smallest and greatest score.'),
    meaning: schema.text('What a score says.'),
    formula: schema.text('How it is computed.'),
    interval: schema.text('How its interval is computed.'),
  }),
  steps: schema.list(schema.text('Step.'), 'The method in words.'),
  severity_weights: record({
    none: schema.number('Of a complaint that tells of nothing of these.'),
    crash: schema.number('Of one that tells of a crash.'),
    fire: schema.number('Of one that tells of a fire.'),
    injury: schema.number('Of one that tells of injured persons.'),
    death: schema.number('Of one that tells of persons killed.'),
    all: schema.number('Of one that tells of everything: the greatest weight.'),
  }).description('What they add to a complaint that tells of nothing adds up.'),
  system_weights: schema.byCategory(schema.number('Weight of complaints in this category.')),
  constants: record({
    crash_complaints_per_thousand_vehicle_years: schema.number('kappa.'),
    crash_complaints_offset: schema.number('Added to the count, so that no vehicle is without exposure.'),
    maximum_age_years: schema.number('The longest age that counts as exposure.'),
    minimum_age_years: schema.number('Of vehicles of the reference population.'),
    minimum_complaints: schema.integer(
      'About vehicles of the reference population; below there is no score.',
    ),
    minimum_population: schema.integer(
      'Vehicles of the reference population that are needed to fit constants to them, and for a basis better than crash_background to be used at all.',
    ),
    interval: schema.list(schema.number('Quantile.'), 'Quantiles of the interval of a score.'),
  }),
  exposure_bases: schema.list(
    record({
      exposure_basis: schema.choice(exposureBases, 'The basis.'),
      meaning: schema.text('What the use of vehicles is estimated from.'),
      fit: fitSchema
        .allow(null)
        .description(
          'What was fitted on this basis; null when no score rests on it, because fewer vehicles of the reference population have it than minimum_population.',
        ),
    }),
    'The most trustworthy first.',
  ),
  confidence: record({
    high: schema.text('When.'),
    medium: schema.text('When.'),
    low: schema.text('When.'),
    insufficient_data: schema.text('When.'),
  }),
  labels: record({
    score: schema.text('Labels of scores.'),
    trend: schema.text('Labels of trends of scores.'),
    category_trend: schema.text('Labels of trends of categories, and what they are trends of.'),
    frequency: schema.text('Labels of how often an issue is reported.'),
  }),
  rules: record({
    age: schema.text('How old a model year is.'),
    better_basis: schema.text('From how many model years on a basis better than crash_background is used.'),
    one_basis: schema.text('What is compared on which exposure basis.'),
    best_years: schema.text('When a model year is recommended.'),
    years_to_avoid: schema.text('When a model year is advised against.'),
    generations: schema.text('Where generations come from.'),
    trend_percentage: schema.text('How the change of a trend is computed.'),
    strengths_and_weaknesses: schema.text('When a category is one of a compared vehicle.'),
    recommended_vehicles: schema.text('Which of the compared vehicles is recommended.'),
  }).description('What is made of the scores.'),
  categories: schema.list(
    record({ name: schema.categorySchema, covers: schema.text('What belongs to it.') }),
    'The ten.',
  ),
  limits: schema.list(schema.text('Limit.'), 'What the numbers cannot tell.'),
})
