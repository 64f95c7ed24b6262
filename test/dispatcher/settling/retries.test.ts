import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import type { RetryOptions } from '../../../src/dispatcher/options/run-options.js'
import { Delays } from '../../../src/dispatcher/places/delays.js'
import { Retries, retryDelayMs, tellEarlier } from '../../../src/dispatcher/settling/retries.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { FakeClock } from '../../support/fake-clock.js'
import { newTask } from '../../support/new-task.js'
import '../../support/seeded-properties.js'

class Scene {
  readonly clock = new FakeClock()
  readonly again: Task[] = []
  readonly delays = new Delays(this.clock)
  readonly retries = new Retries(this.delays, () => 0.5)

  constructor() {
    this.delays.connect({ timeHasCome: (task) => this.again.push(task) })
  }
}

function lost(retries?: RetryOptions): Task {
  const task = newTask({ options: retries === undefined ? {} : { retries } })
  task.place = 'lane'
  task.slot = 2
  return task
}

describe('whether', () => {
  test('nothing is retried unless its owner asked', () => {
    const { retries, clock } = new Scene()
    expect(retries.retry(lost(), 'worker-loss', new Error('attempt'))).toBe(false)
    expect(retries.retry(lost({ times: 0 }), 'worker-loss', new Error('attempt'))).toBe(false)
    expect(clock.timers).toBe(0)
  })

  test('a lost worker is retried by default, a throw only with any', () => {
    const { retries } = new Scene()
    expect(retries.retry(lost({ times: 1 }), 'worker-loss', new Error('attempt'))).toBe(true)
    expect(retries.retry(lost({ times: 1 }), 'thrown', new Error('attempt'))).toBe(false)
    expect(retries.retry(lost({ times: 1, on: 'worker-loss' }), 'thrown', new Error('attempt'))).toBe(false)
    expect(retries.retry(lost({ times: 1, on: 'any' }), 'thrown', new Error('attempt'))).toBe(true)
    expect(retries.retry(lost({ times: 1, on: 'any' }), 'worker-loss', new Error('attempt'))).toBe(true)
  })

  test('as often as asked and no more', () => {
    const { retries, clock, again } = new Scene()
    const task = lost({ times: 2, on: 'any' })
    const asked = [1, 2, 3].map(() => {
      const retried = retries.retry(task, 'thrown', new Error('attempt'))
      clock.advance(10_000)
      return retried
    })
    expect(asked).toEqual([true, true, false])
    expect(again).toEqual([task, task])
    expect(task.attempt).toBe(3)
  })

  test('a task that was asked to end is not tried again', () => {
    const { retries } = new Scene()
    const task = lost({ times: 9, on: 'any' })
    task.ending = new Error('aborted')
    expect(retries.retry(task, 'thrown', new Error('attempt'))).toBe(false)
  })

  test('a task whose payload was moved to a worker is not tried again: the payload is gone', () => {
    const { retries } = new Scene()
    const task = newTask({ options: { retries: { times: 9, on: 'any' }, transfer: [new ArrayBuffer(1)] } })
    expect(retries.retry(task, 'worker-loss', new Error('attempt'))).toBe(false)
    expect(
      retries.retry(newTask({ options: { retries: { times: 9 }, transfer: [] } }), 'worker-loss', new Error('attempt')),
    ).toBe(true)
  })

  test('a task that brought down three workers is refused for good', () => {
    const { retries } = new Scene()
    const task = lost({ times: 99 })
    const error = new EvenkeelError('EVENKEEL_WORKER_EXIT', 'it died')
    task.crashes = 2
    expect(retries.finalError(task, error)).toBe(error)
    expect(retries.retry(task, 'worker-loss', new Error('attempt'))).toBe(true)
    task.crashes = 3
    expect(retries.retry(task, 'worker-loss', new Error('attempt'))).toBe(false)
    expect(retries.finalError(task, error)).toMatchObject({
      code: 'EVENKEEL_POISON',
      cause: error,
      task: 'work',
      attempts: 2,
      retryable: false,
    })
  })
})

