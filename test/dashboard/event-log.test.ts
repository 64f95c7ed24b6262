import { expect, test } from 'vitest'
import { EventLog, MAX_EVENTS } from '../../src/dashboard/event-log.js'
import { FakeObservedPool } from '../metrics/observed.js'
import { FakeClock } from '../support/fake-clock.js'

test('events are told in words, with their worker and time', () => {
  const clock = new FakeClock(1_000)
  const pool = new FakeObservedPool()
  const log = new EventLog(pool, clock)
  pool.emit('stall', { slot: 2, threadId: 7, task: 'resize', runningMs: 300, silentMs: 279.6 })
  clock.advance(500)
  pool.emit('recover', { slot: 2, threadId: 7, stalledMs: 500 })
  pool.emit('exit', { slot: 0, exitCode: 1, expected: true, reason: 'idle', error: undefined })
  pool.emit('exit', { slot: 0, exitCode: 9, expected: false, reason: 'crash', error: undefined })
  pool.emit('exit', { slot: 1, exitCode: 1, expected: false, reason: 'crash', error: new Error('out of luck') })
  pool.emit('restart', { slot: 1, restarts: 3, delayMs: 40 })
  pool.emit('overload', { workers: 4, queued: 12 })
  pool.emit('underload', { workers: 4, queued: 0 })
  expect(log.since(0).map(({ id, atMs, kind, slot, text }) => [id, atMs, kind, slot, text])).toEqual([
    [1, 1_000, 'stall', 2, 'no sign of life for 280 ms in task "resize"'],
    [2, 1_500, 'recover', 2, 'answers again after 500 ms'],
    [3, 1_500, 'exit', 0, 'thread ended: idle'],
    [4, 1_500, 'exit', 0, 'thread died: exit code 9'],
    [5, 1_500, 'exit', 1, 'thread died: out of luck'],
    [6, 1_500, 'restart', 1, 'thread started again (3), put off 40 ms'],
    [7, 1_500, 'overload', -1, 'all 4 workers overloaded, 12 tasks queued'],
    [8, 1_500, 'underload', -1, 'all 4 workers well below capacity, 0 tasks queued'],
  ])
})

test('a reader gets what came since the event it knows, as far as that is kept', () => {
  const pool = new FakeObservedPool()
  const log = new EventLog(pool, new FakeClock())
  for (let n = 1; n <= MAX_EVENTS + 50; n++) pool.emit('overload', { workers: 1, queued: n })
  expect(log.lastId).toBe(MAX_EVENTS + 50)
  expect(log.since(0)).toHaveLength(MAX_EVENTS)
  expect(log.since(0)[0]!.id).toBe(51)
  expect(log.since(MAX_EVENTS + 48).map(({ id }) => id)).toEqual([MAX_EVENTS + 49, MAX_EVENTS + 50])
  expect(log.since(log.lastId)).toEqual([])
})

test('closed, it listens no more', () => {
  const pool = new FakeObservedPool()
  const log = new EventLog(pool, new FakeClock())
  log.close()
  pool.emit('overload', { workers: 1, queued: 1 })
  expect({ last: log.lastId, listening: pool.listening }).toEqual({ last: 0, listening: 0 })
})
