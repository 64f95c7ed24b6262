import { describe, expect, test } from 'vitest'
import { SlotWeights } from '../../src/selection/slot-weights.js'
import { FakeLoadView } from '../support/fake-load-view.js'

const view = new FakeLoadView([{ load: 50, reportedLoad: 100 }, {}, {}, {}])

function all(weights: SlotWeights): number[] {
  return [0, 1, 2, 3].map((index) => weights.of(view, index))
}

describe('SlotWeights', () => {
  test('are the list, and the mean beyond its end: rounded up for whole weights', () => {
    expect(all(new SlotWeights([5, 4], 'exact'))).toEqual([5, 4, 5, 5])
    expect(all(new SlotWeights([0.5, 0.25, 0], 'exact'))).toEqual([0.5, 0.25, 0, 0.25])
  })

  test('without a list they are the widths of the default table, of the load that was asked for', () => {
    expect(all(new SlotWeights(undefined, 'exact'))).toEqual([51 ** 2, 101 ** 2, 101 ** 2, 101 ** 2])
    expect(all(new SlotWeights(undefined, 'reported'))).toEqual([1, 101 ** 2, 101 ** 2, 101 ** 2])
  })

  test('tell whether a list was given', () => {
    expect([new SlotWeights([1], 'exact').given, new SlotWeights(undefined, 'exact').given]).toEqual([true, false])
  })
})
