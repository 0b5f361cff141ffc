import { HttpError } from '@hearth/chassis/errors'
import { beforeReading, sharedNow } from '../src/context.ts'
import { openTestDatabase } from './support.ts'

describe('who is about to read what is yet to be written', () => {
  test('waits until it is written', async () => {
    const written = Promise.withResolvers<undefined>()
    const state = { reads: false }
    const reading = beforeReading(written.promise).then(() => (state.reads = true))
    await new Promise((resume) => setTimeout(resume, 20))
    expect(state.reads).toBe(false)

    written.resolve(undefined)
    await reading
    expect(state.reads).toBe(true)
  })

  test('reads what is there when it cannot be written', async () => {
    await expect(beforeReading(Promise.reject(new Error('read-only')))).resolves.toBeUndefined()
  })

  test('is told to come back when nothing answers', async () => {
    const error: unknown = await beforeReading(new Promise(() => undefined)).catch(
      (reason: unknown) => reason,
    )

    expect(error).toBeInstanceOf(HttpError)
    expect(error).toMatchObject({ kind: { status: 503 } })
  })
})

test.each(['postgres', 'pglite'] as const)(
  'the instant that all instances agree in is what is set, or that of %s',
  async (engine) => {
    const { db, close } = await openTestDatabase(engine)
    const set = new Date(Date.UTC(2026, 10, 20, 12))
    const [told, own] = [await sharedNow({ db, at: () => set }), await sharedNow({ db, at: () => undefined })]
    await close()

    expect(told).toEqual(set)
    expect(Math.abs(own.getTime() - Date.now())).toBeLessThan(10_000) // the database is on this machine
  },
)
