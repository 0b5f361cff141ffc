/** A reason not to publish a file, in whole sentences for the operator: what was wrong, expected, to be done. */
export class ImportError extends Error {
  override readonly name: string = 'ImportError'
}

/** The command was not given as it has to be. */
export class UsageError extends ImportError {}

/** What the system says of an error, for the end of a sentence. */
export function reasonOf(error: unknown): string {
  // Errors of other realms are no instances of ours.
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error)
  const text = String(error.message)
  return 'cause' in error && error.cause !== undefined ? `${text}: ${reasonOf(error.cause)}` : text
}
