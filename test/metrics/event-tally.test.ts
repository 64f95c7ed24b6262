import { expect, test } from 'vitest'
import type { ExitReason } from '../../src/dispatcher/options/events.js'
import { EventTally } from '../../src/metrics/event-tally.js'
import { FakeClock } from '../support/fake-clock.js'
import { FakeObservedPool } from './observed.js'

const stallOf = (slot: number) => ({ slot, threadId: 1, task: 'spin', runningMs: 300, silentMs: 300 })
const exitOf = (reason: ExitReason) => ({
  slot: 0,
  exitCode: 1,
  expected: reason !== 'crash',
  reason,
  error: undefined,
})

test('stalls add up, and one that lasts counts as far as it has come', () => {
  const clock = new FakeClock()
  const pool = new FakeObservedPool()
  const tally = new EventTally(pool, clock)
  pool.emit('stall', stallOf(1))
  clock.advance(500)
  expect([tally.stalledMs(0), tally.stalledMs(1)]).toEqual([0, 500])
  pool.emit('recover', { slot: 1, threadId: 1, stalledMs: 500 })
  clock.advance(1_000)
  pool.emit('stall', stallOf(1))
  clock.advance(250)
  expect(tally.stalledMs(1)).toBe(750)
})

test('a stall ends with its thread', () => {
  const clock = new FakeClock()
  const pool = new FakeObservedPool()
  const tally = new EventTally(pool, clock)
  pool.emit('stall', stallOf(0))
  clock.advance(400)
  pool.emit('exit', exitOf('idle'))
  clock.advance(400)
  expect(tally.stalledMs(0)).toBe(400)
})

test('ends of threads are told apart by their cause', () => {
  const pool = new FakeObservedPool()
  const tally = new EventTally(pool, new FakeClock())
  for (const reason of ['crash', 'recycle', 'crash', 'oom'] as const) pool.emit('exit', exitOf(reason))
  expect(tally.exits).toEqual({ idle: 0, recycle: 1, crash: 2, oom: 1, timeout: 0, load: 0, shutdown: 0 })
})

test('pressure and drains are counted until it is closed, which leaves no listener', () => {
  const pool = new FakeObservedPool()
  const tally = new EventTally(pool, new FakeClock())
  const tellAll = () => {
    pool.emit('overload', { workers: 2, queued: 3 })
    pool.emit('underload', { workers: 2, queued: 0 })
    pool.emit('drain')
  }
  tellAll()
  tally.close()
  tellAll()
  expect([tally.overloads, tally.underloads, tally.drains, pool.listening]).toEqual([1, 1, 1, 0])
})
