import { describe, expect, test } from 'vitest'
import { liveFigures, plottedQuantiles } from '../../../bench/probes/live-figures.js'
import type { LiveScenario } from '../../../bench/scenarios/live-scenario.js'
import type { Trace } from '../../../bench/tasks.js'

const part = { share: 1, work: 'parked', runTimes: { kind: 'fixed', ms: 10 } } as const

const scenario: LiveScenario = {
  name: 'two workers',
  title: 'one is blocked from 100 to 200 ms',
  workers: 2,
  load: 0.5,
  arrivals: { kind: 'constant' },
  mix: [part],
  fault: { kind: 'block', work: 'parked', atMs: 100, ms: 100 },
  warm: true,
  warmUpMs: 50,
  measuredMs: 300,
}

const startMs = 1_000
const blocked = 7
const healthy = 8

/** A task every 20 ms; every second one goes to the blocked worker, where it waits for the end of the block. */
function madeUpRun(lost: readonly number[] = [], doubled: readonly number[] = []) {
  const arrivals = Array.from({ length: 17 }, (_, at) => ({ atMs: at * 20, part, runMs: 10 }))
  const values = arrivals.map(({ atMs }, at): Trace | undefined => {
    if (lost.includes(at)) return undefined
    const thread = at % 2 === 0 ? blocked : healthy
    const dueMs = startMs + atMs
    const blockEndMs = startMs + scenario.warmUpMs + 200
    const stuck = thread === blocked && atMs >= scenario.warmUpMs + 100 && dueMs < blockEndMs
    const startedMs = stuck ? blockEndMs : dueMs
    return [thread, startedMs, startedMs + 10]
  })
  const latencyMs = Float64Array.from(values, (trace, at) =>
    trace === undefined ? Number.NaN : trace[2] - startMs - arrivals[at]!.atMs,
  )
  return liveFigures({
    scenario,
    arrivals,
    times: { latencyMs, values, settled: 17 - lost.length, rejected: 0, generatorLateShare: 0, startMs },
    starts: Int32Array.from(arrivals, (_, at) => (doubled.includes(at) ? 2 : 1)),
    blockedThread: blocked,
  })
}

describe('figures of a live scenario', () => {
  const { measures, series } = madeUpRun()

  test('count no task of the warm-up', () => {
    // Tasks due at 0, 20 and 40 ms came before the measured time.
    expect(measures.tasks).toBe(14)
  })

  test('show the share of tasks that went to the blocked worker while it was blocked', () => {
    // Due in the block: 160, 180, 200, 220, 240 ms; to the blocked worker: 160, 200, 240.
    expect(measures.pileOn).toBeCloseTo(3 / 5)
  })

  test('show the wait behind the block in the tail only', () => {
    expect(measures.p50Ms).toBeCloseTo(10)
    // Due at 160, run at the end of the block at 250 ms.
    expect(measures.maxMs).toBeCloseTo(100)
  })

  test('show when the tasks that waited were served again', () => {
    expect(measures.recoveryMs).toBe(0)
    expect(measures.wastedShare).toBeGreaterThan(0)
  })

  test('say nothing of the 99.9th percentile of so few', () => {
    expect(measures.p999Ms).toBeUndefined()
  })

  test('count lost and doubled tasks', () => {
    expect(measures).toMatchObject({ lostTasks: 0, doubledTasks: 0 })
    expect(madeUpRun([5, 6], [9]).measures).toMatchObject({ lostTasks: 2, doubledTasks: 1 })
  })

  test('hold a time line per worker, the blocked one first, and the quantiles of the plot', () => {
    expect(series!.quantilesMs).toHaveLength(plottedQuantiles.length)
    // Bins of 50 ms from 50 ms on; the blocked worker starts nothing in the third and fourth.
    expect(series!['worker 0']!.slice(2, 4)).toEqual([0, 0])
    expect(series!['worker 1']!.slice(2, 4).every((count) => count > 0)).toBe(true)
  })
})
