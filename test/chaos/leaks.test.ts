import { expect, test } from 'vitest'
import { leakRun } from './leak-run.js'

test('100,000 tasks over twelve dispatchers leave heap, listeners, ports, timers and claim words where they were', async () => {
  const { heapPerTask, warm, busy, end, held, left } = await leakRun(12, 100_000)
  expect(held).toEqual([])
  expect(end).toEqual(warm)
  expect(end).toMatchObject({ ports: 12, timers: 0 })
  expect([busy.timers > 0, busy.freeWords < end.freeWords, busy.listeners > end.listeners]).toEqual([true, true, true])
  expect(left).toEqual([])
  // A single kept reference a task is 8 bytes; what is measured is the noise of everything else in this process.
  expect(heapPerTask).toBeLessThan(25)
}, 120_000)
