/**
 * Remembers what a pure function said of values that come again and again, such as components and dates. It forgets
 * everything when it has too many, so that memory stays constant.
 *
 * @param most entries kept, a few thousand
 */
export function memoise<T, K extends string | number = string>(
  compute: (value: K) => T,
  most: number,
): (value: K) => T {
  const known = new Map<K, T>()
  return (value) => {
    const before = known.get(value)
    if (before !== undefined) return before
    const result = compute(value)
    if (known.size >= most) known.clear()
    known.set(value, result)
    return result
  }
}
