/**
 * Remembers what a pure function said of texts that come again and again, such as components and dates. It forgets
 * everything when it has too many, so that memory stays constant.
 *
 * @param most entries kept, a few thousand
 */
export function memoise<T>(compute: (text: string) => T, most: number): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const value = compute(text)
    if (known.size >= most) known.clear()
    known.set(text, value)
    return value
  }
}
