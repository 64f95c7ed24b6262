import { expect, test } from 'vitest'
import { leakRun } from './leak-run.js'

test('a million tasks over twelve dispatchers leave heap, listeners, ports, timers and claim words where they were', async () => {
  const { heapPerTask, held, left } = await leakRun(12, 1_000_000)
  expect(held).toEqual([])
  expect(left).toEqual([])
  // Less than a single kept reference a task.
  expect(heapPerTask).toBeLessThan(4)
}, 300_000)
