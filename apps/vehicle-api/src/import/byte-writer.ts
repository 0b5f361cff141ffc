/** Gathers texts as UTF-8, in memory that is used again. */
export type ByteWriter = {
  /** @returns where it starts, in bytes */
  readonly add: (text: string) => number
  /** How many bytes there are. */
  readonly length: () => number
  /** A copy of all of them; the writer is empty then. */
  readonly take: () => Uint8Array<ArrayBuffer>
}

export function byteWriter(): ByteWriter {
  let room = Buffer.allocUnsafeSlow(2 ** 20)
  let length = 0
  return {
    add: (text) => {
      const start = length
      // A UTF-16 unit takes three bytes at most.
      if (start + 3 * text.length > room.length) room = larger(room, start + 3 * text.length)
      length = start + room.write(text, start)
      return start
    },
    length: () => length,
    take: () => {
      const bytes = new Uint8Array(room.subarray(0, length))
      length = 0
      return bytes
    },
  }
}

function larger(room: Buffer<ArrayBuffer>, least: number): Buffer<ArrayBuffer> {
  const next = Buffer.allocUnsafeSlow(Math.max(least, 2 * room.length))
  next.set(room)
  return next
}
