import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { askToEnd, claim, post } from '../../src/board/claims.js'
import { boardOf } from '../../src/board/layout.js'
import { RowWriter } from '../../src/board/row-writer.js'
import { CountedPort } from '../../src/protocol/counted-port.js'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { ItemStreams } from '../../workers/item-streams.js'
import { RunTimes } from '../../workers/run-times.js'
import { SideMessages } from '../../workers/side-messages.js'
import { TaskContext } from '../../workers/task-context.js'
import type { TaskFunction } from '../../workers/task-registry.js'

const channel = new MessageChannel()
const board = boardOf()
afterEach(() => void items())

/** Items that have left, as they arrive. */
function items(): unknown[] {
  const seen: unknown[] = []
  for (
    let entry = receiveMessageOnPort(channel.port2);
    entry !== undefined;
    entry = receiveMessageOnPort(channel.port2)
  ) {
    seen.push(entry.message.value)
  }
  return seen
}

function started(run: TaskFunction) {
  const claims = new Int32Array(4)
  const key = post(claims, 1)
  claim(claims, key)
  const context = new TaskContext({ slot: 0, claims, progress: () => {} }, key, 1, false)
  const streams = new ItemStreams(new SideMessages(new CountedPort(channel.port1), board, new RowWriter(board.row)))
  const done = streams.run({ name: 'work', run, kind: 'cpu', runTimes: new RunTimes() }, 100, context)
  const abort = () => {
    askToEnd(claims, key)
    context.abort(encodeError(new Error('stop'), () => true))
  }
  return { streams, key, context, done, abort }
}

const turn = () => new Promise(setImmediate)

function* counting(to: number, closed: () => void) {
  try {
    for (let item = 0; item < to; item++) yield item
  } finally {
    closed()
  }
}

test('no more items leave than there are credits', async () => {
  let closed = 0
  const { streams, key, done } = started((to) => counting(to as number, () => closed++))
  await turn()
  expect(items()).toHaveLength(16)
  streams.credit(key, 3)
  await turn()
  expect(items()).toEqual([16, 17, 18])
  streams.credit(key + 1, 50)
  await turn()
  expect(items()).toEqual([])
  streams.credit(key, 1_000)
  await done
  expect([items().length, closed]).toEqual([81, 1])
  streams.credit(key, 1)
})

test('an abort closes the iterator, although nobody gives a credit', async () => {
  let closed = 0
  const { abort, done } = started((to) => counting(to as number, () => closed++))
  await turn()
  abort()
  await done
  expect(closed).toBe(1)
})

test('an item that is ready after the abort does not leave', async () => {
  let ready = () => {}
  const { abort, done } = started(async function* () {
    await new Promise<void>((resolve) => {
      ready = resolve
    })
    yield 'too late'
  })
  await turn()
  abort()
  ready()
  await done
  expect(items()).toEqual([])
})

test('what cannot be sent, and what is no iterable, are errors of the task', async () => {
  let closed = 0
  const unsendable = started(function* () {
    try {
      yield () => {}
    } finally {
      closed++
    }
  })
  await expect(unsendable.done).rejects.toMatchObject({ code: 'EVENKEEL_CLONE', path: 'item' })
  expect(closed).toBe(1)
  for (const value of [5, null, {}, 'text']) await expect(started(() => value).done).rejects.toThrow('use run()')
})
