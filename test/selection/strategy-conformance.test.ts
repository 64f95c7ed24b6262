/** What every strategy of the catalogue must do, at every size of pool and under every change of it. */
import '../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { catalogue, createStrategy, type StrategySpec } from '../../src/selection/catalogue.js'
import type { SelectionStrategy } from '../../src/selection/load-view.js'
import { FakeLoadView, type FakeWorker } from '../support/fake-load-view.js'
import { picks } from '../support/seeded-picks.js'

const SIZES = [1, 2, 4, 64, 65, 1000]

/** Every entry with its defaults, and the settings that take another path through the code. */
const variants: StrategySpec[] = [
  ...catalogue.map((entry) => ({ name: entry.name })),
  { name: 'range-table', draws: 1, steepness: 1, signal: 'reported' },
  { name: 'range-table', draws: 2, signal: 'reported' },
  { name: 'range-table', draws: 1, steepness: 0.5 },
  { name: 'weighted-random', weights: [5, 3, 2] },
  { name: 'weighted-random-subtract', weights: [5, 3, 2] },
  { name: 'weighted-round-robin', weights: [5, 3, 2] },
  { name: 'smooth-weighted-round-robin', weights: [5, 3, 2] },
  { name: 'dynamic-feedback', weights: [0.25, 0.5, 1] },
  { name: 'consistent-hash', points: 8, spill: 'ring' },
]

function make(spec: StrategySpec, seed: number): SelectionStrategy {
  return createStrategy(spec, { random: seededRandom(seed) })
}

function randomWorker(random: () => number): FakeWorker {
  return {
    candidate: random() < 0.6,
    load: Math.floor(random() * 101),
    outstanding: Math.floor(random() * 9),
    reportedLoad: Math.floor(random() * 101),
    reportedDepth: Math.floor(random() * 9),
    reportAgeMs: random() * 20,
  }
}

function randomView(size: number, seed: number): FakeLoadView {
  const random = seededRandom(seed)
  return new FakeLoadView(Array.from({ length: size }, () => randomWorker(random)))
}

/** A task with one of a few keys, or without. */
function taskOf(random: () => number): { key?: string } {
  return random() < 0.5 ? {} : { key: `key-${Math.floor(random() * 50)}` }
}

function expectRightful(strategy: SelectionStrategy, view: FakeLoadView, task: { key?: string }): void {
  const index = strategy.pick(view, task)
  const anybody = Array.from({ length: view.size }, (_, k) => k).some((k) => view.isCandidate(k))
  if (anybody) expect(index >= 0 && index < view.size && view.isCandidate(index), `picked ${index}`).toBe(true)
  else expect(index).toBe(-1)
}

describe.each(variants.map((spec) => [JSON.stringify(spec), spec] as const))('%s', (_, spec) => {
  test.each(SIZES)('picks a candidate whenever there is one, among %i workers whose loads change', (size) => {
    const random = seededRandom(size)
    const view = randomView(size, size)
    const strategy = make(spec, 1)
    for (let round = 0; round < 150; round++) {
      view.set(Math.floor(random() * size), randomWorker(random))
      expectRightful(strategy, view, taskOf(random))
    }
  })

  test.each(SIZES)('says -1 when none of %i is a candidate, and goes on when one comes back', (size) => {
    const view = new FakeLoadView(Array.from({ length: size }, () => ({ candidate: false })))
    const strategy = make(spec, 1)
    for (const task of [{}, { key: 'a' }]) {
      expect(strategy.pick(view, task)).toBe(-1)
      for (const index of new Set([0, size >> 1, size - 1])) {
        view.set(index, { candidate: true })
        expect(picks(strategy, view, 3, task)).toEqual([index, index, index])
        view.set(index, { candidate: false })
      }
      expect(strategy.pick(view, task)).toBe(-1)
    }
  })

  test('says -1 for a pool without workers', () => {
    expect(make(spec, 1).pick(new FakeLoadView(0), {})).toBe(-1)
    expect(make(spec, 1).pick(new FakeLoadView(0), { key: 'a' })).toBe(-1)
  })

  test('takes a single candidate at once, without a draw', () => {
    const view = new FakeLoadView([{ candidate: false }, { load: 100, reportedLoad: 100 }, { candidate: false }])
    let draws = 0
    const random = () => {
      draws++
      return 0.5
    }
    expect(createStrategy(spec, { random }).pick(view, {})).toBe(1)
    expect(draws).toBe(0)
  })

  test('a seed determines every pick', () => {
    for (const size of [4, 65]) {
      const [one, other] = [make(spec, 7), make(spec, 7)]
      const view = randomView(size, 3)
      expect(picks(one, view, 200)).toEqual(picks(other, view, 200))
    }
  })

  test('bears workers that come, go and are replaced, told of it or not', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 60, max: 70 }))
    fc.assert(
      fc.property(fc.array(fc.tuple(size, fc.boolean()), { minLength: 1, maxLength: 12 }), fc.nat(), (steps, seed) => {
        const random = seededRandom(seed)
        const strategy = make(spec, seed)
        const view = new FakeLoadView(3)
        for (const [workers, told] of steps) {
          view.resize(workers)
          if (workers > 0) view.set(Math.floor(random() * workers), randomWorker(random))
          if (told) strategy.membershipChanged?.(view)
          for (let k = 0; k < 5; k++) expectRightful(strategy, view, taskOf(random))
        }
      }),
      { numRuns: 30 },
    )
  })

  test('neither changes the view nor keeps a worker from being picked again', () => {
    const view = randomView(8, 5)
    const before = JSON.stringify(Array.from({ length: 8 }, (__, index) => [view.load(index), view.outstanding(index)]))
    const version = view.version
    picks(make(spec, 2), view, 50)
    expect(view.version).toBe(version)
    expect(JSON.stringify(Array.from({ length: 8 }, (__, index) => [view.load(index), view.outstanding(index)]))).toBe(
      before,
    )
  })
})
