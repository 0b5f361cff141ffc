import Joi from 'joi'
import { domainToASCII } from 'node:url'

/** A name that people give to something: text without control characters, spaces around it taken off. */
export function nameField(most: number): Joi.StringSchema {
  return Joi.string().min(1).max(most).custom(plainText, 'plain text').messages({
    'string.pattern.base': '{#label} must be text without control characters',
  })
}

/** An e-mail address as people type it; see normaliseEmail. */
export const emailField = Joi.string().max(320).custom(emailAddress, 'e-mail address').messages({
  'string.email': '{#label} must be an e-mail address, such as ann@example.com',
})

/** A password as it is typed at sign-in: any text. */
export const passwordField = Joi.string().max(1024)

/** A password to be, 8 to 256 characters; what else is wrong with it is said by passwordProblem. */
export const newPasswordField = textOfCodePoints().codePoints(8, 256).messages({
  'string.min': '{#label} must have at least {#limit} characters; 15 or more are better',
  'string.max': '{#label} must have at most {#limit} characters',
})

/** A date as `YYYY-MM-DD`. */
export const dateField = Joi.string().pattern(/^\d{4}-\d{2}-\d{2}$/, 'a date as YYYY-MM-DD')

/** The header that makes a request safe to send again. */
export const idempotencyHeaders = Joi.object<{ 'idempotency-key'?: string }>({
  'idempotency-key': Joi.string()
    .min(16)
    .max(255)
    .pattern(/^[\x21-\x7e]+$/, 'printable ASCII')
    .description(
      'A new random value (such as a UUID) per request; sent again, it gives the same answer again.',
    ),
})

/** The schema of an answer that shows a new key. */
export const newKeyFields = {
  apiKeyPrefix: Joi.string().description('The public beginning of the key, with an ellipsis.'),
  apiKey: Joi.string().description('The whole key; shown only here.'),
}

/** An ISO 8601 UTC instant in answers. */
export const instant = Joi.string().description('ISO 8601 UTC.')

/**
 * The form under which an address is unique: compatibility characters folded (NFKC), lower case, the domain in
 * ASCII (IDNA). Dots and +tags before the @ are kept: they are different mailboxes at many providers.
 */
export function normaliseEmail(email: string): string {
  const folded = email.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
  const at = folded.lastIndexOf('@')
  if (at < 0) return folded
  const domain = domainToASCII(folded.slice(at + 1)) || folded.slice(at + 1)
  return `${folded.slice(0, at)}@${domain}`
}

/** Strings whose length is counted in code points, as JSON Schema does and joi does not. */
function textOfCodePoints(): TextOfCodePoints {
  const extended = Joi.extend((joi) => ({
    ...{ type: 'string', base: joi.string() },
    rules: {
      codePoints: {
        method(this: Joi.ExtensionBoundSchema, least: number, most: number) {
          return this.$_addRule({ name: 'codePoints', args: { least, most } })
        },
        args: ['least', 'most'],
        validate(value: string, helpers: Joi.CustomHelpers, { least, most }: Range) {
          const length = Array.from(value).length
          if (length < least) return helpers.error('string.min', { limit: least })
          return length > most ? helpers.error('string.max', { limit: most }) : value
        },
        jsonSchema: ({ args }: { readonly args: Range }, schema: object) => ({
          ...{ ...schema, minLength: args.least, maxLength: args.most },
        }),
      },
    },
  })) as { readonly string: () => TextOfCodePoints } // joi does not type what an extension adds
  return extended.string()
}

type TextOfCodePoints = Joi.StringSchema & {
  readonly codePoints: (least: number, most: number) => Joi.StringSchema
}
type Range = { readonly least: number; readonly most: number }

function plainText(value: string, helpers: Joi.CustomHelpers): unknown {
  const trimmed = value.trim()
  if (trimmed === '') return helpers.error('string.empty')
  return /[\p{Cc}\p{Cs}]/u.test(trimmed) ? helpers.error('string.pattern.base') : trimmed
}

function emailAddress(value: string, helpers: Joi.CustomHelpers): unknown {
  const trimmed = value.trim()
  const { error } = addressSchema.validate(normaliseEmail(trimmed))
  return error === undefined && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(trimmed)
    ? trimmed
    : helpers.error('string.email')
}

const addressSchema = Joi.string().email({ tlds: false }).max(254)
