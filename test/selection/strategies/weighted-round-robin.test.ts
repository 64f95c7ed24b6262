import { describe, expect, test } from 'vitest'
import { callOffset, weightedRoundRobin } from '../../../src/selection/strategies/weighted-round-robin.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted } from '../../support/seeded-picks.js'

const context = { random: scripted() }

describe('weighted-round-robin', () => {
  test('weights 2, 5, 1: calls 1 to 10 go A A B B B B B C A A, call 100 to B', () => {
    const winners = picks(weightedRoundRobin.create({ weights: [2, 5, 1] }, context), new FakeLoadView(3), 100)
    expect(winners.slice(0, 10)).toEqual([0, 0, 1, 1, 1, 1, 1, 2, 0, 0])
    expect(winners[99]).toBe(1)
  })

  test('weights 5, 1, 1 show its weakness, a burst on the first', () => {
    const strategy = weightedRoundRobin.create({ weights: [5, 1, 1] }, context)
    expect(picks(strategy, new FakeLoadView(3), 7)).toEqual([0, 0, 0, 0, 0, 1, 2])
  })

  test('a total of 0 is a plain turn and throws nothing', () => {
    const strategy = weightedRoundRobin.create({ weights: [0, 0, 0] }, context)
    expect(picks(strategy, new FakeLoadView(3), 4)).toEqual([0, 1, 2, 0])
  })

  test('equal weights go around without a restart', () => {
    const strategy = weightedRoundRobin.create({ weights: [1, 1, 1] }, context)
    expect(picks(strategy, new FakeLoadView(3), 6)).toEqual([0, 1, 2, 0, 1, 2])
  })

  test('a call number past 32 bits falls where it should, never on a negative remainder', () => {
    for (const call of [2 ** 31, 2 ** 31 + 1, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER]) {
      expect(BigInt(callOffset(call, 8))).toBe((BigInt(call) - 1n) % 8n)
    }
    expect([1, 8, 9, 100].map((call) => callOffset(call, 8))).toEqual([0, 7, 0, 3])
  })

  test('weights above the range of small boxed integers are compared by value', () => {
    const strategy = weightedRoundRobin.create({ weights: [200, 200] }, context)
    const winners = picks(strategy, new FakeLoadView(2), 400)
    expect([winners.slice(0, 200), winners.slice(200)]).toEqual([Array(200).fill(0), Array(200).fill(1)])
  })

  test('a worker that is out, or has weight 0, gets no call', () => {
    const view = new FakeLoadView([{}, { candidate: false }, {}, {}])
    const strategy = weightedRoundRobin.create({ weights: [2, 5, 1, 0] }, context)
    expect(picks(strategy, view, 6)).toEqual([0, 0, 2, 0, 0, 2])
  })

  test('without weights the widths of the table count as 1 to 10', () => {
    const view = FakeLoadView.ofLoads([0, 50, 100])
    expect(picks(weightedRoundRobin.create({}, context), view, 14)).toEqual([...Array(10).fill(0), 1, 1, 1, 2])
  })
})
