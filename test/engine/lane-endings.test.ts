import { describe, expect, test, vi } from 'vitest'
import { ABORTING, CLAIMED, DONE, DOOMED, indexOf, POSTED, REVOKED, stateOf } from '../../src/board/claims.js'
import { CLAIMS_PER_LANE } from '../../src/board/layout.js'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { newLane, tasksOf } from './driven-lane.js'
import { PlainTask } from './lane-tasks.js'

describe('taking back', () => {
  test('goes from the newest to the first started one, and answers oldest first', () => {
    const { lane, thread, post } = newLane()
    const tasks = tasksOf(6)
    post(...tasks)
    lane.flush()
    thread.start()
    thread.start()
    expect(lane.takeBack(lane.cpu)).toEqual(tasks.slice(2))
    expect([...lane.cpu]).toEqual(tasks.slice(0, 2))
    expect(lane.takeBack(lane.cpu)).toEqual([])
  })

  test('stops when it has enough', () => {
    const { lane, post } = newLane()
    const tasks = tasksOf(10)
    post(...tasks)
    expect(lane.takeBack(lane.cpu, () => lane.cpu.size <= 7)).toEqual(tasks.slice(7))
  })

  test('looks no further than one useless attempt', () => {
    const { lane, thread, post } = newLane()
    post(...tasksOf(50))
    lane.flush()
    for (let started = 0; started < 50; started++) thread.start()
    const swaps = vi.spyOn(Atomics, 'compareExchange')
    expect(lane.takeBack(lane.cpu)).toEqual([])
    expect(swaps).toHaveBeenCalledTimes(1)
    swaps.mockRestore()
  })

  test('one kind leaves the other alone', () => {
    const { lane, post } = newLane()
    const io = new PlainTask({ kind: 'io' })
    post(new PlainTask(), io)
    expect(lane.takeBack(lane.io)).toEqual([io])
    expect(lane.cpu.size).toBe(1)
  })

  test('includes what was not sent yet', () => {
    const { lane, thread, post, finishAll, owner } = newLane()
    const [task] = tasksOf(1)
    post(task!)
    expect(lane.takeBackOne(task!)).toBe(true)
    lane.flush()
    expect(thread.receive()).toBe(1)
    finishAll()
    expect(owner.answers).toEqual([])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
  })

  test('keeps the word until the worker has skipped the message, however often that is done', () => {
    const { lane, thread, post, finishAll } = newLane()
    const used = new Set<number>()
    let words = CLAIMS_PER_LANE
    while (lane.freeWords > 0) {
      const [task] = tasksOf(1)
      post(task!)
      used.add(indexOf(task!.key))
      expect(lane.takeBackOne(task!)).toBe(true)
      words--
      expect(lane.freeWords).toBe(words)
    }
    // The worker was blocked all the while: it holds as many messages as there are words, and no more.
    expect(used.size).toBe(CLAIMS_PER_LANE)
    lane.flush()
    expect(thread.receive()).toBe(CLAIMS_PER_LANE)
    finishAll()
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
  })

  test('a task posted again elsewhere is not answered twice', () => {
    const first = newLane()
    const second = newLane()
    const [task] = tasksOf(1)
    first.post(task!)
    first.lane.flush()
    first.lane.takeBackOne(task!)
    second.post(task!)
    second.lane.flush()
    first.finishAll()
    second.finishAll()
    expect(first.owner.answers).toEqual([])
    expect(second.owner.answers.map(({ value }) => value)).toEqual([0])
  })
})

