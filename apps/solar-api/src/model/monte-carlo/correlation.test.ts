import { checkCorrelations, correlationFactor, type Correlation } from './correlation.ts'
import { uncertainInputs } from './uncertain-inputs.ts'

const all = uncertainInputs.map(() => true)

describe('correlationFactor()', () => {
  test('correlates cost and O&M by 0.3 where nothing is said', () => {
    const product = multiply(correlationFactor([], all))
    for (let row = 0; row < 8; row++) {
      for (let column = 0; column < 8; column++) {
        const isPair = (row === 3 && column === 4) || (row === 4 && column === 3)
        expect(product[row]?.[column]).toBeCloseTo(row === column ? 1 : isPair ? 0.3 : 0, 15)
      }
    }
  })

  test('multiplies out to the coefficients that are asked for', () => {
    const product = multiply(
      correlationFactor(
        [
          { inputs: ['om', 'cost'], coefficient: -0.4 },
          { inputs: ['escalation', 'exportRate'], coefficient: 0.8 },
          { inputs: ['cost', 'inverterCost'], coefficient: 0.5 },
        ],
        all,
      ),
    )
    expect(product[3]?.[4]).toBeCloseTo(-0.4, 15)
    expect(product[6]?.[2]).toBeCloseTo(0.8, 15)
    expect(product[7]?.[3]).toBeCloseTo(0.5, 15)
    expect(product[7]?.[4]).toBeCloseTo(0, 15)
  })

  test('leaves inputs alone that do not vary', () => {
    const varies = uncertainInputs.map(({ name }) => name !== 'cost')
    expect(multiply(correlationFactor([], varies))[4]?.[3]).toBe(0)
  })

  test('is undefined where no inputs can be correlated like that', () => {
    const impossible: Correlation[] = [
      { inputs: ['cost', 'om'], coefficient: 0.9 },
      { inputs: ['om', 'inverterCost'], coefficient: 0.9 },
      { inputs: ['cost', 'inverterCost'], coefficient: -0.9 },
    ]
    expect(correlationFactor(impossible, all)).toBeUndefined()
    expect(correlationFactor(impossible.slice(0, 1), all)).toBeDefined()
  })
})

describe('checkCorrelations()', () => {
  test.each<[string, Correlation[], number]>([
    ['an input with itself', [{ inputs: ['cost', 'cost'], coefficient: 0.1 }], 0],
    ['a coefficient of 1', [{ inputs: ['cost', 'om'], coefficient: 1 }], 0],
    ['no number', [{ inputs: ['cost', 'om'], coefficient: NaN }], 0],
    [
      'a repeated pair',
      [
        { inputs: ['cost', 'om'], coefficient: 0.1 },
        { inputs: ['om', 'cost'], coefficient: 0.1 },
      ],
      1,
    ],
  ])('refuses %s', (_, correlations, index) => {
    expect(checkCorrelations(correlations).map((problem) => problem.index)).toEqual([index])
  })

  test('refuses an input that it does not know', () => {
    const correlations: Correlation[] = JSON.parse('[{"inputs":["cost","rain"],"coefficient":0.1}]')
    expect(checkCorrelations(correlations)).toHaveLength(1)
  })

  test('accepts what fits', () => {
    expect(checkCorrelations([{ inputs: ['cost', 'om'], coefficient: -0.99 }])).toEqual([])
  })
})

function multiply(factor: Float64Array | undefined): number[][] {
  const cell = (row: number, column: number): number => factor?.[8 * row + column] ?? NaN
  const range = [...Array(8).keys()]
  return range.map((row) =>
    range.map((column) => range.reduce((sum, k) => sum + cell(row, k) * cell(column, k), 0)),
  )
}
