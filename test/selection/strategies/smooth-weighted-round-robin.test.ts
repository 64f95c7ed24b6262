import '../../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CandidateList } from '../../../src/selection/candidate-list.js'
import {
  SmoothRotation,
  smoothWeightedRoundRobin,
} from '../../../src/selection/strategies/smooth-weighted-round-robin.js'
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

function turn(rotation: SmoothRotation, weights: readonly number[], out: readonly number[] = []): number {
  const candidates = new CandidateList()
  candidates.refresh(new FakeLoadView(weights.map((_, index) => ({ candidate: !out.includes(index) }))))
  for (let k = 0; k < candidates.count; k++) candidates.values[k] = weights[candidates.items[k]!]!
  return rotation.next(candidates, weights.length)
}

describe('SmoothRotation', () => {
  test('weights 5, 1, 1 go through the seven steps of the source and start anew', () => {
    const rotation = new SmoothRotation()
    const steps = Array.from({ length: 7 }, () => {
      const winner = turn(rotation, [5, 1, 1])
      return [winner, rotation.credit(0), rotation.credit(1), rotation.credit(2)]
    })
    expect(steps).toEqual([
      [0, -2, 1, 1],
      [0, -4, 2, 2],
      [1, 1, -4, 3],
      [0, -1, -3, 4],
      [2, 4, -2, -2],
      [0, 2, -1, -1],
      [0, 0, 0, 0],
    ])
  })

  test('in one round every worker wins as often as its weight says', () => {
    const weights = fc
      .array(fc.nat(9), { minLength: 1, maxLength: 8 })
      .filter((list) => list.some((weight) => weight > 0))
    fc.assert(
      fc.property(weights, (list) => {
        const rotation = new SmoothRotation()
        const wins = list.map(() => 0)
        const round = list.reduce((sum, weight) => sum + weight, 0)
        for (let k = 0; k < round; k++) wins[turn(rotation, list)]!++
        expect(wins).toEqual(list)
      }),
    )
  })

  test('all weights 0 count alike, and a weight of 0 beside others never wins', () => {
    const rotation = new SmoothRotation()
    expect([0, 1, 2, 3].map(() => turn(rotation, [0, 0]))).toEqual([0, 1, 0, 1])
    for (let k = 0; k < 20; k++) expect(turn(rotation, [3, 0, 1])).not.toBe(1)
  })

  test('a worker left out wins nothing, and the credits still sum to 0', () => {
    const rotation = new SmoothRotation()
    for (let k = 0; k < 50; k++) {
      const out = k % 4
      expect(turn(rotation, [3, 1, 4, 1], [out])).not.toBe(out)
      expect([0, 1, 2, 3].reduce((sum, index) => sum + rotation.credit(index), 0)).toBe(0)
    }
  })

  test('after a reset nobody owes anything', () => {
    const rotation = new SmoothRotation()
    turn(rotation, [5, 1, 1])
    rotation.reset()
    expect([0, 1, 2, 9].map((index) => rotation.credit(index))).toEqual([0, 0, 0, 0])
  })
})
