import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import { compareBody } from './compare-input.ts'
import { comparisonSchema, presentComparison, type RawComparison } from './compare-result.ts'
import { envelope } from './deployment.ts'

/** POST /v1/calculate/compare */
export function compare(clock: () => number): Endpoint {
  return endpoint(describeCompare, async ({ body }, req, res) => {
    const data = presentComparison(body, req.body as RawComparison) // the schema has let it through
    await send(res, 200, envelope.wrap(data, new Date(clock())))
  })
}

const home = { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 }

const describeCompare = {
  id: 'compareScenarios',
  summary: 'Ways to pay for a system, side by side',
  description: `Two to five scenarios on common inputs: bought in cash or with a loan, leased, or under a power purchase agreement (PPA). They are ranked by net present value.

A lease or PPA is seen by its customer, as SAM's host does: no payment at the beginning; every kWh produced (PPA) or every period (lease) is paid for, at a price that grows by \`escalator\` each year; the provider maintains the system, replaces the inverter, and keeps rebate, tax credit and production incentive. At the end of the term the system is removed at the provider's cost, or bought for \`buyoutPrice\`; from then on its costs and incentives are the customer's. Without an outlay there is no payback: it is null, with a warning.`,
  tag: 'Calculation',
  body: compareBody,
  responses: { 200: { description: 'The comparison.', schema: envelope.schema(comparisonSchema) } },
  examples: [
    {
      name: 'cash, loan, lease and PPA',
      status: 200,
      body: {
        ...home,
        scenarios: [
          { name: 'Cash', type: 'cash' },
          { name: 'Loan', type: 'loan', apr: 0.0399, termYears: 25, feeRate: 0.25 },
          { name: 'Lease', type: 'lease', payment: 105, escalator: 0.019, termYears: 20 },
          { name: 'PPA', type: 'ppa', pricePerKWh: 0.13, escalator: 0.029, termYears: 20, buyoutPrice: 5000 },
        ],
      },
    },
    {
      name: 'two PPA quotes with the yearly tables',
      status: 200,
      body: {
        ...home,
        scenarios: [
          { name: 'low price, 2.9 % more each year', type: 'ppa', pricePerKWh: 0.12, escalator: 0.029 },
          { name: 'higher price, flat', type: 'ppa', pricePerKWh: 0.15, escalator: 0 },
        ],
        include: ['cashFlow'],
      },
    },
    {
      name: 'one scenario is nothing to compare',
      status: 400,
      body: { ...home, scenarios: [{ name: 'Cash', type: 'cash' }] },
    },
  ],
}
