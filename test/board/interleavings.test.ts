import { describe, expect, test } from 'vitest'
import { OrderFault, type Stepwise } from './explorer.js'
import { type Actor, play, postAgain, postBothAndTakeBack, untilEmpty } from './plays.js'
import { stepwiseClaims } from './stepwise-claims.js'
import type { TinyLane } from './tiny-lane.js'

describe('claim against revoke', () => {
  test('each of two tasks is either started or taken back, never both, in every order', () => {
    const orders = play({
      tasks: ['a', 'b'],
      actors: {
        *dispatcher(lane) {
          yield* postBothAndTakeBack(lane)
          yield* untilEmpty(lane)
        },
        worker: (lane) => lane.work(2),
      },
    })
    expect(orders).toBeGreaterThan(1_000)
  })

  test('tasks taken back and posted again on reused words are started once and get their own answers', () => {
    const orders = play({
      tasks: ['a', 'b'],
      actors: {
        *dispatcher(lane) {
          yield* postBothAndTakeBack(lane)
          yield* postAgain(lane)
          yield* untilEmpty(lane)
        },
        // As many messages as can come: both tasks, and both again.
        worker: (lane) => lane.work(4),
      },
      mayStop: ['worker'],
    })
    expect(orders).toBeGreaterThan(10_000)
  })

  test('answers that the worker holds back change nothing', () => {
    play({
      tasks: ['a', 'b'],
      actors: {
        *dispatcher(lane) {
          yield* postBothAndTakeBack(lane)
          yield* untilEmpty(lane)
        },
        worker: (lane) => lane.work(2, false),
      },
    })
  })
})

describe('finish against a request to end', () => {
  /** Asks the first task to end, and dooms it when it has not: what a time limit does. */
  function* limit(lane: TinyLane): Stepwise<void> {
    yield* lane.post('a')
    yield* lane.post('b')
    const [first] = lane.held
    // The limit counts from the start.
    yield () => lane.started.has('a')
    yield* lane.askToEnd(first!)
    yield* lane.readAnswers()
    if (lane.endings.has('a')) return yield* untilEmpty(lane)
    yield* lane.takeBack()
    if (yield* lane.doom(first!)) {
      // The thread is ended; its answers are read, then the rest is judged.
      yield
      lane.dead = true
      yield* lane.bury()
      return
    }
    yield* untilEmpty(lane)
  }

  test('a task that is doomed never answers, one that is not doomed does, and nothing is started after it', () => {
    const orders = play({
      tasks: ['a', 'b'],
      actors: { dispatcher: limit, worker: (lane) => lane.workUntilDead(2) },
      mayStop: ['worker'],
    })
    expect(orders).toBeGreaterThan(1_000)
  })

  test('asking and dooming are refused once the task is done', () => {
    let refused = 0
    play({
      tasks: ['a'],
      actors: {
        *dispatcher(lane) {
          yield* lane.post('a')
          yield () => lane.toDispatcher.length > 0
          const [first] = lane.held
          if (!(yield* lane.askToEnd(first!)) && !(yield* lane.doom(first!))) refused++
          yield* untilEmpty(lane)
        },
        worker: (lane) => lane.work(1),
      },
    })
    expect(refused).toBeGreaterThan(0)
  })
})

