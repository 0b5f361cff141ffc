import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { ProblemKind } from '../src/errors.ts'
import type { OpenApiDocument } from '../src/openapi.ts'

/**
 * What is wrong with the description of a service, one line each: problems that are not the closed list, answers
 * that no `default` stands for, a 304 without its headers, examples that are not what their schemas say.
 *
 * @param problems the closed list of the service
 */
export function faultsOfDescription(document: OpenApiDocument, problems: readonly ProblemKind[]): string[] {
  const { schemas } = document.components as { schemas: { Problem: { properties: { code: Enumeration } } } }
  const shown = schemas.Problem.properties.code.enum.toSorted().join()
  const known = problems.map(({ code }) => code).toSorted()
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      operation: operation as Operation, // as openApiDocument makes it
    })),
  )
  return [
    ...(shown === known.join() ? [] : [`Problem.code is ${shown}, not ${known.join()}`]),
    ...operations.flatMap(({ name, operation }) =>
      [...missing(operation), ...unfitting(operation)].map((fault) => `${name}: ${fault}`),
    ),
  ]
}

function missing({ responses, parameters }: Operation): string[] {
  const isConditional = responses['304'] !== undefined
  const asks = parameters.some(({ name, in: place }) => name === 'If-None-Match' && place === 'header')
  const untagged = Object.entries(responses).filter(
    ([status, { headers }]) => /^2|304/.test(status) && (headers?.['ETag'] !== undefined) !== isConditional,
  )
  return [
    ...(responses['default'] === undefined ? ['there is no default'] : []),
    ...(asks === isConditional ? [] : ['304 and If-None-Match are not together']),
    ...untagged.map(([status]) => `304 and the ETag of ${status} are not together`),
  ]
}

function unfitting({ parameters }: Operation): string[] {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  return parameters.flatMap(({ name, schema, example }) =>
    example === undefined || ajv.validate(schema, example)
      ? []
      : [`the example ${JSON.stringify(example)} of ${name} ${ajv.errorsText(ajv.errors)}`],
  )
}

type Enumeration = { readonly enum: readonly string[] }

type Operation = {
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly schema: object
    readonly example?: unknown
  }[]
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, object>> }>>
}
