import type { Key } from './philox.ts'
import { blockSize } from './pieces.ts'

/**
 * The words of philox(key, first + i, 0, block, stream) for i = 0..count-1, each of the four in a column of its own:
 * word w of draw i goes to out[at + w * blockSize + i]. What is between the end of a draw's column and the next one
 * is overwritten.
 *
 * In WebAssembly, because JavaScript has no product of two words: philox() takes four products of half words in its
 * place, and three times as long.
 * @param count 1..blockSize
 */
export function philoxBlock(
  key: Key,
  first: number,
  count: number,
  block: number,
  stream: number,
  out: Uint32Array,
  at: number,
): void {
  draw(key.low, key.high, first, count, block, stream)
  out.set(drawn, at)
}

// The instructions that are needed, in the binary format of the WebAssembly Core Specification, chapter 5.
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const word = (value: number): number[] => [0x41, ...signed(BigInt(value))]
const long = (value: bigint): number[] => [0x42, ...signed(value)]
const storeColumn = (column: number): number[] => [0x36, 2, ...unsigned(4 * blockSize * column)]
const [wordAdd, wordShiftLeft, wordLess] = [0x6a, 0x74, 0x49]
const [longAdd, longMultiply, longAnd, longXor, longShiftRight] = [0x7c, 0x7e, 0x83, 0x85, 0x88]
const [toLong, toWord] = [0xad, 0xa7]
const [loop, noValue, repeatIf, end] = [0x03, 0x40, 0x0d, 0x0b]
const [wordType, longType, functionType] = [0x7f, 0x7e, 0x60]

// Parameters and locals, by number. Counter and key are words in 64 bits.
const [low, high, first, count, block, stream] = [0, 1, 2, 3, 4, 5]
const [index, round, place] = [6, 7, 8]
const [c0, c1, c2, c3, k0, k1, product0, product1] = [9, 10, 11, 12, 13, 14, 15, 16]
const locals = list([
  [3, wordType],
  [8, longType],
])

/** A round as in philox(). */
const oneRound = [
  ...[...get(c0), ...long(0xd2511f53n), longMultiply, ...set(product0)],
  ...[...get(c2), ...long(0xcd9e8d57n), longMultiply, ...set(product1)],
  ...[...upper(product1), ...get(c1), longXor, ...get(k0), longXor, ...set(c0)],
  ...[...lower(get(product1)), ...set(c1)],
  ...[...upper(product0), ...get(c3), longXor, ...get(k1), longXor, ...set(c2)],
  ...[...lower(get(product0)), ...set(c3)],
  ...[...lower([...get(k0), ...long(0x9e3779b9n), longAdd]), ...set(k0)],
  ...[...lower([...get(k1), ...long(0xbb67ae85n), longAdd]), ...set(k1)],
]

const body = [
  ...[loop, noValue],
  ...[...get(first), ...get(index), wordAdd, toLong, ...set(c0)],
  ...[...long(0n), ...set(c1)],
  ...[...get(block), toLong, ...set(c2)],
  ...[...get(stream), toLong, ...set(c3)],
  ...[...get(low), toLong, ...set(k0)],
  ...[...get(high), toLong, ...set(k1)],
  ...[...word(0), ...set(round)],
  ...[loop, noValue, ...oneRound, ...countUp(round, word(10)), end],
  ...[...get(index), ...word(2), wordShiftLeft, ...set(place)],
  ...[c0, c1, c2, c3].flatMap((c, column) => [...get(place), ...get(c), toWord, ...storeColumn(column)]),
  ...[...countUp(index, get(count)), end],
  end,
]

const memoryExport = [1, 'm'.charCodeAt(0), 2, 0]
const functionExport = [1, 'f'.charCodeAt(0), 0, 0]
const module = new WebAssembly.Module(
  Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic number, version
    ...section(1, list([[functionType, ...list(Array.from({ length: 6 }, () => [wordType])), ...list([])]])),
    ...section(3, list([[0]])), // one function, of that type
    ...section(5, list([[0, 1]])), // one memory, of one page
    ...section(7, list([memoryExport, functionExport])),
    ...section(10, list([sized([...locals, ...body])])),
  ),
)
const { m: memory, f: draw } = new WebAssembly.Instance(module).exports
const drawn = new Uint32Array(memory.buffer, 0, 4 * blockSize)

function upper(product: number): number[] {
  return [...get(product), ...long(32n), longShiftRight]
}

function lower(value: readonly number[]): number[] {
  return [...value, ...long(0xffffffffn), longAnd]
}

/** Adds one, and goes back to the start of the loop if that is less than the limit. */
function countUp(local: number, limit: readonly number[]): number[] {
  return [...get(local), ...word(1), wordAdd, ...set(local), ...get(local), ...limit, wordLess, repeatIf, 0]
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)]
}

function list(items: readonly (readonly number[])[]): number[] {
  return [items.length, ...items.flat()]
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content]
}

/** LEB128, seven bits a byte. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function signed(value: bigint): number[] {
  const byte = Number(value & 127n)
  const rest = value >> 7n
  const isLast = byte < 64 ? rest === 0n : rest === -1n
  return isLast ? [byte] : [byte | 128, ...signed(rest)]
}

type Exports = Readonly<{
  m: { readonly buffer: ArrayBuffer }
  f: (low: number, high: number, first: number, count: number, block: number, stream: number) => void
}>

// The types of Node do not have it.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Exports }
}
