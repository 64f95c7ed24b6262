import { describe, expect, test } from 'vitest'
import { dynamicFeedback } from '../../../src/selection/strategies/dynamic-feedback.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

const context = { random: scripted() }
const standard = { amplification: 1, gain: 1, threshold: 0.05 }

describe('dynamic-feedback', () => {
  test('work follows the weights: at headrooms 0.625, 0.5 and 0.375 as 2 to 1 to 0', () => {
    const view = FakeLoadView.ofLoads([37.5, 50, 62.5])
    expect(tally(dynamicFeedback.create(standard, context), view, 300)).toEqual([200, 100, 0])
  })

  test('turns are smooth, not in bursts', () => {
    const view = FakeLoadView.ofLoads([37.5, 50])
    expect(picks(dynamicFeedback.create(standard, context), view, 6)).toEqual([0, 1, 0, 0, 1, 0])
  })

  test('a worker of initial weight 0 gets nothing, even when it alone is free', () => {
    const view = FakeLoadView.ofLoads([50, 0, 50])
    const strategy = dynamicFeedback.create({ ...standard, weights: [0.5, 0, 0.5] }, context)
    expect(tally(strategy, view, 100)).toEqual([50, 0, 50])
    view.set(0, { candidate: false })
    view.set(2, { candidate: false })
    expect(strategy.pick(view, {})).toBe(-1)
  })

  test('when all are overloaded work is spread alike', () => {
    const view = FakeLoadView.ofLoads([80, 90, 100])
    expect(tally(dynamicFeedback.create(standard, context), view, 30)).toEqual([10, 10, 10])
  })

  test('a report within the threshold does not move work, one beyond it does', () => {
    const view = FakeLoadView.ofLoads([50, 50])
    const strategy = dynamicFeedback.create({ ...standard, threshold: 0.25 }, context)
    expect(tally(strategy, view, 100)).toEqual([50, 50])
    view.set(0, { reportedLoad: 51 })
    expect(tally(strategy, view, 100)).toEqual([50, 50])
    view.set(0, { reportedLoad: 62.5 })
    expect(tally(strategy, view, 100)).toEqual([0, 100])
  })

  test('a change of membership restarts the turns', () => {
    const view = FakeLoadView.ofLoads([37.5, 50])
    const strategy = dynamicFeedback.create(standard, context)
    strategy.pick(view, {})
    strategy.membershipChanged?.(view)
    expect(picks(strategy, view, 3)).toEqual([0, 1, 0])
  })
})
