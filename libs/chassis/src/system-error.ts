/** True for every error, also of another realm: under Jest, Node's own modules make theirs outside the tests'. */
export function isError(value: unknown): value is Error {
  return Object.prototype.toString.call(value) === '[object Error]'
}

/** The system error code or SQLSTATE of an error (`ENOENT`, `23505`), or the error as text when it has none. */
export function codeOf(error: unknown): string {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : String(error)
}
