import { byCategory, fit as fitWithoutShares, measure } from '../testing/model-years.ts'
import type { Category } from '../category.ts'
import type { ReliabilityFit } from '../reliability-fit.ts'
import { percentilesOf } from '../score-shares.ts'
import type { Measure } from '../vehicle-score.ts'
import { compareVehicles as compareBy, type ComparedVehicle } from './compare-vehicles.ts'

/** Reference vehicles that score 0.5, 1.5 … 99.5 in every category, so that a score is a share. */
const evenScores = Array.from({ length: 100 }, (_, index) => index + 0.5)
const fit = fitWith(evenScores)

function fitWith(scores: readonly number[]): ReliabilityFit {
  const { crash_background: own } = fitWithoutShares.bases
  const scale = { ...own.overall, scorePercentiles: percentilesOf(scores) }
  const basis = { ...own, categories: byCategory(scale) }
  return { ...fitWithoutShares, bases: { sales: basis, crash_background: basis } }
}

const compareVehicles = (vehicles: readonly ComparedVehicle[], only?: readonly Category[]) =>
  compareBy(vehicles, fit, only)

type Given = Partial<Omit<ComparedVehicle, 'measure'>> & { model: string; score?: Partial<Measure> }

function compared({ model, score = {}, ...rest }: Given): ComparedVehicle {
  const dynamics = {
    model,
    staticStabilityFactor: null,
    driveTrain: null,
    bodyStyle: null,
    vehicleType: null,
  }
  return {
    ...{ vehicle: { make: 'acme', model, year: 2018 }, complaints: 100, recalls: 0, doNotDrive: false },
    categoryComplaints: byCategory(10),
    ...{ stars: null, measure: measure(score), background: null, avgRepairCost: null, dynamics },
    ...rest,
  }
}

const good = compared({ model: 'good', score: { lnRate: -1 } })
const fair = compared({ model: 'fair', score: { lnRate: 0 } })
const poor = compared({ model: 'poor', score: { lnRate: 1 } })
const unknown = compared({ model: 'unknown', score: { confidence: 'insufficient_data' }, complaints: 3 })

const ranksOf = (...vehicles: ComparedVehicle[]) =>
  Object.fromEntries(compareVehicles(vehicles).comparison.map(({ vehicle, rank }) => [vehicle.model, rank]))

describe('ranks', () => {
  test('follow the score; the answer keeps the order asked in', () => {
    const { comparison } = compareVehicles([poor, good, fair])
    expect(comparison.map(({ vehicle }) => vehicle.model)).toEqual(['poor', 'good', 'fair'])
    expect(comparison.map(({ rank, reliability_score }) => [rank, reliability_score])).toEqual([
      ...[
        [3, 15.9],
        [1, 84.1],
        [2, 50],
      ],
    ])
  })

  test('are shared by equal scores', () => {
    const same = compared({ model: 'same', score: { lnRate: -1 } })
    expect(ranksOf(fair, good, same, poor)).toEqual({ good: 1, same: 1, fair: 3, poor: 4 })
  })

  test('of vehicles without a score come last', () => {
    expect(ranksOf(unknown, poor)).toEqual({ poor: 1, unknown: 2 })
  })
})

describe('vehicles whose exposure is known in different ways', () => {
  const guess = { basis: 'crash_background', confidence: 'low' } as const

  test('are compared on the basis that all have', () => {
    const sold = compared({
      model: 'sold',
      score: { lnRate: -2 },
      background: measure({ ...guess, lnRate: 1 }),
    })
    const guessed = compared({ model: 'guessed', score: { ...guess, lnRate: 0 } })
    const { comparison, recommendation } = compareVehicles([sold, guessed])
    expect(comparison.map((entry) => entry.exposure_basis)).toEqual(['crash_background', 'crash_background'])
    expect(comparison.map((entry) => entry.reliability_score)).toEqual([15.9, 50])
    expect(recommendation.best_overall).toBe('acme/guessed/2018')
    expect(recommendation.summary).toContain('guessed from reported crashes')
  })
})

