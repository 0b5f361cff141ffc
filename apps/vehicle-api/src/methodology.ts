import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import { answer, answers } from './answers.ts'
import { methodologySchema } from './methodology-schema.ts'
import { youngestAge } from './model/age.ts'
import { categories } from './model/category.ts'
import { clear, fewest, mostFrom, strongFrom, weakUpTo } from './model/comparison/strengths.ts'
import { defaultSigma, smallestSigma } from './model/reliability/scale.ts'
import type { BasisFit, RateScale, ReliabilityFit } from './model/reliability-fit.ts'
import { shortestPart } from './model/trends/change-points.ts'
import { youngestTelling } from './model/trends/generations.ts'
import { yearRules } from './model/trends/recommendation.ts'
import { exposureBases } from './model/vehicle-counts.ts'
import { sharePerYear, smallestStart } from './model/year-trends.ts'
import type { ServedData } from './served-data.ts'

/** GET /v1/methodology */
export function methodology(data: ServedData): Endpoint {
  return endpoint(description, (_input, req, res) =>
    answer(data, req, res, (version) => ({
      // What the import has stored.
      answer: () => ({ data: describe(version.methodology as ReliabilityFit) }),
    })),
  )
}

function describe(fit: ReliabilityFit) {
  return {
    method: fit.method,
    as_of: fit.asOf,
    score: scale,
    steps,
    severity_weights: fit.severityWeights,
    system_weights: fit.systemWeights,
    constants: {
      crash_complaints_per_thousand_vehicle_years: fit.kappa,
      crash_complaints_offset: fit.crashOffset,
      maximum_age_years: fit.maximumAge,
      minimum_age_years: fit.minimumAge,
      minimum_complaints: fit.minimumComplaints,
      minimum_population: fit.minimumPopulation,
      interval: fit.interval,
    },
    exposure_bases: exposureBases.map((basis) => ({
      exposure_basis: basis,
      meaning: bases[basis],
      fit: presentFit(fit.bases[basis]),
    })),
    confidence: describeConfidence(fit),
    labels,
    rules: describeRules(fit),
    categories: categories.map((name) => ({ name, covers: covers[name] })),
    limits,
  }
}

function presentFit(fit: BasisFit | undefined) {
  if (fit === undefined) return null
  const { vehicles, complaints, exposure, alpha, alphaFitted, overall } = fit
  return {
    vehicles,
    complaints,
    thousand_vehicle_years: exposure,
    alpha,
    alpha_fitted: alphaFitted,
    overall: presentScale(overall),
    categories: Object.fromEntries(categories.map((name) => [name, presentScale(fit.categories[name])])),
  }
}

function presentScale({ mu, meanWeight, median, sigma }: RateScale) {
  return { mu, mean_weight: meanWeight, median_ln_rate: median, sigma }
}

const scale = {
  range: '0 to 100 with one decimal, higher is better; rating is score / 20, 0 to 5',
  meaning:
    '50 is the median vehicle, 84 one standard deviation better: the percentile in a normal distribution that has the median and the spread of the reference population. Rates are not quite normal, so the share of vehicles that really score less is another by a few points, and by more in categories that few complaints are about. The shares in strengths and weaknesses of a comparison are counted among the reference vehicles.',
  formula: `score = 100 * Phi(-z), clipped to 1..99; z = (ln lambda - median) / sigma over the reference population; lambda = (alpha * m + W) / (alpha / mu + E). sigma is 1.4826 times the median absolute deviation, ${smallestSigma} at least, because where most vehicles are alike a quarter more or less is no difference; it is ${defaultSigma} where there are too few vehicles to fit it.`,
  interval:
    'score_low and score_high: the same for the 95 % and 5 % quantiles of the gamma distribution with shape alpha * m + W and rate alpha / mu + E.',
} as const

const steps = [
  'Complaints are counted once per ODI number and vehicle, and weighted: severity weight times system weight. W is their sum.',
  'E is the exposure in thousand vehicle-years: units / 1000 times age up to the maximum; without units it is (C + offset) / kappa, where C is the number of complaints that tell of a crash, an injury or a death and kappa is how many there are per thousand vehicle-years.',
  'The rate W / E is drawn towards the mean of all vehicles by an empirical-Bayes (gamma-Poisson) step, so that few complaints decide little: mu is the mean rate, m the mean weight, alpha the shape of the distribution. alpha is fitted once for all vehicles of a basis, not for each body class, because the complaint file tells no body class.',
  'The logarithm of the rate is compared with the median and the scaled median absolute deviation of the reference population: all vehicles with the minimum age, the minimum of complaints and the same exposure basis.',
  'Scores of a model are the exposure-weighted mean of its model years; scores of a category use the constants of that category.',
] as const

const bases: Readonly<Record<(typeof exposureBases)[number], string>> = {
  sales: 'Units sold or produced, from a table that the operator has loaded.',
  registrations: 'Vehicles registered.',
  crash_involvement: 'Vehicles in police-reported crashes, whatever their cause.',
  crash_background:
    'Estimated from the complaints about the vehicle that tell of a crash or an injury, which mostly follow how many are on the road. It errs where the defect itself causes crashes; its confidence is always low.',
}

