import { expect, test } from 'vitest'
import { threadDataOf } from '../../../src/dispatcher/crew/thread-data.js'
import { optionsOf } from '../../support/fake-crew.js'

test('a thread is told its slot, what the options say, and nothing else of them', () => {
  const options = optionsOf({ ioWindow: 7, workerData: { mine: 1 }, stdio: 'capture' })
  expect(threadDataOf(options, 5)).toEqual({
    'evenkeel:settings': {
      slot: 5,
      moduleUrl: 'file:///tasks.js',
      ioWindow: 7,
      depth: 1,
      capturesOutput: true,
      reportsHeap: false,
    },
    user: { mine: 1 },
  })
})

test('it reports its heap after every task only where a limit asks for it', () => {
  expect(threadDataOf(optionsOf({ maxHeapBytes: 1e6 }), 0)['evenkeel:settings'].reportsHeap).toBe(true)
})