describe('strengths and weaknesses', () => {
  const brakes = compared({
    model: 'a',
    score: { categoryScores: { ...byCategory(50), brakes: 90, engine: 20 } },
  })
  const plain = compared({ model: 'b', score: { categoryScores: byCategory(50) } })

  test('are categories unlike the others compared and unlike most vehicles', () => {
    const [a, b] = compareVehicles([brakes, plain]).comparison
    expect(a?.strengths).toEqual([
      'brakes: better than 90 % of the reference vehicles, 40 points above the others compared',
    ])
    expect(a?.weaknesses).toEqual([
      'engine: worse than 79 % of the reference vehicles, 30 points below the others compared',
    ])
    expect([b?.strengths, b?.weaknesses]).toEqual([[], []])
  })

  test('state the share of vehicles that there is, not the one that a normal distribution would have', () => {
    // A category in which most are alike: 97 % by the score, 15 % of the vehicles.
    const skewed = [...Array(85).fill(3), ...Array(15).fill(40)] as number[]
    const weak = { ...brakes, measure: measure({ categoryScores: { ...byCategory(50), engine: 3 } }) }
    const fewWorse = compareBy([weak, plain], fitWith(skewed)).comparison
    expect(fewWorse[0]?.weaknesses).toEqual([])
    const [a] = compareBy([weak, plain], fitWith([...Array(17).fill(3), ...Array(83).fill(40)])).comparison
    expect(a?.weaknesses).toEqual([
      'engine: worse than 82 % of the reference vehicles, 47 points below the others compared',
    ])
  })

  test('state no share of data that were imported before shares were counted', () => {
    const [a] = compareBy([brakes, plain], fitWithoutShares).comparison
    expect(a?.strengths).toEqual([
      'brakes: better than the median vehicle, 40 points above the others compared',
    ])
    expect(a?.weaknesses).toEqual([
      'engine: worse than the median vehicle, 30 points below the others compared',
    ])
  })

  test('one or two complaints are no weakness, and none may be a strength', () => {
    const weaknesses = (engine: number) => {
      const one = { ...brakes, categoryComplaints: { engine } }
      return compareVehicles([one, plain]).comparison[0]
    }
    for (const engine of [1, 2]) expect(weaknesses(engine)?.weaknesses).toEqual([])
    expect(weaknesses(3)?.weaknesses).toHaveLength(1)
    expect(weaknesses(3)?.strengths).toHaveLength(1)
  })

  test('are none where the others are much the same', () => {
    const good = (model: string, engine: number) =>
      compared({ model, score: { categoryScores: { ...byCategory(50), engine, brakes: 100 - engine } } })
    const [a, b] = compareVehicles([good('a', 82), good('b', 76)]).comparison
    expect([a?.strengths, a?.weaknesses, b?.strengths, b?.weaknesses]).toEqual([[], [], [], []])
  })

  test('and scores are only about the categories asked for', () => {
    const [a] = compareVehicles([brakes, plain], ['engine']).comparison
    expect(a?.strengths).toEqual([])
    expect(a?.category_scores).toEqual({ overall: 50, engine: 20 })
  })

  test('a recall that says not to drive is the first weakness', () => {
    const [a] = compareVehicles([{ ...brakes, doNotDrive: true }, plain]).comparison
    expect(a?.weaknesses[0]).toContain('not to drive')
    expect(a?.weaknesses).toHaveLength(2)
  })

  test('are none of a vehicle without a score, and it makes none for others', () => {
    const [a, b] = compareVehicles([unknown, brakes]).comparison
    expect([a?.strengths, b?.strengths, b?.weaknesses]).toEqual([[], [], []])
  })
})

describe('the best overall', () => {
  const best = (...vehicles: ComparedVehicle[]) => compareVehicles(vehicles).recommendation.best_overall

  test('has the highest score', () => {
    expect(best(poor, good, fair)).toBe('acme/good/2018')
  })

  test('of equal scores has fewer recalls, then more stars', () => {
    const recalled = compared({ model: 'recalled', recalls: 3, stars: 5 })
    const starred = compared({ model: 'starred', recalls: 1, stars: 5 })
    const plain = compared({ model: 'plain', recalls: 1, stars: 4 })
    expect(best(recalled, plain, starred)).toBe('acme/starred/2018')
  })

  test('is none where none has a score', () => {
    const { recommendation } = compareVehicles([
      unknown,
      compared({ ...unknown, model: 'other', score: unknown.measure }),
    ])
    expect(recommendation).toMatchObject({ best_overall: null, best_value: null })
    expect(recommendation.summary).toContain('None of the vehicles')
  })
})

