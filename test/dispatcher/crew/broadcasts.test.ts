import { afterEach, expect, test } from 'vitest'
import type { ReplayedCall } from '../../../src/protocol/control.js'
import { encodeError } from '../../../src/protocol/error-transfer.js'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

const call = (name: string, payload?: unknown): ReplayedCall => ({ name, payload })

/** Payloads of the calls that a thread was told to replay, one list per message. */
function told(slot: number): unknown[][] {
  pool.thread(slot).receive()
  return pool
    .thread(slot)
    .told.flatMap((message) => (message.type === 'replay' ? [message.calls.map(({ payload }) => payload)] : []))
}

test('a thread takes no task before it has run what was broadcast, in order', () => {
  pool = new FakePool({ workers: 1 })
  pool.core.broadcasts.keep(call('work', 1), false)
  pool.core.broadcasts.keep(call('other', 2), false)
  const { task } = pool.run('work', 'task')
  pool.load()
  expect([told(0), pool.worker(0).state, task.place]).toEqual([[[1, 2]], 'starting', 'queue'])
  pool.thread(0).say({ type: 'replayed' })
  pool.deliver()
  expect([pool.worker(0).isReady, task.place]).toEqual([true, 'lane'])
})

test('what is broadcast while it catches up comes next', () => {
  pool = new FakePool({ workers: 1 })
  pool.core.broadcasts.keep(call('work', 1), false)
  pool.load()
  const dropped = call('work', 'dropped')
  pool.core.broadcasts.keep(call('work', 2), false)
  pool.core.broadcasts.keep(dropped, false)
  pool.core.broadcasts.drop(dropped)
  pool.thread(0).say({ type: 'replayed' })
  pool.deliver()
  expect([told(0), pool.worker(0).isReady]).toEqual([[[1], [2]], false])
  pool.thread(0).say({ type: 'replayed' })
  pool.deliver()
  expect(pool.worker(0).isReady).toBe(true)
})

test('only the last of a name is kept where that was asked', () => {
  pool = new FakePool({ workers: 1 })
  pool.core.broadcasts.keep(call('work', 1), false)
  pool.core.broadcasts.keep(call('other', 2), false)
  pool.core.broadcasts.keep(call('work', 3), true)
  pool.load()
  expect(told(0)).toEqual([[2, 3]])
})

test('a replay that fails counts as a failed load, and is tried again in the next thread', () => {
  pool = new FakePool({ workers: 1 })
  pool.core.broadcasts.keep(call('work', 1), false)
  const { ends } = pool.run('work')
  pool.load()
  pool.thread(0).say({ type: 'replayed', error: encodeError(new Error('no such config'), () => true) })
  pool.deliver()
  expect(ends).toMatchObject([['failed', { code: 'EVENKEEL_MODULE_LOAD', slot: 0 }]])
  const later = pool.run('work', 'later')
  pool.clock.advance(6_000)
  pool.load()
  expect(told(0)).toEqual([[1]])
  pool.thread(0).say({ type: 'replayed' })
  pool.runAll()
  expect(later.ends).toEqual([['ok', 'later']])
})

test('a thread that dies while it catches up leaves no trace', () => {
  pool = new FakePool({ workers: 1 })
  pool.core.broadcasts.keep(call('work', 1), false)
  pool.load()
  pool.thread(0).die()
  pool.run('work')
  pool.clock.advance(6_000)
  pool.load()
  expect(told(0)).toEqual([[1]])
})
