import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { weightedRandom } from '../../../src/selection/strategies/weighted-random.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

describe('weighted-random', () => {
  test('weights 6, 3, 1: draws 0 and 5 go to the first, 6 and 8 to the second, 9 to the third', () => {
    const random = scripted(...[0, 5, 6, 8, 9].map((draw) => draw / 10))
    expect(picks(weightedRandom.create({ weights: [6, 3, 1] }, { random }), new FakeLoadView(3), 5)).toEqual([
      0, 0, 1, 1, 2,
    ])
  })

  test('weights 5, 3, 2: offset 7 goes to the second', () => {
    const strategy = weightedRandom.create({ weights: [5, 3, 2] }, { random: scripted(0.7) })
    expect(strategy.pick(new FakeLoadView(3), {})).toBe(1)
  })

  test('draws of the ranges that the source leaves out have an owner: 5 to 6 and 8 to 9', () => {
    const random = scripted(0.55, 0.85)
    expect(picks(weightedRandom.create({ weights: [6, 3, 1] }, { random }), new FakeLoadView(3), 2)).toEqual([0, 1])
  })

  test.each([[[6, 3, 1]], [[5, 0, 2]]])('weights %j are the shares (chi-square, p = 0.001)', (weights) => {
    const strategy = weightedRandom.create({ weights }, { random: seededRandom(6) })
    expect(misfit(tally(strategy, new FakeLoadView(3), 50_000), weights)).toBeLessThan(1)
  })

  test.each([[[4, 4, 4]], [[0, 0, 0]]])('weights %j are a uniform draw', (weights) => {
    const strategy = weightedRandom.create({ weights }, { random: seededRandom(6) })
    expect(misfit(tally(strategy, new FakeLoadView(3), 50_000), [1, 1, 1])).toBeLessThan(1)
  })

  test('without weights the widths of the table are the shares', () => {
    const view = FakeLoadView.ofLoads([0, 50, 90])
    const strategy = weightedRandom.create({}, { random: seededRandom(8) })
    expect(misfit(tally(strategy, view, 50_000), [101 ** 2, 51 ** 2, 11 ** 2])).toBeLessThan(1)
  })

  test('a worker left out gives its range to nobody in particular: the others keep their ratio', () => {
    const view = new FakeLoadView([{}, { candidate: false }, {}])
    const strategy = weightedRandom.create({ weights: [6, 3, 1] }, { random: seededRandom(2) })
    expect(misfit(tally(strategy, view, 50_000), [6, 0, 1])).toBeLessThan(1)
  })
})
