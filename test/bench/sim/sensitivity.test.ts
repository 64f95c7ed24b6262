/**
 * Faults planted into the range table must show in its anchors: a bound that no fault can break would prove nothing.
 * The tests named "the real table" are the ones such a fault makes fail.
 */

import { describe, expect, test } from 'vitest'
import { pushDispatch } from '../../../bench/sim/dispatch-push.js'
import { depthLoad } from '../../../bench/sim/load-rule.js'
import { strategyOf } from '../../../bench/sim/systems.js'
import type { LoadView, SelectionStrategy } from '../../../src/selection/load-view.js'
import { off, play, pool, pushed } from './play.js'

const spec = { name: 'range-table', draws: 1, steepness: 1 } as const
const TASKS = 100_000

/** The published mean of one draw on exact counts, load full at ten tasks. */
const PUBLISHED = 3.94

function planted(fault: (strategy: SelectionStrategy) => SelectionStrategy, capacity = 10): number {
  const strategy = pushDispatch({ strategy: (run) => fault(strategyOf(spec)(run)), load: depthLoad(capacity) })
  return play(pool(), strategy, TASKS).mean
}

function seenThrough(
  change: (view: LoadView) => Partial<LoadView>,
): (strategy: SelectionStrategy) => SelectionStrategy {
  return (strategy) => ({
    name: strategy.name,
    pick: (view, task) => {
      const seen: LoadView = {
        size: view.size,
        version: view.version,
        isCandidate: (index) => view.isCandidate(index),
        load: (index) => view.load(index),
        outstanding: (index) => view.outstanding(index),
        reportedLoad: (index) => view.reportedLoad(index),
        reportedDepth: (index) => view.reportedDepth(index),
        reportAgeMs: (index) => view.reportAgeMs(index),
        ...change(view),
      }
      return strategy.pick(seen, task)
    },
  })
}

describe('one draw from the table on exact counts', () => {
  test('the real table has the published mean within 8 %', () => {
    expect(
      off(
        planted((strategy) => strategy),
        PUBLISHED,
      ),
    ).toBeLessThan(0.08)
  })

  test('a range off by one, so that the neighbour is picked, misses it by far', () => {
    const shifted = planted((strategy) => ({
      name: strategy.name,
      pick: (view, task) => (strategy.pick(view, task) + 1) % view.size,
    }))
    expect(off(shifted, PUBLISHED)).toBeGreaterThan(1)
  })

  test('a load that is ignored makes it random dispatch', () => {
    expect(off(planted(seenThrough(() => ({ load: () => 50 }))), PUBLISHED)).toBeGreaterThan(1)
  })

  test('a load read the wrong way round misses it by far', () => {
    expect(
      off(planted(seenThrough((view) => ({ load: (index) => 100 - view.load(index) }))), PUBLISHED),
    ).toBeGreaterThan(1)
  })
})

describe('the width of a full worker, 100 - load + 1', () => {
  // With a load that is full at one task the widths are 101 and 1: join the idle queue, with a small leak. Without the
  // "+ 1" a full worker has no width, tasks wait centrally, and the mean falls to that of a central queue.
  const full = pushed(spec, { capacity: 1 })

  test('the real table with loads of 0 and 100 behaves as join-idle-queue does, 2.43 within 12 %', () => {
    expect(off(play(pool(), full, TASKS).mean, 2.43)).toBeLessThan(0.12)
  })

  test('a width of 100 - load would be a central queue instead', () => {
    const gone = planted(
      seenThrough((view) => ({ isCandidate: (index) => view.isCandidate(index) && view.load(index) < 100 })),
      1,
    )
    expect(off(gone, 2.43)).toBeGreaterThan(0.25)
  })
})
