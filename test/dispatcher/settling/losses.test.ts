import { afterEach, describe, expect, test } from 'vitest'
import { lossesOf, unknownTaskError } from '../../../src/dispatcher/settling/losses.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTask, newTasks } from '../../support/new-task.js'

let crew: FakeCrew
afterEach(() => crew.dispose())

function newCrew(): FakeCrew {
  crew = new FakeCrew(1)
  return crew
}

/** What a dead worker's tasks reject with: who, with which code, and why. */
function judged(cause = { exitCode: 1 } as { exitCode: number; error?: unknown }) {
  return lossesOf(crew.worker(0), crew.lane(0), cause)
}

describe('who is to blame', () => {
  test('the CPU task that held the turn when no JavaScript ran at the end', () => {
    newCrew()
    const cpu = newTask({ name: 'work' })
    const io = newTask({ name: 'fetch', kind: 'io' })
    crew.post(0, cpu, io)
    crew.thread(0).start('io')
    crew.thread(0).start('cpu')
    const losses = judged({ exitCode: 3 })
    expect(losses.map(({ task, isCulprit }) => [task, isCulprit])).toEqual([
      [cpu, true],
      [io, false],
    ])
    expect(losses[0]!.error).toMatchObject({
      code: 'EVENKEEL_WORKER_EXIT',
      exitCode: 3,
      slot: 0,
      task: 'work',
      attempts: 1,
      retryable: false,
    })
    expect(losses[1]!.error).toMatchObject({
      code: 'EVENKEEL_LOST_WITH_WORKER',
      exitCode: 3,
      task: 'fetch',
      retryable: true,
    })
  })

  test('whom the worker named in its last words, although another held the turn', () => {
    newCrew()
    const cpu = newTask({ name: 'work' })
    const io = newTask({ name: 'fetch', kind: 'io' })
    crew.post(0, cpu, io)
    const held = crew.thread(0).start('io')!
    crew.thread(0).start('cpu')
    crew.thread(0).row.culprit(held.key + 1)
    expect(judged().map(({ task, error }) => [task, error.code])).toEqual([
      [cpu, 'EVENKEEL_LOST_WITH_WORKER'],
      [io, 'EVENKEEL_WORKER_EXIT'],
    ])
  })

  test('nobody when the worker said that no task of its was to blame', () => {
    newCrew()
    crew.post(0, newTask())
    crew.thread(0).start()
    crew.thread(0).row.culprit(-1)
    expect(judged().map(({ isCulprit }) => isCulprit)).toEqual([false])
  })

  test('whom the dispatcher blames when it ended the thread on purpose, and else nobody', () => {
    newCrew()
    const [running] = newTasks(1)
    crew.post(0, running!)
    crew.thread(0).start()
    crew.worker(0).endExpected = true
    expect(judged().map(({ isCulprit }) => isCulprit)).toEqual([false])
    crew.worker(0).blamed = running
    expect(judged().map(({ isCulprit }) => isCulprit)).toEqual([true])
  })

  test('never a task that was done, though its answer is lost', () => {
    newCrew()
    const [done, next] = newTasks(2)
    crew.post(0, done!, next!)
    const thread = crew.thread(0)
    const held = thread.start()!
    thread.row.culprit(held.key + 1)
    thread.end(held, 1)
    thread.start()
    expect(judged().map(({ task, error }) => [task, error.code])).toEqual([
      [done, 'EVENKEEL_LOST_WITH_WORKER'],
      [next, 'EVENKEEL_LOST_WITH_WORKER'],
    ])
  })
})

describe('why', () => {
  test('what was thrown outside the tasks is cause, message and stack', () => {
    newCrew()
    crew.post(0, newTask())
    crew.thread(0).start()
    const boom = new Error('late-boom')
    crew.worker(0).uncaught = { error: boom }
    const [{ error } = { error: undefined }] = judged({ exitCode: 1, error: new Error('less telling') })
    expect(error).toMatchObject({ cause: boom, message: 'task "work" ended its worker: late-boom' })
    expect(error!.stack).toContain('in the worker: Error: late-boom')
  })

  test("else Node's own error, else the exit code", () => {
    newCrew()
    crew.post(0, newTask())
    crew.thread(0).start()
    const heap = Object.assign(new Error('out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
    expect(judged({ exitCode: 1, error: heap })[0]!.error).toMatchObject({ cause: heap, exitCode: 1 })
    expect(judged({ exitCode: 7 })[0]!.error.message).toBe('task "work" ended its worker: exit code 7')
    expect(judged({ exitCode: 7 })[0]!.error.cause).toBeUndefined()
  })

  test('a reason may be anything that can be thrown', () => {
    newCrew()
    crew.worker(0).uncaught = { error: null }
    crew.post(0, newTask())
    crew.thread(0).start()
    expect(judged()[0]!.error.message).toBe('task "work" ended its worker: null')
  })
})

test('an unknown task is named', () => {
  newCrew()
  expect(unknownTaskError(newTask({ name: 'typo' }), 'file:///t.js', ['type', 'work'])).toMatchObject({
    code: 'EVENKEEL_UNKNOWN_TASK',
    task: 'typo',
    message: `file:///t.js exports no task "typo"; did you mean 'type'?`,
  })
})
