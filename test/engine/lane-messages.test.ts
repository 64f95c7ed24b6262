import { describe, expect, test } from 'vitest'
import { indexOf } from '../../src/board/claims.js'
import { CLAIMS_PER_LANE } from '../../src/board/layout.js'
import { FAILED } from '../../src/protocol/batch.js'
import type { WorkerControl } from '../../src/protocol/control.js'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { newLane, tasksOf } from './driven-lane.js'
import { PlainTask } from './lane-tasks.js'

describe('neighbours in a message', () => {
  test('get copies of small values, so that an object that two of them share is two', () => {
    const { lane, thread, post } = newLane()
    const shared = { n: 0 }
    post(...tasksOf(3, () => ({ payload: shared })), ...tasksOf(2, () => ({ payload: [[shared]] })))
    lane.flush()
    thread.receive()
    expect(thread.batches).toEqual([['work', 'work', 'work', 'work', 'work']])
    const [first, second] = thread.inbox.map(({ payload }) => payload as { n: number })
    first!.n = 7
    expect(second).toEqual({ n: 0 })
  })

  test('are not sent with a value that cannot be copied, and keep their order', () => {
    const { lane, thread, post } = newLane()
    const pooled = () => Buffer.from('abc')
    post(...tasksOf(5, (at) => ({ payload: at === 1 || at === 2 ? pooled() : at })))
    lane.flush()
    thread.receive()
    expect(thread.batches.map((names) => names.length)).toEqual([1, 1, 1, 2])
    expect(thread.inbox.map(({ payload }) => (typeof payload === 'number' ? payload : 'bytes'))).toEqual([
      0,
      'bytes',
      'bytes',
      3,
      4,
    ])
    const [one, two] = thread.inbox.slice(1, 3).map(({ payload }) => payload as Uint8Array)
    expect(one!.buffer).not.toBe(two!.buffer)
  })

  test('what posting took counts until the task that began the message has left the lane', () => {
    const { lane, clock, thread, post } = newLane()
    const slow = {
      get bytes() {
        clock.advance(30)
        return Buffer.alloc(1)
      },
    }
    const [task] = tasksOf(1, () => ({ payload: slow }))
    post(task!, new PlainTask({ payload: 1 }))
    lane.flush()
    expect(task!.repostUs).toBeGreaterThanOrEqual(30_000)
    expect(lane.postingUs).toBe(task!.repostUs)
    thread.end(thread.start()!, 1)
    thread.answer()
    lane.readAnswers()
    expect([lane.outstanding, lane.postingUs]).toEqual([1, 0])
  })

  test('a payload that may share a message is never costly to send: that this side was put off meanwhile says nothing of it', () => {
    const { lane, clock, post } = newLane()
    const nowMs = clock.nowMs.bind(clock)
    clock.nowMs = () => {
      clock.advance(1)
      return nowMs()
    }
    const [task] = tasksOf(1, () => ({ payload: { small: 1 } }))
    post(task!)
    lane.flush()
    expect(lane.postingUs).toBeGreaterThan(0)
    expect(task!.repostUs).toBe(0)
  })
})

describe('a message that the worker cannot read', () => {
  const fault = (message: number): WorkerControl => ({
    type: 'unreadable',
    message,
    error: encodeError(new RangeError('stack'), () => true),
  })

  test('fails its task when it carried one, and frees its word', () => {
    const { lane, owner, thread, post } = newLane()
    post(...tasksOf(3, (at) => ({ payload: at === 1 ? new Date(0) : at })))
    lane.flush()
    thread.receive()
    thread.inbox.splice(1, 1)
    thread.say(fault(2))
    lane.readAnswers()
    expect(owner.unsent.map(({ task, error }) => [task.payload, (error as Error).message])).toEqual([
      [new Date(0), 'the worker could not read it: stack'],
    ])
    expect([lane.outstanding, lane.freeWords]).toEqual([2, CLAIMS_PER_LANE - 2])
    thread.runAll()
    lane.readAnswers()
    expect(owner.answers.map(({ value }) => value)).toEqual([0, 2])
  })

  test('gives its tasks back when it carried several, to be sent one by one', () => {
    const { lane, owner, thread, post } = newLane()
    const tasks = tasksOf(3)
    post(...tasks)
    lane.flush()
    thread.receive()
    thread.inbox.length = 0
    expect(lane.takeBackOne(tasks[2]!)).toBe(true)
    thread.say(fault(1))
    lane.readAnswers()
    expect(owner.unreadTasks).toEqual(tasks.slice(0, 2))
    expect(owner.batches).toBe(1)
    expect([lane.outstanding, lane.freeWords]).toEqual([0, CLAIMS_PER_LANE])
    post(...owner.unreadTasks)
    thread.receive()
    expect(thread.batches).toEqual([['work', 'work', 'work'], ['work'], ['work']])
  })

  test('and carried no task is told to the owner', () => {
    const { lane, owner, thread } = newLane()
    lane.tell({ type: 'stop' })
    thread.say(fault(1))
    lane.readAnswers()
    expect(owner.controls).toMatchObject([{ type: 'unreadable', message: 1 }])
  })
})

describe('what a running task says', () => {
  const said = (key: number, position: number, value: unknown): WorkerControl => ({
    type: 'item',
    key,
    position,
    value,
  })

  test('is handed on up to the first that is missing, and its answer counts as failed', () => {
    const { lane, owner, thread, post } = newLane()
    const [task] = tasksOf(1, () => ({ wantsItems: true }))
    post(task!)
    lane.flush()
    const held = thread.start()!
    for (const position of [0, 1, 3, 4]) thread.say(said(held.key, position, position))
    thread.board.said[0] = 5
    thread.end(held, 'whole')
    thread.answer()
    lane.readAnswers()
    expect(owner.controls).toEqual([said(held.key, 0, 0), said(held.key, 1, 1)])
    expect(owner.unheardOf).toMatchObject([{ task, error: { code: 'EVENKEEL_CLONE', path: 'item' } }])
    expect(owner.answers.map(({ status }) => status)).toEqual([FAILED])
  })

  test('is missed when it cannot be read, although the worker has not counted it yet', () => {
    const { lane, owner, thread, post } = newLane()
    const [task, other] = tasksOf(2, () => ({ wantsItems: true, kind: 'io' }))
    post(task!, other!)
    lane.flush()
    thread.start('io')
    thread.start('io')
    thread.board.saidIn[indexOf(task!.key)] = 1
    thread.sayUnreadable()
    lane.readAnswers()
    expect(owner.unheardOf).toMatchObject([{ task, error: { code: 'EVENKEEL_CLONE', path: 'item' } }])
  })

  test('is missed at the end at the latest', () => {
    const { lane, owner, thread, post } = newLane()
    post(...tasksOf(1, () => ({ wantsProgress: true })))
    lane.flush()
    const held = thread.start()!
    thread.board.said[0] = 1
    thread.end(held, 'whole')
    thread.answer()
    lane.readAnswers()
    expect(owner.answers.map(({ status }) => status)).toEqual([FAILED])
  })
})
