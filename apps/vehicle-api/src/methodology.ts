import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import { answer, answers } from './answers.ts'
import { methodologySchema } from './methodology-schema.ts'
import { categories } from './model/category.ts'
import type { BasisFit, RateScale, ReliabilityFit } from './model/reliability-fit.ts'
import { exposureBases } from './model/vehicle-counts.ts'
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
  meaning: '50 is the median vehicle, 84 one standard deviation better: the score is a percentile.',
  formula:
    'score = 100 * Phi(-z), clipped to 1..99; z = (ln lambda - median) / sigma over the reference population; lambda = (alpha * m + W) / (alpha / mu + E)',
  interval:
    'score_low and score_high: the same for the 95 % and 5 % quantiles of the gamma distribution with shape alpha * m + W and rate alpha / mu + E.',
} as const

const steps = [
  'Complaints are counted once per ODI number and vehicle, and weighted: severity weight times system weight. W is their sum.',
  'E is the exposure in thousand vehicle-years: units / 1000 times age up to the maximum; without units it is (C + offset) / kappa, where C is the number of complaints that tell of a crash, an injury or a death and kappa is how many there are per thousand vehicle-years.',
  'The rate W / E is drawn towards the mean of all vehicles by an empirical-Bayes (gamma-Poisson) step, so that few complaints decide little: mu is the mean rate, m the mean weight, alpha the shape of the distribution.',
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
    'improving or worsening with a Theil-Sen slope of one point a model year or more and a Mann-Kendall z beyond 1.28, else stable; only model years that are 2 years or older, and at least 4 of them, else insufficient_data',
  frequency: 'share of the complaints: very_common from 25 % on, common 10 %, occasional 3 %, rare below',
} as const

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
