import { describe, expect, test } from 'vitest'
import { dynamicFeedback, FeedbackWeights } from '../../../src/selection/strategies/dynamic-feedback.js'
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

const unit = { amplification: 1, gain: 1 }

function all(weights: FeedbackWeights, view: FakeLoadView): number[] {
  weights.refresh(view)
  return Array.from({ length: view.size }, (_, index) => weights.of(index))
}

describe('FeedbackWeights', () => {
  test('follow the reports: at the set point A times DW, lighter more, heavier less', () => {
    const view = FakeLoadView.ofLoads([50, 37.5, 62.5, 80, 0, 100])
    const [even, ...rest] = all(new FeedbackWeights(() => 0.5, unit, 0.05), view)
    expect(even).toBe(0.5)
    expect(rest.map((weight) => Number(weight.toFixed(9)))).toEqual([1, 0, 0, 1, 0])
  })

  test('moves that stay within the threshold change nothing', () => {
    const view = FakeLoadView.ofLoads([50, 50])
    const weights = new FeedbackWeights(() => 0.5, unit, 0.25)
    expect(all(weights, view)).toEqual([0.5, 0.5])
    // cbrt(0.01) is 0.215: within the threshold; cbrt(0.02) is 0.271: beyond.
    view.set(0, { reportedLoad: 49 })
    expect(all(weights, view)).toEqual([0.5, 0.5])
    view.set(0, { reportedLoad: 48 })
    expect(all(weights, view)[0]).toBeCloseTo(0.5 + Math.cbrt(0.02), 9)
  })

  test('reports of one version are read once', () => {
    let reads = 0
    const view = new (class extends FakeLoadView {
      override reportedLoad(): number {
        reads++
        return 0
      }
    })(3)
    const weights = new FeedbackWeights(() => 0.5, unit, 0.05)
    for (let k = 0; k < 10; k++) weights.refresh(view)
    expect(reads).toBe(3)
    view.set(0, {})
    weights.refresh(view)
    expect(reads).toBe(6)
  })

  test('a worker of initial weight 0 is not asked', () => {
    const view = FakeLoadView.ofLoads([0, 0])
    view.reportedLoad = (index) => {
      expect(index).toBe(0)
      return 0
    }
    expect(all(new FeedbackWeights((index) => (index === 0 ? 0.5 : 0), unit, 0.05), view)).toEqual([1, 0])
  })

  test('a new worker starts from its initial weight, and a report that cannot be read leaves it there', () => {
    const view = FakeLoadView.ofLoads([0])
    const weights = new FeedbackWeights((index) => 0.5 / (index + 1), unit, 0.05)
    expect(all(weights, view)).toEqual([1])
    view.resize(2)
    view.set(1, { reportedLoad: Number.NaN })
    expect(all(weights, view)).toEqual([1, 0.25])
  })
})
