import { expect, test } from 'vitest'
import { listen } from '../../src/metrics/observed-pool.js'
import { FakeObservedPool } from './observed.js'

test('listeners are called with their events until the end, and other events have none', () => {
  const pool = new FakeObservedPool()
  const heard: unknown[] = []
  const unlisten = listen(pool, { drain: () => heard.push('drain'), overload: ({ queued }) => heard.push(queued) })
  pool.emit('overload', { workers: 1, queued: 5 })
  pool.emit('drain')
  expect(pool.eventNames().sort()).toEqual(['drain', 'overload'])
  unlisten()
  pool.emit('drain')
  expect({ heard, listening: pool.listening }).toEqual({ heard: [5, 'drain'], listening: 0 })
})