describe('death', () => {
  test.each([
    ['each answer sent at once', true],
    ['answers held in an outbox that dies too', false],
  ])('at any step, with %s, leaves every task settled or taken back once', (_name, flushEach) => {
    const ways = new Set<string>()
    const orders = play({
      tasks: ['a', 'b'],
      actors: {
        *dispatcher(lane) {
          yield* lane.post('a')
          yield* lane.post('b')
          yield* lane.readAnswers()
          yield () => lane.dead
          yield* lane.bury()
          ways.add(`${lane.endings.get('a')}/${lane.endings.get('b')}`)
        },
        worker: (lane) => lane.workUntilDead(2, flushEach),
        *death(lane) {
          yield
          lane.dead = true
        },
      },
    })
    expect(orders).toBeGreaterThan(1_000)
    // Answered, lost with the thread, judged as running, or taken back: each kind of end was met.
    expect(ways).toContain('answered/answered')
    expect(ways).toContain(flushEach ? 'answered/lost' : 'lost/lost')
    expect(ways).toContain('rejected/undefined')
    expect(ways).toContain('undefined/undefined')
  })

  test('beside a take-back in progress doubles nothing', () => {
    play({
      tasks: ['a', 'b'],
      actors: {
        *dispatcher(lane) {
          yield* postBothAndTakeBack(lane)
          yield () => lane.dead
          yield* lane.bury()
        },
        worker: (lane) => lane.workUntilDead(2),
        *death(lane) {
          yield
          lane.dead = true
        },
      },
    })
  })
})

describe('a blocked lane', () => {
  test('can be cycled only as often as it has words: then the worker must skip first', () => {
    play({
      tasks: ['a', 'b', 'c'],
      actors: {
        *dispatcher(lane) {
          for (const task of ['a', 'b', 'c']) {
            if (lane.freeWords === 0) {
              lane.queue.push(task)
              continue
            }
            yield* lane.post(task)
            yield* lane.takeBack()
          }
          yield* untilEmpty(lane)
        },
        worker: (lane) => lane.work(2),
      },
    })
  })
})

describe('planted faults are found', () => {
  /** A dispatcher that frees the word as soon as it has taken the task back. */
  const freeingAtRevoke: Actor = function* (lane) {
    yield* lane.post('a')
    const revoked: number[] = []
    yield* lane.takeBack((key) => revoked.push(key))
    for (const key of revoked) yield* lane.freeWord(key)
    yield* postAgain(lane)
    yield* untilEmpty(lane)
  }

  test('a word that is freed at revoke', () => {
    const faulty = () => play({ tasks: ['a'], actors: { dispatcher: freeingAtRevoke, worker: (lane) => lane.work(2) } })
    expect(faulty).toThrow(OrderFault)
    expect(faulty).toThrow('a message in flight names a free word')
  })

  test('a claim that looks first and stores afterwards', () => {
    const careless = stepwiseClaims((text) =>
      text.replace(
        'return Atomics.compareExchange(words, key & INDEX_MASK, expected, word(key, to)) === expected',
        `if (Atomics.load(words, key & INDEX_MASK) !== expected) return false
         Atomics.store(words, key & INDEX_MASK, word(key, to))
         return true`,
      ),
    )
    const faulty = () =>
      play({
        tasks: ['a', 'b'],
        claims: careless,
        actors: {
          *dispatcher(lane) {
            yield* postBothAndTakeBack(lane)
            yield* untilEmpty(lane)
          },
          worker: (lane) => lane.work(2),
        },
      })
    expect(faulty).toThrow('was started and taken back')
  })

  test('a finish that does not know of a request to end', () => {
    const deaf = stepwiseClaims((text) => text.replace(' || swap(words, key, ABORTING, DONE)', ''))
    const faulty = () =>
      play({
        tasks: ['a'],
        claims: deaf,
        actors: {
          *dispatcher(lane) {
            yield* lane.post('a')
            yield () => lane.started.has('a')
            yield* lane.askToEnd(lane.held[0]!)
            yield* untilEmpty(lane)
          },
          worker: (lane) => lane.work(1),
        },
      })
    expect(faulty).toThrow('waited for ever')
  })

  test('a dispatcher that judges a dead thread before it reads its answers', () => {
    const faulty = () =>
      play({
        tasks: ['a'],
        actors: {
          *dispatcher(lane) {
            yield* lane.post('a')
            yield () => lane.dead
            for (const { task } of [...lane.held]) lane.queue.push(task)
            yield* lane.bury()
          },
          worker: (lane) => lane.workUntilDead(1),
          *death(lane) {
            yield
            lane.dead = true
          },
        },
      })
    expect(faulty).toThrow(OrderFault)
  })
})
