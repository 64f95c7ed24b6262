import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { TaskSender } from '../../src/engine/task-sender.js'
import { BATCH_START, BATCH_STRIDE, CPU_BATCH, IO_BATCH } from '../../src/protocol/batch.js'
import { CountedPort } from '../../src/protocol/counted-port.js'
import { FakeClock } from '../support/fake-clock.js'

function newSender() {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const clock = new FakeClock()
  const sent: [number, number][] = []
  const took: [number, number][] = []
  const refused: number[] = []
  const sender = new TaskSender(new CountedPort(port1), clock, {
    sent: (batch, message, us) => {
      for (let at = BATCH_START; at < batch.length; at += BATCH_STRIDE) sent.push([batch[at] as number, message])
      took.push([batch[BATCH_START] as number, us])
    },
    refused: (key) => refused.push(key),
  })
  const read = () => {
    const messages: unknown[] = []
    for (let entry = receiveMessageOnPort(port2); entry !== undefined; entry = receiveMessageOnPort(port2)) {
      messages.push(entry.message)
    }
    return messages
  }
  return { sender, clock, sent, took, refused, read }
}

test('gathers tasks of each kind into one message, and numbers messages', () => {
  const { sender, sent, read } = newSender()
  sender.add(false, 1, 0, 'a')
  sender.add(true, 2, 0, 'b')
  sender.add(false, 3, 0, 'c')
  expect(read()).toEqual([])
  sender.flush()
  expect(read()).toEqual([
    [CPU_BATCH, 1, 0, 'a', 3, 0, 'c'],
    [IO_BATCH, 2, 0, 'b'],
  ])
  expect(sent).toEqual([
    [1, 1],
    [3, 1],
    [2, 2],
  ])
})

test('sends a task alone behind what was added before, and tells what posting took', () => {
  const { sender, clock, took, read } = newSender()
  const slow = {
    get value() {
      clock.advance(30)
      return 1
    },
  }
  sender.add(false, 1, 0, 'a')
  sender.sendAlone(false, 2, 0, slow)
  expect(read()).toEqual([
    [CPU_BATCH, 1, 0, 'a'],
    [CPU_BATCH, 2, 0, { value: 1 }],
  ])
  expect(took.map(([key, us]) => [key, us >= 30_000])).toEqual([
    [1, false],
    [2, true],
  ])
})

test('a payload that cannot be sent is refused alone, and has no number', () => {
  const { sender, sent, refused, read } = newSender()
  sender.add(false, 1, 0, 'a')
  sender.add(false, 2, 0, () => 1)
  sender.add(false, 3, 0, 'c')
  sender.flush()
  expect(refused).toEqual([2])
  expect(read()).toHaveLength(2)
  expect(sent).toEqual([
    [1, 1],
    [3, 2],
  ])
})