describe('when', () => {
  test('it waits with back-off, held by no worker, and returns once', () => {
    const { retries, delays, clock, again } = new Scene()
    const task = lost({ times: 2, backoffMs: 40 })
    retries.retry(task, 'worker-loss', new Error('attempt'))
    expect(task).toMatchObject({ place: 'delay', slot: -1, attempt: 2 })
    expect([...delays]).toEqual([task])
    clock.advance(39)
    expect(again).toEqual([])
    clock.advance(1)
    expect(again).toEqual([task])
    expect([...delays]).toEqual([])
    retries.retry(task, 'worker-loss', new Error('attempt'))
    clock.advance(79)
    expect(again).toHaveLength(1)
    clock.advance(1)
    expect(again).toHaveLength(2)
    expect(clock.timers).toBe(0)
  })

  test('the first wait is 100 ms where none is given', () => {
    const { retries, clock, again } = new Scene()
    retries.retry(lost({ times: 1 }), 'worker-loss', new Error('attempt'))
    clock.advance(99)
    expect(again).toHaveLength(0)
    clock.advance(1)
    expect(again).toHaveLength(1)
  })

  test('a removed task does not return, and leaves no timer', () => {
    const { retries, delays, clock, again } = new Scene()
    const task = lost({ times: 1 })
    retries.retry(task, 'worker-loss', new Error('attempt'))
    delays.remove(task)
    expect(clock.timers).toBe(0)
    expect([...delays]).toEqual([])
    clock.advance(1_000)
    expect(again).toEqual([])
  })
})

describe('what earlier attempts ended with', () => {
  const triedAgain = (errors: unknown[]) => {
    const { retries, clock } = new Scene()
    const task = lost({ times: 99, on: 'any' })
    for (const error of errors) {
      retries.retry(task, 'thrown', error)
      clock.advance(1e9)
    }
    return task
  }

  test('stands on the last error, the latest ten', () => {
    const task = triedAgain([
      ...Array.from({ length: 14 }, (_, index) => new Error(`attempt ${index + 1}`)),
      'a string',
    ])
    for (const last of [new TypeError('last'), new EvenkeelError('EVENKEEL_TIMEOUT', 'last')]) {
      tellEarlier(task, last)
      const { earlierErrors } = last as EvenkeelError
      expect(earlierErrors).toHaveLength(10)
      expect([(earlierErrors![0] as Error).message, earlierErrors![9]]).toEqual(['attempt 6', 'a string'])
    }
  })

  test('changes nothing that is frozen, no error, not the attempt’s own, or shared by several tasks', () => {
    const task = triedAgain([new Error('first')])
    const frozen = Object.freeze(new Error('frozen'))
    const taken = Object.assign(new Error('taken'), { earlierErrors: 'mine' })
    for (const last of [frozen, taken, 'text', null, undefined, 5, { message: 'none' }]) tellEarlier(task, last)
    expect(Object.hasOwn(frozen, 'earlierErrors')).toBe(false)
    expect(taken.earlierErrors).toBe('mine')
    const shared = new EvenkeelError('EVENKEEL_MODULE_LOAD', 'shared')
    task.ending = new Error('thrown by a listener')
    for (const last of [shared, task.ending as Error]) {
      tellEarlier(task, last)
      expect(Object.hasOwn(last, 'earlierErrors')).toBe(false)
    }
  })

  test('is not told of a task that was tried once', () => {
    const last = new Error('only')
    tellEarlier(lost(), last)
    expect(Object.keys(last)).toEqual([])
  })
})

describe('the wait before a retry', () => {
  test('the middle of the draw doubles with each attempt', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(100, attempt, () => 0.5))).toEqual([100, 200, 400, 800])
  })

  test('the draw moves it between half and one and a half', () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(unit, fc.integer({ min: 1, max: 1_000_000 }), fc.nat(60_000), (draw, attempt, backoffMs) => {
        const middle = backoffMs * 2 ** Math.min(30, attempt - 1)
        const delayMs = retryDelayMs(backoffMs, attempt, () => draw)
        expect(delayMs).toBeGreaterThanOrEqual(middle * 0.5)
        expect(delayMs).toBeLessThanOrEqual(middle * 1.5)
      }),
    )
  })
})
