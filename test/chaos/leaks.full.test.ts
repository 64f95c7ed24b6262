import { expect, test } from 'vitest'
import { leakRun } from './leak-run.js'

const TASKS = 1_000_000

test.each([1, 12])(
  'a million tasks over %i dispatchers leave heap, listeners, ports, timers and claim words where they were',
  async (pools) => {
    const { heapPerTask, warm, busy, end, held, left } = await leakRun(pools, TASKS)
    expect(held).toEqual([])
    expect(end).toEqual(warm)
    expect(end).toMatchObject({ ports: pools, timers: 0 })
    expect([busy.timers > 0, busy.freeWords < end.freeWords, busy.listeners > end.listeners]).toEqual([
      true,
      true,
      true,
    ])
    expect(left).toEqual([])
    // Less than a single kept reference a task.
    expect(heapPerTask).toBeLessThan(4)
  },
  300_000,
)
