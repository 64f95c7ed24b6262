import { describe, expect, test } from 'vitest'
import { roundRobin } from '../../../src/selection/strategies/round-robin.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted } from '../../support/seeded-picks.js'

const context = { random: scripted() }

describe('round-robin', () => {
  test('goes around in the order of the slots', () => {
    expect(picks(roundRobin.create({}, context), new FakeLoadView(3), 7)).toEqual([0, 1, 2, 0, 1, 2, 0])
  })

  test('steps over workers that are out and takes the turn up where it was', () => {
    const view = new FakeLoadView(4)
    const strategy = roundRobin.create({}, context)
    expect(picks(strategy, view, 2)).toEqual([0, 1])
    view.set(2, { candidate: false })
    expect(picks(strategy, view, 3)).toEqual([3, 0, 1])
    view.set(2, { candidate: true })
    expect(picks(strategy, view, 2)).toEqual([2, 3])
  })

  test('a change of membership does not restart the turn', () => {
    const view = new FakeLoadView(3)
    const strategy = roundRobin.create({}, context)
    picks(strategy, view, 2)
    view.resize(5)
    strategy.membershipChanged?.(view)
    expect(picks(strategy, view, 4)).toEqual([2, 3, 4, 0])
    view.resize(2)
    expect(picks(strategy, view, 3)).toEqual([1, 0, 1])
  })
})
