import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import { jsonText, send } from '@hearth/chassis/http'
import Joi from 'joi'
import { calculationText } from './calculation-text.ts'
import { envelope, envelopeText } from './deployment.ts'
import { resolveInput, solarFields, type SolarRequest } from './solar-input.ts'
import { calculationSchema } from './solar-result.ts'

/** The schema of a calculation. */
export const calculateBody = Joi.object<CalculateRequest>({
  ...solarFields,
  include: Joi.array()
    .items(Joi.string().valid('cashFlow'))
    .max(1)
    .default([])
    .description('`cashFlow` adds the yearly table.'),
})

/** POST /v1/calculate */
export function calculate(clock: () => number): Endpoint {
  return endpoint(describeCalculate(), async ({ body }, req, res) => {
    const data = calculationText(resolveInput(body), req.body, body.include.includes('cashFlow'))
    await send(res, 200, envelopeText(data, new Date(clock())), jsonText)
  })
}

function describeCalculate() {
  return {
    id: 'calculate',
    summary: 'The economics of a solar system',
    description:
      'Three numbers are enough; every other input has a default that is echoed under `assumptions`. Money is nominal USD, energy kWh AC, power kW DC; rates and shares are fractions (0.05 is 5 %).',
    tag: 'Calculation',
    body: calculateBody,
    bodyOfNumbers: true,
    responses: { 200: { description: 'The calculation.', schema: envelope.schema(calculationSchema) } },
    examples: [
      {
        name: 'three numbers',
        status: 200,
        body: { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 },
      },
      {
        name: 'net billing with a loan and the yearly table',
        status: 200,
        body: {
          annualProductionPerKW: 1550,
          annualConsumptionKWh: 7200,
          utilityRate: 0.3065,
          selfConsumptionFraction: 0.4,
          exportRate: 0.07,
          panelWatts: 430,
          loan: { apr: 0.0399, termYears: 25, feeRate: 0.25 },
          include: ['cashFlow'],
        },
      },
    ],
  }
}

/** The body of a calculation. */
export type CalculateRequest = SolarRequest & { readonly include: readonly 'cashFlow'[] }
