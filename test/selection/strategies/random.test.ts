import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { uniformRandom } from '../../../src/selection/strategies/random.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

describe('random', () => {
  test('picks every candidate alike, whatever its load (chi-square, p = 0.001)', () => {
    const view = new FakeLoadView([{ load: 100 }, {}, { candidate: false }, { outstanding: 9 }, {}])
    const counts = tally(uniformRandom.create({}, { random: seededRandom(3) }), view, 40_000)
    expect(misfit(counts, [1, 1, 0, 1, 1])).toBeLessThan(1)
  })

  test('the draw is scaled to the candidates without bias at either end', () => {
    const strategy = uniformRandom.create({}, { random: scripted(0, 0.2499, 0.25, 1 - 2 ** -53) })
    expect(picks(strategy, new FakeLoadView(4), 4)).toEqual([0, 0, 1, 3])
  })
})