function describeConfidence({ confidenceWidths, minimumAge, minimumComplaints }: ReliabilityFit) {
  return {
    high: `The 90 % interval is at most ${confidenceWidths.high} points wide.`,
    medium: `It is at most ${confidenceWidths.medium} points wide.`,
    low: `It is wider, or the exposure basis is crash_background, or the vehicle is younger than ${minimumAge} years.`,
    insufficient_data: `Fewer than ${minimumComplaints} complaints: the score is that of the median vehicle.`,
  }
}

const labels = {
  score: 'excellent from 80 on, good 60, average 40, below_average 20, poor below',
  trend:
    'Of scores: improving or worsening with a Theil-Sen slope of one point a model year or more and a Mann-Kendall z beyond 1.28, else stable; only model years that are 2 years or older, and at least 4 of them, else insufficient_data',
  category_trend: `Of a category: the same test on its complaints per vehicle-year, or, on crash_background, where vehicle-years are only estimated from complaints, on its share of all complaints about the model year. improving is a fall and worsening a rise of at least ${100 * sharePerYear} % of their mean a model year, beyond chance as above. So improving on crash_background says that the category is a smaller part of the complaints, which it also becomes where others grow.`,
  frequency: 'share of the complaints: very_common from 25 % on, common 10 %, occasional 3 %, rare below',
} as const

function describeRules({ minimumAge, minimumComplaints, minimumPopulation }: ReliabilityFit) {
  const { goodFrom, poorBelow, farBelow, enoughCrashes } = yearRules
  return {
    age: `From 1 January of the model year to as_of, less a quarter of a year, because vehicles are sold from the autumn before to the end of the year, on average in spring; ${youngestAge} years at least.`,
    better_basis: `Sales, registrations or crash_involvement are used from the time on that ${minimumPopulation} model years have them of those with at least ${minimumComplaints} complaints and an age of ${minimumAge} years (minimum_population, minimum_complaints, minimum_age_years): a place among fewer says nothing. Until then every score rests on crash_background, and fit is null for them in exposure_bases.`,
    one_basis:
      'Scores of different exposure bases are not compared. Trends of a model, generations and comparisons rest on one basis, which the answer names: the best that all of their model years with enough complaints have, so without sales of just one of them it is crash_background for all. A model year by itself, also in year_breakdown of a model, has its own best basis.',
    best_years: `A score of ${goodFrom} or more, in the top third of the model's years with a score, without an open recall that says not to drive, at least ${minimumAge} years old, and of a confidence that is not low. On crash_background confidence is always low; there ${enoughCrashes} complaints of crashes or injuries do instead, as the error of such a count is a fifth or less: enough to tell model years of one model apart. reasoning names the years that only lack the last two.`,
    years_to_avoid: `A score under ${poorBelow} and ${farBelow} points or more under the median of the model's years with a score, whatever the confidence; or an open recall that says not to drive.`,
    generations: `By a list of known generations. Model years that it does not have are parted where the logarithm of their rate changes its level (optimal partitioning of years with a score and an age of ${youngestTelling} years or more, at least ${shortestPart} on each side); the parts are marked as inferred. Where there is no such break there is no generation.`,
    trend_percentage: `100 * (last - first) / max(first, ${smallestStart}) on the fitted line, cut off at 1 and 99: the scale has no natural zero, and a line that starts near its end would change by thousands of percent.`,
    strengths_and_weaknesses: `Categories of a compared vehicle that score ${strongFrom} or more, or ${weakUpTo} or less, ${clear} points off the mean of the others compared, and better or worse than ${mostFrom} % of the reference vehicles. A weakness needs ${fewest} complaints of the category: one or two are incidents.`,
    recommended_vehicles:
      'The highest score, of equal ones the fewer recalls, then the more stars. A vehicle with an open recall that says not to drive keeps its rank and is not recommended in any respect while another one is compared; the summary names it.',
  }
}

const covers: Readonly<Record<(typeof categories)[number], string>> = {
  engine: 'performance, oil consumption, timing, fuel system, speed control',
  transmission: 'automatic, manual, CVT, driveline',
  electrical: 'battery, sensors, infotainment, lighting, wiring',
  brakes: 'pads, rotors, ABS, brake lines, parking brake',
  suspension: 'shocks, struts, control arms, alignment',
  steering: 'power steering, steering column, tie rods',
  interior: 'seats, dashboard, climate control, trim',
  exterior: 'paint, body panels, glass, mirrors, door handles, frame',
  safety: 'airbags, seatbelts, crash avoidance, stability control',
  other: 'tires, wheels, equipment, and what was filed as unknown',
}

const limits = [
  'Complaints are allegations of owners; nobody has verified them.',
  'Publicity, recall letters and the web form change how many owners report.',
  'The last 16 months are undercounted, because complaints come in late.',
  'Recalls, crash-test stars and repair costs are shown beside the score and are not in it.',
  'Percentages are rounded to one decimal, so they may not add up to 100.',
  'Mileage and repair cost are only known where a complaint tells them; n says how many do.',
  'An estimated repair cost is the median of the category over all vehicles; a category of which fewer than five complaints name an amount has none, and the cost is then null.',
] as const

const description = {
  id: 'getMethodology',
  summary: 'How scores are made',
  description:
    'The scoring method, every constant that was fitted to the data that are served, what the labels mean, and what the numbers cannot tell.',
  tag: 'Data',
  responses: answers('The methodology.', methodologySchema),
  examples: [{ name: 'methodology', status: 200 }],
}
