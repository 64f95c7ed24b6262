import { describe, expect, test } from 'vitest'
import { smoothWeightedRoundRobin } from '../../../src/selection/strategies/smooth-weighted-round-robin.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

const context = { random: scripted() }

describe('smooth-weighted-round-robin', () => {
  test('weights 5, 1, 1 go A A B A C A A, and again', () => {
    const strategy = smoothWeightedRoundRobin.create({ weights: [5, 1, 1] }, context)
    const round = [0, 0, 1, 0, 2, 0, 0]
    expect(picks(strategy, new FakeLoadView(3), 14)).toEqual([...round, ...round])
  })

  test('a change of membership forgets old debts', () => {
    const view = new FakeLoadView(3)
    const strategy = smoothWeightedRoundRobin.create({ weights: [5, 1, 1] }, context)
    picks(strategy, view, 3)
    strategy.membershipChanged?.(view)
    expect(picks(strategy, view, 7)).toEqual([0, 0, 1, 0, 2, 0, 0])
  })

  test('without weights the shares follow the widths of the table', () => {
    const view = FakeLoadView.ofLoads([0, 50, 90])
    const counts = tally(smoothWeightedRoundRobin.create({}, context), view, 12_923)
    expect(counts).toEqual([10_201, 2601, 121])
  })
})
