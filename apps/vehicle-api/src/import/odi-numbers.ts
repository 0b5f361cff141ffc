/** The ODI numbers that have been seen, and those that came again later in the file: a bit for each number. */
export type OdiNumbers = {
  /** Notes the number of a run of rows. */
  readonly add: (odi: string) => void
  /** Numbers of more than one run of rows. */
  readonly scattered: ReadonlySet<string>
}

/** @returns an empty collection; it takes 8 KiB for every 65,536 numbers in use, about 2 MB for the whole file */
export function createOdiNumbers(): OdiNumbers {
  const pages = new Map<number, Uint8Array>()
  const scattered = new Set<string>()
  return {
    scattered,
    add: (odi) => {
      const number = Number(odi)
      const page = pageOf(pages, number >>> 16)
      const at = (number & 0xffff) >> 3
      const bit = 1 << (number & 7)
      const byte = page[at] ?? 0
      if ((byte & bit) !== 0) scattered.add(odi)
      page[at] = byte | bit
    },
  }
}

function pageOf(pages: Map<number, Uint8Array>, number: number): Uint8Array {
  const known = pages.get(number)
  if (known !== undefined) return known
  const page = new Uint8Array(8_192)
  pages.set(number, page)
  return page
}
