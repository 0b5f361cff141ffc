import { basename } from 'node:path'
import { projectsWith, ROOT } from './projects.ts'

/** A service that can be started: its `src/main.ts` is run in `directory`. */
export type Service = {
  name: string
  directory: string
  /** The port its configuration chooses when PORT is not set. */
  port: number
  /** Shell commands that show it at work, to be pasted after signing up. */
  examples: (base: string) => string[]
}

/** The services of this repository. */
export function findServices(root = ROOT): Service[] {
  return projectsWith('start', root).map(({ name, directory }) => {
    const known = KNOWN[basename(directory)]
    if (known === undefined) {
      throw new Error(
        `${name} has a start script and no entry in infra/services.ts; add its port and examples there.`,
      )
    }
    return { name, directory, ...known }
  })
}

/** A curl that opens an account; the answer holds the key that the examples send. */
export function signupCommand(base: string): string {
  return post(`${base}/v1/signup`, {
    name: 'Ada',
    email: 'ada@example.com',
    password: 'a long enough password',
  })
}

const KNOWN: Readonly<Record<string, Pick<Service, 'port' | 'examples'>>> = {
  'solar-api': {
    port: 3001,
    examples: (base) => [
      post(
        `${base}/v1/calculate`,
        { annualProductionPerKW: 1400, annualConsumptionKWh: 9000, utilityRate: 0.17 },
        'X-API-Key: YOUR_KEY',
      ),
    ],
  },
  'wildfire-api': {
    port: 3002,
    examples: (base) => [`curl -s ${base}/v1/risk/county/06037 -H 'X-API-Key: YOUR_KEY'`],
  },
  'vehicle-api': {
    port: 3003,
    examples: (base) => [`curl -s ${base}/v1/vehicles -H 'Authorization: Bearer YOUR_KEY'`],
  },
}

function post(url: string, body: unknown, ...headers: string[]): string {
  const options = ['Content-Type: application/json', ...headers].map((header) => `-H '${header}'`)
  return `curl -s ${url} ${options.join(' ')} -d '${JSON.stringify(body)}'`
}
