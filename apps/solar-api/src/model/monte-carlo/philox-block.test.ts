import { philox } from './philox.ts'
import { philoxBlock } from './philox-block.ts'
import { blockSize } from './pieces.ts'

describe('philoxBlock()', () => {
  test.each([
    [0, blockSize, 0, 0],
    [7, 1, 1, 3],
    [0x7fffffff, 5, 1, 2],
    [0xfffffff0, 15, 0xffffffff, 0x80000001],
  ])(
    'draws the words of philox() from %p on, %p of them, block %p, stream %p',
    (first, count, block, stream) => {
      for (const key of [
        { low: 0, high: 0 },
        { low: 0x89abcdef, high: 0xfedcba98 },
        { low: 0xffffffff, high: 0xffffffff },
      ]) {
        const columns = new Uint32Array(4 * blockSize + 2)
        philoxBlock(key, first, count, block, stream, columns, 1)
        for (let index = 0; index < count; index++) {
          const words = new Uint32Array(4)
          philox(key, first + index, 0, block, stream, words, 0)
          const drawn = [0, 1, 2, 3].map((column) => columns[1 + column * blockSize + index])
          expect(drawn).toEqual([...words])
        }
        expect([columns[0], columns.at(-1)]).toEqual([0, 0])
      }
    },
  )
})
