import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { weightedRandomSubtract } from '../../../src/selection/strategies/weighted-random-subtract.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

const weights = [5, 3, 2]

describe('weighted-random-subtract', () => {
  test('weights 5, 3, 2: the first worker that makes r negative wins', () => {
    const random = scripted(...[0, 4.999, 5, 7.999, 8, 9.999].map((r) => r / 10))
    const winners = picks(weightedRandomSubtract.create({ weights }, { random }), new FakeLoadView(3), 6)
    expect(winners).toEqual([0, 0, 1, 1, 2, 2])
  })

  test('a worker that must not be routed to is skipped: r = 5 of 5 and 2 goes to the third', () => {
    const view = new FakeLoadView([{}, { candidate: false }, {}])
    expect(weightedRandomSubtract.create({ weights }, { random: scripted(5 / 7) }).pick(view, {})).toBe(2)
  })

  test('with nobody to route to the answer is -1 instead of a read past the end', () => {
    const view = new FakeLoadView([{ candidate: false }, { candidate: false }])
    expect(weightedRandomSubtract.create({ weights }, { random: scripted() }).pick(view, {})).toBe(-1)
  })

  test('an r that rounding leaves at 0 after the walk goes to the last worker with a weight', () => {
    // 0.1 + 0.2 is more than 0.3: the largest draw survives subtracting 0.1 and 0.2 in the other order.
    const strategy = weightedRandomSubtract.create({ weights: [0.3, 0.2, 0.1, 0] }, { random: () => 1 })
    expect(strategy.pick(new FakeLoadView(4), {})).toBe(2)
  })

  test('weights that are all 0 are a uniform draw', () => {
    const strategy = weightedRandomSubtract.create({ weights: [0, 0, 0] }, { random: seededRandom(4) })
    expect(misfit(tally(strategy, new FakeLoadView(3), 30_000), [1, 1, 1])).toBeLessThan(1)
  })

  test('without weights it draws by the widths of the reported loads (chi-square, p = 0.001)', () => {
    const view = new FakeLoadView([0, 50, 90].map((reportedLoad) => ({ reportedLoad, load: 7 })))
    const strategy = weightedRandomSubtract.create({}, { random: seededRandom(8) })
    expect(misfit(tally(strategy, view, 50_000), [101 ** 2, 51 ** 2, 11 ** 2])).toBeLessThan(1)
  })

  test('weights are computed anew after a report, not at every request', () => {
    let reads = 0
    const view = new FakeLoadView(3)
    view.reportedLoad = () => {
      reads++
      return 0
    }
    const strategy = weightedRandomSubtract.create({}, { random: seededRandom(1) })
    picks(strategy, view, 100)
    expect(reads).toBe(3)
    view.set(0, {})
    picks(strategy, view, 100)
    expect(reads).toBe(6)
  })
})
