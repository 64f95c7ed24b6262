/**
 * Both ways to draw, scan (3 and 64 workers) and rejection (65 and more), must give the distribution of the widths:
 * seeded, rejected at p = 0.001.
 */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { CandidateList } from '../../src/selection/candidate-list.js'
import { rangeWidth } from '../../src/selection/weight-formulas.js'
import { WidthDraw } from '../../src/selection/width-draw.js'
import { misfit } from '../support/chi-square.js'
import { FakeLoadView } from '../support/fake-load-view.js'
import { scripted } from '../support/seeded-picks.js'

function drawOver(view: FakeLoadView, random: () => number, steepness = 2): WidthDraw {
  const candidates = new CandidateList()
  candidates.refresh(view)
  return new WidthDraw(candidates, random, steepness)
}

describe('WidthDraw', () => {
  test.each([
    [3, 0, 100],
    [64, 0, 100],
    [65, 0, 100],
    [120, 0, 60],
    [120, 85, 100],
  ])('%i workers of loads %i to %i are drawn by their widths, once and among the others', (size, low, high) => {
    const loads = Array.from({ length: size }, (_, k) => Math.round(low + ((high - low) * k) / (size - 1)))
    const view = FakeLoadView.ofLoads(loads)
    const draw = drawOver(view, seededRandom(size + low))
    const widths = loads.map((load) => rangeWidth(load, 2))
    const total = widths.reduce((sum, width) => sum + width, 0)
    const firsts = new Array<number>(size).fill(0)
    const seconds = new Array<number>(size).fill(0)
    for (let k = 0; k < 60_000; k++) {
      const first = draw.first(view)
      const second = draw.second(view)
      expect(second).not.toBe(first)
      firsts[first]!++
      seconds[second]!++
    }
    // P(second = j) = sum over i != j of w_i / total * w_j / (total - w_i). Fewer than 5 expected are left out.
    const odds = widths.map((width, j) =>
      widths.reduce((sum, other, i) => (i === j ? sum : sum + (other / total) * (width / (total - other))), 0),
    )
    const kept = widths.map((width) => (width / total) * 60_000 >= 5)
    const of = (values: number[]) => values.filter((_, k) => kept[k])
    expect(misfit(of(firsts), of(widths))).toBeLessThan(1)
    expect(misfit(of(seconds), of(odds))).toBeLessThan(1)
  })

  test('nobody owns a range: -1; one worker does: that one, without a draw, and no second', () => {
    const none = FakeLoadView.ofLoads([101, 101])
    expect(drawOver(none, scripted()).first(none)).toBe(-1)
    const one = FakeLoadView.ofLoads([101, 100])
    const draw = drawOver(one, scripted())
    expect([draw.first(one), draw.second(one)]).toEqual([1, -1])
  })

  test('among many workers the only one in the table is found', () => {
    const view = FakeLoadView.ofLoads([...new Array<number>(200).fill(101), 100])
    const draw = drawOver(view, seededRandom(1))
    expect([draw.first(view), draw.second(view)]).toEqual([200, -1])
  })
})
