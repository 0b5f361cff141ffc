import { nameField } from '@hearth/account'
import Joi from 'joi'
import type { Agreement } from './model/agreement.ts'
import type { Financing } from './model/compare.ts'
import type { LoanInput } from './model/input.ts'
import { loanFields, solarFields, type Assumption, type SolarRequest } from './solar-input.ts'

/** The body of a comparison: one system and two to five ways to pay for it. */
export type CompareRequest = Omit<SolarRequest, 'loan'> & {
  readonly scenarios: readonly ScenarioRequest[]
  readonly include: readonly 'cashFlow'[]
}

/** One way to pay as a request gives it, defaults filled in. */
export type ScenarioRequest = { readonly name: string } & (
  | { readonly type: 'cash' }
  | ({ readonly type: 'loan' } & LoanInput)
  | (AgreementTerms & { readonly type: 'lease'; readonly payment: number; readonly paymentsPerYear: number })
  | (AgreementTerms & { readonly type: 'ppa'; readonly pricePerKWh: number })
)

type AgreementTerms = Pick<Agreement, 'escalator' | 'termYears'> & { readonly buyoutPrice?: number | null }

/** The most ways to pay that one request compares. */
const mostScenarios = 5

/** How the system is paid for is the scenarios' to say. */
const commonFields = Object.fromEntries(Object.entries(solarFields).filter(([name]) => name !== 'loan'))

const agreementTerms = {
  escalator: Joi.number()
    .min(-0.5)
    .max(1)
    .required()
    .description('Growth of the payment or price a year, from year 2 on; 0.029 is 2.9 %, 0 a flat price.'),
  termYears: Joi.number()
    .integer()
    .min(1)
    .max(50)
    .default(25)
    .description('Years of the agreement; what is beyond analysisYears is not counted.'),
  buyoutPrice: Joi.number()
    .min(0)
    .max(1e9)
    .allow(null)
    .description(
      'USD for which the customer buys the system at the end of the term. Left out or null: the provider removes it at its own cost, and nothing is saved any more.',
    ),
}

const scenario = Joi.alternatives().conditional('.type', {
  switch: [
    { is: 'loan', then: ofType('loan', loanFields()) },
    {
      is: 'lease',
      then: ofType('lease', {
        payment: Joi.number().min(0).max(1e9).required().description('USD per payment in the first year.'),
        paymentsPerYear: Joi.number().valid(1, 2, 4, 12).default(12).description('Payments a year.'),
        ...agreementTerms,
      }),
    },
    {
      is: 'ppa',
      then: ofType('ppa', {
        pricePerKWh: Joi.number()
          .min(0)
          .max(10)
          .required()
          .description('USD per kWh produced, used at home or exported, in the first year.'),
        ...agreementTerms,
      }),
    },
  ],
  otherwise: ofType('cash', {}),
})

/** The schema of a comparison. */
export const compareBody = Joi.object<CompareRequest>({
  ...commonFields,
  scenarios: Joi.array()
    .items(scenario)
    .min(2)
    .max(mostScenarios)
    .unique('name', { ignoreUndefined: true })
    .messages({ 'array.unique': '{{#label}} has the name of another scenario; give each its own' })
    .required()
    .description(
      'Two to five ways to pay for the system: `cash`, `loan` (terms as in loan of /v1/calculate), `lease`, `ppa`.',
    ),
  include: Joi.array()
    .items(Joi.string().valid('cashFlow'))
    .max(1)
    .default([])
    .description('`cashFlow` adds the yearly table of each scenario.'),
})

/** The model's financing for a checked scenario. */
export function resolveFinancing(request: ScenarioRequest): Financing {
  const { type } = request
  if (type === 'cash') return { type }
  if (type === 'loan') {
    const { fraction, apr, termYears, paymentsPerYear, feeRate, interestTaxRate } = request
    return { type, loan: { fraction, apr, termYears, paymentsPerYear, feeRate, interestTaxRate } }
  }
  const { escalator, termYears, buyoutPrice } = request
  const terms = { escalator, termYears, buyoutPrice: buyoutPrice ?? undefined }
  if (type === 'ppa') return { type, pricePerKWh: request.pricePerKWh, ...terms }
  return { type, payment: request.payment, paymentsPerYear: request.paymentsPerYear, ...terms }
}

/**
 * The terms of a scenario as they were used, and for leases and PPAs what the customer has nothing to do with. `raw`
 * is the scenario before defaults were filled in.
 */
export function describeFinancing(financing: Financing, raw: object): Record<string, Assumption> {
  if (financing.type === 'cash') return {}
  const { type, ...terms } = financing
  if (type === 'loan') return describeTerms(financing.loan, raw)
  return { ...describeTerms({ ...terms, buyoutPrice: financing.buyoutPrice ?? null }, raw), ...providersPart }
}

const providersPart: Readonly<Record<string, Assumption>> = {
  upfrontPayment: { value: 0, source: 'default' },
  maintenanceAndInverterPaidBy: { value: 'provider', source: 'default' },
  rebateTaxCreditAndIncentiveGoTo: { value: 'provider', source: 'default' },
}

function describeTerms(terms: object, raw: object): Record<string, Assumption> {
  return Object.fromEntries(
    Object.entries(terms).map(([name, value]) => [
      name,
      { value: value as unknown, source: name in raw ? 'request' : 'default' },
    ]),
  )
}

function ofType(type: Financing['type'], fields: Joi.SchemaMap): Joi.ObjectSchema {
  return Joi.object({
    name: nameField(100)
      .required()
      .description('How the answer calls the scenario; 1 to 100 characters, different from the others.'),
    type: Joi.string()
      .valid(type)
      .required()
      .messages({ 'any.only': '{{#label}} must be one of cash, loan, lease, ppa' })
      .description('How the system is paid for.'),
    ...fields,
  })
}