describe('a vehicle that an open recall says not to drive', () => {
  const stopped = compared({ model: 'stopped', score: { lnRate: -2 }, doNotDrive: true, avgRepairCost: 100 })
  const recommended = (...vehicles: ComparedVehicle[]) => compareVehicles(vehicles).recommendation

  test('keeps its rank, and is not recommended while another one is compared', () => {
    const { comparison, recommendation } = compareVehicles([stopped, fair, good])
    expect(comparison.map(({ rank }) => rank)).toEqual([1, 3, 2])
    expect(recommendation).toMatchObject({ best_overall: 'acme/good/2018', best_value: 'acme/good/2018' })
    expect(recommendation.summary).toContain(
      'acme/good/2018 has the highest reliability score of those without a recall that says not to drive, 84.1 of 100. ' +
        'An open recall says not to drive acme/stopped/2018: not recommended, whatever the score.',
    )
  })

  test('is not the most fun to drive either', () => {
    const { dynamics } = compared({ model: 'mustang' })
    const sedan = { ...fair, dynamics: { ...dynamics, model: 'camry' } }
    expect(recommended({ ...stopped, dynamics }, sedan).most_fun_to_drive).toBe('acme/fair/2018')
  })

  test('is spoken of though it would not have been recommended anyway', () => {
    const { best_overall, summary } = recommended({ ...stopped, measure: measure({ lnRate: 3 }) }, good)
    expect(best_overall).toBe('acme/good/2018')
    expect(summary).toContain('An open recall says not to drive acme/stopped/2018')
    expect(summary).toContain('acme/good/2018 has the highest reliability score, 84.1 of 100.')
  })

  test('is not recommended in place of one that has no score', () => {
    const { best_overall, best_value, summary } = recommended(stopped, unknown)
    expect([best_overall, best_value]).toEqual([null, null])
    expect(summary).toContain('An open recall says not to drive acme/stopped/2018')
  })

  test('is recommended only where all are such, with the warning', () => {
    const { best_overall, summary } = recommended(stopped, { ...good, doNotDrive: true })
    expect(best_overall).toBe('acme/stopped/2018')
    expect(summary).toContain('Open recalls say not to drive any of them')
  })

  test('nothing is said where there is none', () => {
    expect(recommended(good, fair).summary).not.toContain('recall')
  })
})

describe('the best value', () => {
  test('weighs the score against the cost of repairs', () => {
    const dear = compared({ model: 'dear', score: { lnRate: -0.1 }, avgRepairCost: 9_000 })
    const cheap = compared({ model: 'cheap', score: { lnRate: 0 }, avgRepairCost: 300 })
    const worst = compared({ model: 'worst', score: { lnRate: 0.4 }, avgRepairCost: 300 })
    // z(score) - 0.5 z(cost) by hand: dear -0.07, cheap 0.78, worst -0.71
    const { recommendation } = compareVehicles([dear, cheap, worst])
    expect(recommendation.best_value).toBe('acme/cheap/2018')
    expect(recommendation.summary).toContain('against the expected cost of repairs')
  })

  test('is by the score alone where a cost is unknown, and says so', () => {
    const dear = compared({ model: 'dear', score: { lnRate: -0.1 }, avgRepairCost: 9_000 })
    const { recommendation } = compareVehicles([dear, fair])
    expect(recommendation.best_value).toBe('acme/dear/2018')
    expect(recommendation.summary).toContain('repair costs are not known for all')
  })
})

describe('the most fun to drive', () => {
  const fun = (...vehicles: ComparedVehicle[]) => compareVehicles(vehicles).recommendation

  test('is guessed from the shape of the body', () => {
    const found = fun(
      compared({ model: 'camry' }),
      compared({ model: 'mustang' }),
      compared({ model: 'odyssey' }),
    )
    expect(found.most_fun_to_drive).toBe('acme/mustang/2018')
    expect(found.summary).toContain('a rough guess')
  })

  test('uses what crash-test ratings say of unknown models', () => {
    const shape = (model: string, bodyStyle: string) => {
      const { dynamics, ...rest } = compared({ model })
      return { ...rest, dynamics: { ...dynamics, bodyStyle } }
    }
    expect(fun(shape('a', 'SUV'), shape('b', '2 DR')).most_fun_to_drive).toBe('acme/b/2018')
  })

  test('leaves out what it knows nothing of, and is null where that is all', () => {
    const found = fun(compared({ model: 'x' }), compared({ model: 'odyssey' }))
    expect(found.most_fun_to_drive).toBe('acme/odyssey/2018')
    expect(found.summary).toContain('of unknown body class are left out')
    expect(fun(compared({ model: 'x' }), compared({ model: 'y' }))).toMatchObject({ most_fun_to_drive: null })
  })
})
