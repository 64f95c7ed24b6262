import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { CountedPort } from '../../src/protocol/counted-port.js'

/** Sends, at each message it gets, four messages of which the third cannot be read: its own stack is larger than ours. */
const SENDER = `
  const { workerData: port } = require('node:worker_threads')
  let deep = {}
  for (let level = 0; level < 5000; level++) deep = { deep }
  port.on('message', () => { for (const message of ['one', 'two', { deep }, 'four']) port.postMessage(message) })
`

async function withSender() {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(SENDER, { eval: true, workerData: port2, transferList: [port2] })
  onTestFinished(async () => {
    port1.close()
    await worker.terminate()
  })
  await once(worker, 'online')
  const port = new CountedPort(port1)
  const heard: unknown[] = []
  port.listen({
    message: (message) => heard.push(message),
    unreadable: (number, error) => heard.push([number, (error as Error).name]),
  })
  return { port, heard, raw: port1 }
}

test('tells the number of a message that cannot be read, in its place', async () => {
  const { port, heard } = await withSender()
  port.post('go')
  port.post('go')
  while (heard.length < 8) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(heard).toEqual(['one', 'two', [3, 'RangeError'], 'four', 'one', 'two', [7, 'RangeError'], 'four'])
})

test('counts on when the port is read without waiting for its events', async () => {
  const { port, heard } = await withSender()
  port.post('go')
  const endsAt = performance.now() + 10_000
  while (heard.length < 4 && performance.now() < endsAt) port.read()
  expect(heard).toEqual(['one', 'two', [3, 'RangeError'], 'four'])
})

test('a message that cannot be sent has no number', () => {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const [ours, theirs] = [new CountedPort(port1), new CountedPort(port2)]
  expect(ours.next).toBe(1)
  expect(() => ours.post(() => 1)).toThrow('could not be cloned')
  expect(ours.next).toBe(1)
  ours.post('first')
  expect([ours.next, theirs.next]).toEqual([2, 1])
})
