import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { twoChoices } from '../../../src/selection/strategies/two-choices.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

describe('two-choices', () => {
  test('the two are different, so that the busier of two workers never wins', () => {
    const view = new FakeLoadView([{ outstanding: 5 }, { outstanding: 4 }])
    expect(tally(twoChoices.create({}, { random: seededRandom(1) }), view, 500)).toEqual([0, 500])
  })

  test('among equals the first draw wins', () => {
    expect(picks(twoChoices.create({}, { random: scripted(0.5, 0, 0.99, 0.99) }), new FakeLoadView(3), 2)).toEqual([
      1, 2,
    ])
  })

  test('with distinct counts a worker wins as often as the pairs it beats (chi-square, p = 0.001)', () => {
    const view = new FakeLoadView([3, 1, 0, 2].map((outstanding) => ({ outstanding })))
    const counts = tally(twoChoices.create({}, { random: seededRandom(2) }), view, 60_000)
    expect(misfit(counts, [0, 2, 3, 1])).toBeLessThan(1)
  })

  test('a single candidate takes no draw', () => {
    const view = new FakeLoadView([{ candidate: false }, {}])
    expect(twoChoices.create({}, { random: scripted() }).pick(view, {})).toBe(1)
  })
})
