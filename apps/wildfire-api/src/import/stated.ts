import { reasonOf } from '@hearth/chassis/importing/import-error'

/** What the system says of an error, without a full stop of its own: for a sentence that has one. */
export function stated(error: unknown): string {
  return reasonOf(error).replace(/[.\s]+$/, '')
}
