import { createProgress } from '../src/importing/progress.ts'

function recorded() {
  const lines: string[] = []
  const clock = { ms: 0 }
  const progress = createProgress(
    'counties',
    (line) => lines.push(line),
    () => clock.ms,
  )
  return { lines, clock, progress }
}

test('says how far it is, how fast, and how long it will take, once a second at most', () => {
  const { lines, clock, progress } = recorded()
  for (let second = 0; second <= 4; second += 0.25) {
    clock.ms = second * 1000
    progress.read(second / 20)
    progress.row(second * 5_000)
  }
  expect(lines).toEqual([
    'counties: [#...................] 5 %, 5000 lines, 5000/s, 0:19 left',
    'counties: [##..................] 10 %, 10000 lines, 5000/s, 0:18 left',
    'counties: [###.................] 15 %, 15000 lines, 5000/s, 0:17 left',
    'counties: [####................] 20 %, 20000 lines, 5000/s, 0:16 left',
  ])
})

test('a download says how much there is, where that is known', () => {
  const { lines, clock, progress } = recorded()
  clock.ms = 1_000
  progress.received(2_500_000, undefined)
  clock.ms = 2_000
  progress.received(5_000_000, 10_000_000)
  expect(lines).toEqual(['counties: received 2.5 MB', 'counties: received 5.0 MB of 10.0 MB'])
})

test('a new step is said at once, and its pace is its own', () => {
  const { lines, clock, progress } = recorded()
  clock.ms = 60_000
  progress.read(1)
  progress.step('making indexes')
  clock.ms = 62_000
  progress.row(1_000)
  expect(lines).toEqual([
    'counties: making indexes',
    'counties: [....................] 0 %, 1000 lines, 500/s',
  ])
})
