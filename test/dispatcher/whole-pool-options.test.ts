import { expect, test } from 'vitest'
import { checkBroadcast, checkRunOnAll } from '../../src/dispatcher/whole-pool-options.js'

test('what holds for one task on each worker is accepted, what picks a worker is not', () => {
  const options = { runTimeoutMs: 5, deadlineMs: 10, tag: 'a', signal: new AbortController().signal }
  expect(checkRunOnAll(options)).toEqual(options)
  const refused = [
    { key: 'a' },
    { share: 'a' },
    { transfer: [] },
    { retries: { times: 1 } },
    { delayMs: 1 },
    { slot: 1 },
  ]
  for (const wrong of refused) {
    expect(() => checkRunOnAll(wrong)).toThrow(expect.objectContaining({ option: Object.keys(wrong)[0] }))
  }
})

test('a broadcast is replayed unless told otherwise', () => {
  expect([{}, { replay: 'last' }, { replay: 'none' }].map(checkBroadcast)).toEqual(['all', 'last', 'none'])
  expect(() => checkBroadcast({ replay: true })).toThrow(TypeError)
  expect(() => checkBroadcast({ replay: 'first' })).toThrow(RangeError)
  expect(() => checkBroadcast({ replays: 'all' })).toThrow(expect.objectContaining({ option: 'replays' }))
})