describe('ending a running task', () => {
  function running() {
    const made = newLane()
    const [task, other] = tasksOf(2)
    made.post(task!, other!)
    made.lane.flush()
    const held = made.thread.start()!
    return { ...made, task: task!, other: other!, held }
  }

  test('asks with a message and a word, only while it runs', () => {
    const { lane, thread, task, other, held } = running()
    const reason = encodeError(new Error('enough'), () => true)
    expect(lane.askToEnd(other, reason)).toBe(false)
    expect(lane.askToEnd(task, reason)).toBe(true)
    expect(lane.stateOf(task)).toBe(ABORTING)
    thread.receive()
    expect(thread.told).toEqual([{ type: 'abort', key: held.key, reason }])
    expect(thread.end(held, 'late but fine')).toBe(true)
    expect(lane.stateOf(task)).toBe(DONE)
    expect(lane.askToEnd(task, reason)).toBe(false)
  })

  test('dooms it, after which it cannot finish', () => {
    const { lane, thread, task, held } = running()
    expect(lane.doom(task)).toBe(true)
    expect(lane.stateOf(task)).toBe(DOOMED)
    expect(thread.end(held, 'too late')).toBe(false)
  })

  test('does not doom what has finished', () => {
    const { lane, thread, task, held, owner } = running()
    thread.end(held, 'in time')
    expect(lane.doom(task)).toBe(false)
    thread.answer()
    lane.readAnswers()
    expect(owner.answers[0]!.value).toBe('in time')
  })

  test('names the task that holds the turn until it is done', () => {
    const { lane, thread, task, held } = running()
    expect(lane.runningTask).toBe(task)
    expect(lane.taskOf(held.key)).toBe(task)
    lane.askToEnd(
      task,
      encodeError(0, () => true),
    )
    expect(lane.runningTask).toBe(task)
    lane.doom(task)
    expect(lane.runningTask).toBe(task)
    thread.row.running(-1)
    expect(lane.runningTask).toBeUndefined()
  })

  test('does not name a task whose word moved on', () => {
    const { lane, thread, post, held, finishAll } = running()
    thread.end(held, 1)
    finishAll()
    expect(lane.taskOf(held.key)).toBeUndefined()
    expect(lane.taskOf(-1)).toBeUndefined()
    post(...tasksOf(CLAIMS_PER_LANE))
    expect(lane.taskOf(held.key)).toBeUndefined()
  })

  test('abandoned, its late answer frees the word and is counted', () => {
    const { lane, thread, task, held, owner } = running()
    lane.abandon(task)
    expect([lane.outstanding, task.key]).toEqual([1, -1])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE - 2)
    thread.end(held, 'nobody waits')
    thread.answer()
    lane.readAnswers()
    expect(owner.lateAnswers).toBe(1)
    expect(owner.answers).toEqual([])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE - 1)
  })
})

describe('after the death of the thread', () => {
  test('close takes in what was still posted, and results on the board; the rest is told apart by its word', () => {
    const { lane, thread, post, owner } = newLane()
    const tasks = tasksOf(5)
    post(...tasks)
    lane.flush()
    thread.end(thread.start()!, 'delivered')
    thread.answer()
    thread.end(thread.start()!, { on: 'the board' })
    thread.end(thread.start()!, new Map([['lost', 'in the outbox']]))
    thread.start()
    thread.die()
    lane.close()
    expect(owner.answers.map(({ value }) => value)).toEqual(['delivered', { on: 'the board' }])
    expect([...lane.cpu].map((task) => lane.stateOf(task))).toEqual([DONE, CLAIMED, POSTED])
    expect(lane.takeBack(lane.cpu)).toEqual([tasks[4]])
    expect([...lane.cpu]).toEqual(tasks.slice(2, 4))
  })

  test('tasks that were not even sent are taken back like others', () => {
    const { lane, thread, post } = newLane()
    const tasks = tasksOf(3)
    post(...tasks)
    thread.die()
    lane.close()
    expect(lane.takeBack(lane.cpu)).toEqual(tasks)
    expect(lane.outstanding).toBe(0)
  })

  test('what is told or flushed to it does no harm', () => {
    const { lane, thread, post } = newLane()
    thread.die()
    lane.close()
    post(new PlainTask())
    expect(() => {
      lane.flush()
      lane.tell({ type: 'stop' })
      lane.readAnswers()
    }).not.toThrow()
  })
})

test('a revoked word shows its state until it is free', () => {
  const { lane, thread, post } = newLane()
  const [task] = tasksOf(1)
  post(task!)
  const { key } = task!
  lane.takeBackOne(task!)
  expect(stateOf(thread.board.state, key)).toBe(REVOKED)
})
