import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { leastOutstanding } from '../../../src/selection/strategies/least-outstanding.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { scripted, tally } from '../../support/seeded-picks.js'

describe('least-outstanding', () => {
  test('takes the candidate with the fewest, without a draw', () => {
    const view = new FakeLoadView([{ outstanding: 4 }, { outstanding: 0, candidate: false }, { outstanding: 2 }])
    expect(leastOutstanding.create({}, { random: scripted() }).pick(view, {})).toBe(2)
  })

  test('draws among ties, each alike (chi-square, p = 0.001)', () => {
    const view = new FakeLoadView([{ outstanding: 1 }, { outstanding: 1 }, { outstanding: 3 }, { outstanding: 1 }])
    const counts = tally(leastOutstanding.create({}, { random: seededRandom(1) }), view, 30_000)
    expect(misfit(counts, [1, 1, 0, 1])).toBeLessThan(1)
  })
})
