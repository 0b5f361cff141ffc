import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { inTime, LateError } from '../src/in-time.ts'

test('what comes in time comes through, with its error or its value', async () => {
  await expect(inTime(1_000, Promise.resolve('here'))).resolves.toBe('here')
  await expect(inTime(1_000, Promise.reject(new Error('why')))).rejects.toThrow('why')
})

test('what does not come is given up with a reason that names the time', async () => {
  await expect(inTime(20, new Promise(() => undefined))).rejects.toThrow(LateError)
  await expect(inTime(20, sleep(5_000, undefined, { ref: false }))).rejects.toThrow('within 20 ms')
})

test('an answer that lay in the socket while the process was busy is not late', async () => {
  const server = createServer((socket) => {
    socket.on('data', () => socket.write('answer'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(client, 'connect')
  const answer = once(client, 'data').then(([data]) => String(data))

  client.write('question')
  const outcome = inTime(30, answer)
  // The server, in this process, answers in its next turn; then the process is busy for far longer than the deadline.
  setImmediate(() => setImmediate(busy))

  await expect(outcome).resolves.toBe('answer')
  client.destroy()
  server.close()
})

function busy(): void {
  const end = performance.now() + 150
  while (performance.now() < end);
}
