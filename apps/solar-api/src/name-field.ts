import Joi from 'joi'

/** A name that people give to something of theirs: text without control characters, spaces around it taken off. */
export function nameField(most: number): Joi.StringSchema {
  return Joi.string().min(1).max(most).custom(plainText, 'plain text')
}

function plainText(value: string, helpers: Joi.CustomHelpers): unknown {
  const trimmed = value.trim()
  if (trimmed === '' || /[\p{Cc}\p{Cs}]/u.test(trimmed)) {
    return helpers.message({ custom: '{#label} must be text without control characters' })
  }
  return trimmed
}
