import { describe, expect, test } from 'vitest'
import { CLAIMED, DONE } from '../../src/board/claims.js'
import { CLAIMS_PER_LANE } from '../../src/board/layout.js'
import { OK } from '../../src/protocol/batch.js'
import { newLane, tasksOf } from './driven-lane.js'
import { PlainTask } from './lane-tasks.js'

describe('answers that the worker keeps', () => {
  test('are taken from the board, in order, and their words are free once the answers come', () => {
    const { clock, lane, owner, thread, post } = newLane()
    const tasks = tasksOf(4)
    post(...tasks)
    lane.flush()
    clock.advance(7)
    const startedAt = clock.nowMs()
    thread.end(thread.start()!, 1, OK, 2)
    thread.end(thread.start()!, { two: 'x' }, OK, 3)
    thread.start()
    lane.readAnswers()
    expect(owner.answers.map(({ task, value, runUs }) => [tasks.indexOf(task), value, runUs])).toEqual([
      [0, 1, 2_000],
      [1, { two: 'x' }, 3_000],
    ])
    expect(owner.answers[0]!.startedAt).toBe(startedAt)
    expect([...lane.cpu].map((task) => lane.stateOf(task))).toEqual([CLAIMED, 1])
    expect([owner.batches, lane.freeWords]).toEqual([1, CLAIMS_PER_LANE - 4])
    thread.answer()
    lane.readAnswers()
    expect([owner.answers.length, owner.lateAnswers, lane.freeWords]).toEqual([2, 0, CLAIMS_PER_LANE - 2])
  })

  test('are left where they are while the worker does not say that it keeps any', () => {
    const { lane, owner, thread, post } = newLane()
    post(...tasksOf(1))
    lane.flush()
    thread.end(thread.start()!, 1)
    thread.row.keeping(false)
    lane.readAnswers()
    expect([owner.answers, owner.batches, lane.stateOf(lane.cpu.first!)]).toEqual([[], 0, DONE])
  })

  test('stay with the worker when their results are not on the board', () => {
    const { lane, owner, thread, post } = newLane()
    post(...tasksOf(3))
    lane.flush()
    thread.end(thread.start()!, new Map())
    thread.fail(thread.start()!, new Error('no'))
    thread.end(thread.start()!, 3)
    lane.readAnswers()
    expect(owner.answers.map(({ value }) => value)).toEqual([3])
    thread.answer()
    lane.readAnswers()
    expect(owner.answers).toHaveLength(3)
    expect([lane.outstanding, lane.freeWords]).toEqual([0, CLAIMS_PER_LANE])
  })

  test('come after what the port holds of their tasks, and not at all before all of that has come', () => {
    const { lane, owner, thread, post } = newLane()
    const task = new PlainTask({ name: 'work', wantsProgress: true })
    post(task)
    lane.flush()
    const held = thread.start()!
    thread.say({ type: 'progress', key: held.key, position: 0, value: 'half' })
    thread.board.said[held.key & (CLAIMS_PER_LANE - 1)] = 2
    thread.end(held, 'done')
    lane.readAnswers()
    // One of its two values is still missing.
    expect([owner.controls.length, owner.answers.length]).toEqual([1, 0])
    thread.say({ type: 'progress', key: held.key, position: 1, value: 'more' })
    lane.readAnswers()
    expect([owner.controls.length, owner.answers.map(({ value }) => value)]).toEqual([2, ['done']])
  })

  test('of a task that answered and was posted again in the meantime are not taken for its own', () => {
    const { lane, owner, thread, post } = newLane()
    const task = tasksOf(1)[0]!
    post(task)
    lane.flush()
    thread.end(thread.start()!, 'first')
    thread.answer()
    thread.row.keeping(true)
    // The owner posts it again from within the answer, which is read after the lane has seen that it is done.
    const { answered } = owner
    owner.answered = (...args) => {
      answered.apply(owner, args)
      if (owner.answers.length === 1) post(task)
    }
    lane.readAnswers()
    expect(owner.answers.map(({ value }) => value)).toEqual(['first'])
    expect([...lane.cpu]).toEqual([task])
  })

  test('of an abandoned task count as late', () => {
    const { lane, owner, thread, post } = newLane()
    const task = tasksOf(1)[0]!
    post(task)
    lane.flush()
    thread.end(thread.start()!, 1)
    lane.abandon(task)
    lane.readAnswers()
    expect([owner.answers, owner.lateAnswers]).toEqual([[], 0])
    thread.answer()
    lane.readAnswers()
    expect([owner.answers, owner.lateAnswers]).toEqual([[], 1])
  })
})
