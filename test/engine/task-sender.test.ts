import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { TaskSender } from '../../src/engine/task-sender.js'
import { BATCH_START, BATCH_STRIDE, CPU_BATCH, headHasTree, IO_BATCH } from '../../src/protocol/batch.js'
import { CountedPort } from '../../src/protocol/counted-port.js'
import { TreeReader, type Trees } from '../../src/protocol/small-tree.js'
import { FakeClock } from '../support/fake-clock.js'

function treeAt([values, shapes]: Trees, at: number): unknown {
  return new TreeReader(shapes).read(values, at)
}

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
    [undefined, CPU_BATCH, 1, 0, 'a', 3, 0, 'c'],
    [undefined, IO_BATCH, 2, 0, 'b'],
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
    [undefined, CPU_BATCH, 1, 0, 'a'],
    [undefined, CPU_BATCH, 2, 0, { value: 1 }],
  ])
  expect(took.map(([key, us]) => [key, us >= 30_000])).toEqual([
    [1, false],
    [2, true],
  ])
})

test('a small tree shares a message as a list of primitives, anything else does not', () => {
  const { sender, read } = newSender()
  expect([{ a: 1, b: [2, 3] }, [{ a: 1 }]].map((payload, key) => sender.add(false, key, 0, payload))).toEqual([
    true,
    true,
  ])
  expect([new Map(), Buffer.from('a'), () => 1].map((payload) => sender.add(false, 9, 0, payload))).toEqual([
    false,
    false,
    false,
  ])
  sender.flush()
  const [[trees, kind, key, head, first, , , second]] = read() as [
    [Trees, number, number, number, number, 0, 0, number],
  ]
  expect([kind, key, headHasTree(head)]).toEqual([CPU_BATCH, 0, true])
  expect([first, second].map((at) => treeAt(trees, at))).toEqual([{ a: 1, b: [2, 3] }, [{ a: 1 }]])
})

test('a getter that sends what was gathered so far disturbs no neighbour', () => {
  const { sender, sent, read } = newSender()
  sender.add(false, 1, 0, { a: 1 })
  const payload = {
    b: 2,
    get c() {
      sender.flush()
      return 3
    },
  }
  expect(sender.add(false, 2, 0, payload)).toBe(false)
  sender.sendAlone(false, 2, 0, payload)
  sender.add(false, 3, 0, { d: 4 })
  sender.flush()
  const [first, second, third] = read() as unknown[][]
  expect(treeAt(first![0] as Trees, first![4] as number)).toEqual({ a: 1 })
  expect(second!.slice(2)).toEqual([2, 0, { b: 2, c: 3 }])
  expect(treeAt(third![0] as Trees, third![4] as number)).toEqual({ d: 4 })
  expect(sent.map(([key]) => key)).toEqual([1, 2, 3])
})

test('a payload that cannot be sent is refused alone, and has no number', () => {
  const { sender, sent, refused, read } = newSender()
  sender.add(false, 1, 0, 'a')
  sender.sendAlone(false, 2, 0, () => 1)
  sender.add(false, 3, 0, 'c')
  sender.flush()
  expect(refused).toEqual([2])
  expect(read()).toHaveLength(2)
  expect(sent).toEqual([
    [1, 1],
    [3, 2],
  ])
})
