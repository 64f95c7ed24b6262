import { expect, test } from 'vitest'
import { checkDefaults, NO_OPTIONS } from '../../src/dispatcher/options/run-options.js'
import { checkBroadcast, checkRunOnAll } from '../../src/dispatcher/whole-pool-options.js'

test('what holds for one task on each worker is accepted, what picks a worker is not', () => {
  const options = { runTimeoutMs: 5, deadlineMs: 10, tag: 'a', signal: new AbortController().signal }
  expect(checkRunOnAll(options, NO_OPTIONS)).toEqual(options)
  const refused = [
    { key: 'a' },
    { share: 'a' },
    { transfer: [] },
    { retries: { times: 1 } },
    { delayMs: 1 },
    { slot: 1 },
  ]
  for (const wrong of refused) {
    expect(() => checkRunOnAll(wrong, NO_OPTIONS)).toThrow(expect.objectContaining({ option: Object.keys(wrong)[0] }))
  }
})

test('a broadcast is replayed unless told otherwise', () => {
  expect([{}, { replay: 'last' }, { replay: 'none' }].map(checkBroadcast)).toEqual(['all', 'last', 'none'])
  expect(() => checkBroadcast({ replay: true })).toThrow(TypeError)
  expect(() => checkBroadcast({ replay: 'first' })).toThrow(RangeError)
  expect(() => checkBroadcast({ replays: 'all' })).toThrow(expect.objectContaining({ option: 'replays' }))
})

test('of the defaults of a pool, a call on all workers takes the limits that it has', () => {
  const defaults = checkDefaults({
    priority: 3,
    runTimeoutMs: 5,
    queueTimeoutMs: 6,
    deadlineMs: 7,
    retries: { times: 1 },
  })
  expect(checkRunOnAll({ deadlineMs: 9 }, defaults)).toEqual({ runTimeoutMs: 5, deadlineMs: 9 })
})
