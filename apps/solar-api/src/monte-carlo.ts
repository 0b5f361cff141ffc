import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import { envelope } from './deployment.ts'
import { trialsOfPlan } from './plans.ts'
import { monteCarloBody, planSimulation } from './simulation-input.ts'
import { presentSimulation, simulationSchema } from './simulation-result.ts'
import { whileConnected, type Simulations } from './simulations.ts'

/** POST /v1/calculate/monte-carlo */
export function monteCarlo(simulations: Simulations, clock: () => number): Endpoint {
  return endpoint(describeMonteCarlo(), async ({ body }, req, res) => {
    const request = planSimulation(res.locals.standing?.plan ?? '', body)
    const result = await simulations.run(request, whileConnected(res))
    const data = presentSimulation(result, request, req.body)
    await send(res, 200, envelope.wrap(data, new Date(clock())))
  })
}

function describeMonteCarlo() {
  return {
    id: 'monteCarlo',
    summary: 'How sure the economics of a solar system are',
    description: describeRuns(),
    tag: 'Calculation',
    body: monteCarloBody,
    responses: { 200: { description: 'The simulation.', schema: envelope.schema(simulationSchema) } },
    examples: [
      {
        name: 'the usual uncertainty',
        status: 200,
        body: { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 },
      },
      {
        name: 'net billing with distributions of one’s own',
        status: 200,
        body: {
          annualProductionPerKW: 1550,
          annualConsumptionKWh: 7200,
          utilityRate: 0.3065,
          selfConsumptionFraction: 0.4,
          exportRate: 0.07,
          simulation: {
            trials: 10_000,
            seed: 20260401,
            method: 'random',
            distributions: {
              cost: { distribution: 'pert', min: 2.6, mode: 3.1, max: 4.4 },
              escalation: { distribution: 'normal', mean: 0.025, standardDeviation: 0.012 },
            },
            correlations: [{ inputs: ['production', 'selfConsumption'], coefficient: -0.4 }],
          },
        },
      },
    ],
  }
}

function describeRuns(): string {
  const limits = Object.entries(trialsOfPlan).map(
    ([plan, trials]) => `${trials.toLocaleString('en-US')} on \`${plan}\``,
  )
  return `A Monte Carlo simulation: the inputs of \`/v1/calculate\`, eight of which vary. Without \`simulation\` they vary as is usual for a home; the distributions are echoed under \`assumptions\`.

The plan says how many trials a run may ask for: ${limits.join(', ')}. The same request with the same seed gives the same numbers, however the work is divided. When too many runs are under way the answer is 503; a request whose client goes away is stopped and costs nothing.

\`standardError\` says how far a mean is from that of endlessly many trials. With method \`random\` it is the standard deviation over the root of the trials; with \`sobol\` and \`lhs\`, whose trials are not independent, it is measured from 8 independent parts of the run, and is much smaller.`
}
