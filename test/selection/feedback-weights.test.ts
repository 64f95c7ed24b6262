import { describe, expect, test } from 'vitest'
import { FeedbackWeights } from '../../src/selection/feedback-weights.js'
import { FakeLoadView } from '../support/fake-load-view.js'

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
    expect(weights.changes).toBe(0)
    view.set(0, { reportedLoad: 48 })
    expect(all(weights, view)[0]).toBeCloseTo(0.5 + Math.cbrt(0.02), 9)
    expect(weights.changes).toBe(1)
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
