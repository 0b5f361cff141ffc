/**
 * The distribution of one input, in the unit of that input. Where `min` and `max` are optional, a draw beyond
 * them is moved to them, which puts a lump of probability there.
 */
export type Distribution =
  | Readonly<{ distribution: 'fixed'; value: number }>
  | Readonly<{ distribution: 'normal'; mean: number; standardDeviation: number; min?: number; max?: number }>
  /** exp(ln(median) + sigma * z) */
  | Readonly<{ distribution: 'lognormal'; median: number; sigma: number; min?: number; max?: number }>
  | Readonly<{ distribution: 'uniform'; min: number; max: number }>
  | Readonly<{ distribution: 'triangular'; min: number; mode: number; max: number }>
  /** beta with its mode at `mode` and its mean at (min + weight * mode + max) / (weight + 2); weight 4 */
  | Readonly<{ distribution: 'pert'; min: number; mode: number; max: number; weight?: number }>
  /** between min and max, 0 and 1 if not given */
  | Readonly<{ distribution: 'beta'; alpha: number; beta: number; min?: number; max?: number }>

/**
 * What is wrong with a distribution; nothing if it can be drawn from.
 * @param range of the input it is meant for: everything it is described by has to lie inside
 */
export function checkDistribution(distribution: Distribution, range: Range): ParameterProblem[] {
  if (!Object.hasOwn(rules, distribution.distribution)) {
    const names = Object.keys(rules).join(', ')
    return [problem('distribution', `This distribution is not known; expected one of ${names}.`)]
  }
  const { places, scales } = rules[distribution.distribution]
  const values: Readonly<Record<string, unknown>> = distribution
  const single = [
    ...places.flatMap((name) => checkPlace(name, values[name], range)),
    ...scales.flatMap(({ name, low, high }) => checkScale(name, values[name], low, high)),
  ]
  return single.length > 0 ? single : checkOrder(distribution)
}

/** The limits that a draw is moved to: those of the distribution, and at the outside those of the input. */
export function limitsOf(distribution: Distribution, range: Range): Range {
  const { min = range.low, max = range.high } = shapeOf(distribution)
  return { low: Math.max(min, range.low), high: Math.min(max, range.high) }
}

function checkPlace(name: string, value: unknown, { low, high }: Range): ParameterProblem[] {
  if (value === undefined && (name === 'min' || name === 'max')) return []
  return isBetween(value, low, high)
    ? []
    : [problem(name, `It has to be a number from ${low} to ${high}, the range of this input.`)]
}

function checkScale(name: string, value: unknown, low: number, high: number): ParameterProblem[] {
  if (value === undefined && name === 'weight') return []
  return isBetween(value, low, high) ? [] : [problem(name, `It has to be a number from ${low} to ${high}.`)]
}

function checkOrder(distribution: Distribution): ParameterProblem[] {
  const { min, max, mode } = shapeOf(distribution)
  const needsBoth = ['uniform', 'triangular', 'pert'].includes(distribution.distribution)
  if (needsBoth && (min === undefined || max === undefined)) {
    return [problem(min === undefined ? 'min' : 'max', 'It is missing: this distribution needs min and max.')]
  }
  const { low, high } = { low: min ?? impliedLow(distribution), high: max ?? impliedHigh(distribution) }
  if (low >= high) return [problem('max', 'It has to be larger than min; use `fixed` for a single value.')]
  if (mode !== undefined && (mode < low || mode > high)) {
    return [problem('mode', 'It has to lie between min and max.')]
  }
  if (distribution.distribution === 'lognormal' && distribution.median <= 0) {
    return [problem('median', 'It has to be larger than 0; use `fixed` for a value that is always 0.')]
  }
  return []
}

/** What of a distribution is common to several. */
function shapeOf(distribution: Distribution): Partial<Record<'min' | 'mode' | 'max', number>> {
  return {
    min: 'min' in distribution ? distribution.min : undefined,
    mode: 'mode' in distribution ? distribution.mode : undefined,
    max: 'max' in distribution ? distribution.max : undefined,
  }
}

function impliedLow({ distribution }: Distribution): number {
  return distribution === 'beta' ? 0 : -Infinity
}

function impliedHigh({ distribution }: Distribution): number {
  return distribution === 'beta' ? 1 : Infinity
}

function isBetween(value: unknown, low: number, high: number): boolean {
  return typeof value === 'number' && value >= low && value <= high
}

function problem(parameter: string, detail: string): ParameterProblem {
  return { parameter, detail }
}

/** `places` are values that the input may take, `scales` describe the shape. */
const rules = {
  fixed: { places: ['value'], scales: [] },
  normal: { places: ['mean', 'min', 'max'], scales: [{ name: 'standardDeviation', low: 0, high: 1e6 }] },
  lognormal: { places: ['median', 'min', 'max'], scales: [{ name: 'sigma', low: 0, high: 3 }] },
  uniform: { places: ['min', 'max'], scales: [] },
  triangular: { places: ['min', 'mode', 'max'], scales: [] },
  pert: { places: ['min', 'mode', 'max'], scales: [{ name: 'weight', low: 0, high: 100 }] },
  beta: {
    places: ['min', 'max'],
    scales: [
      { name: 'alpha', low: 0.1, high: 1000 },
      { name: 'beta', low: 0.1, high: 1000 },
    ],
  },
} as const satisfies Record<Distribution['distribution'], object>

/** Closed interval. */
export type Range = Readonly<{ low: number; high: number }>

/** detail is one or more full sentences about one parameter of a distribution. */
export type ParameterProblem = Readonly<{ parameter: string; detail: string }>
