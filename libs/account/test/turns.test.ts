import { setImmediate as turn } from 'node:timers/promises'
import { turns } from '../src/turns.ts'

test('pieces of work are done in their order, and others come in between', async () => {
  const inTurn = turns()
  const seen: string[] = []
  for (const piece of ['a', 'b', 'c']) inTurn(() => seen.push(piece))
  for (let at = 1; at <= 4; at++) {
    await turn()
    seen.push(`turn ${at}`)
  }

  expect(seen).toEqual(['a', 'turn 1', 'b', 'turn 2', 'c', 'turn 3', 'turn 4'])
})

test('work can put further work at the end of the line', async () => {
  const inTurn = turns()
  const seen: string[] = []
  inTurn(() => {
    seen.push('a')
    inTurn(() => {
      seen.push('c')
      inTurn(() => seen.push('d'))
    })
  })
  inTurn(() => seen.push('b'))
  for (let at = 0; at < 6; at++) await turn()

  expect(seen).toEqual(['a', 'b', 'c', 'd'])
})
