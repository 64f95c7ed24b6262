import { describe, expect, test } from 'vitest'
import {
  busyMsByThread,
  startsByInterval,
  type TaskRun,
  waitingAt,
  wastedShare,
} from '../../../bench/probes/occupation.js'

const run = (scheduledMs: number, startedMs: number, finishedMs: number, thread: number): TaskRun => ({
  scheduledMs,
  startedMs,
  finishedMs,
  thread,
})

/** Two workers: one works from 0 to 10, while a task waits from 2 to 6 and then runs on the other until 10. */
const runs = [run(0, 0, 10, 1), run(2, 6, 10, 2)]

describe('occupation of workers', () => {
  test('an idle worker beside a waiting task is waste', () => {
    // One worker idle for 4 of 2 x 10 ms.
    expect(wastedShare(runs, 2)).toBeCloseTo(0.2)
  })

  test('a task that waits for busy workers is none', () => {
    expect(wastedShare([run(0, 0, 10, 1), run(0, 10, 20, 1)], 1)).toBe(0)
  })

  test('waiting tasks are counted between their time and their start', () => {
    expect(waitingAt(runs, 0, 10, 2)).toEqual([0, 1, 1, 0, 0])
  })

  test('busy time is that of the runs', () => {
    expect([...busyMsByThread(runs)]).toEqual([
      [1, 10],
      [2, 4],
    ])
  })

  test('starts are counted by interval and thread; those outside the span are not', () => {
    expect(startsByInterval([...runs, run(11, 11, 12, 1)], [1, 2], 0, 10, 5)).toEqual([
      [1, 0],
      [0, 1],
    ])
  })
})
