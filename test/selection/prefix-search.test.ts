import { describe, expect, test } from 'vitest'
import { firstAbove } from '../../src/selection/prefix-search.js'

describe('firstAbove', () => {
  test.each([
    [0, 0],
    [5, 0],
    [6, 1],
    [8, 1],
    [9, 2],
  ])('with sums 6, 9, 10 the draw %i goes to position %i', (draw, position) => {
    expect(firstAbove([6, 9, 10], 3, draw)).toBe(position)
  })

  test('leaves no gap: the draw just below a sum belongs before it, the sum itself after it', () => {
    expect(firstAbove([6, 9, 10], 3, 5.999)).toBe(0)
    expect(firstAbove([6, 9, 10], 3, 8.5)).toBe(1)
  })

  test('never finds an entry of weight 0', () => {
    expect([0, 1, 2].map((draw) => firstAbove([0, 1, 1, 3, 3], 5, draw))).toEqual([1, 3, 3])
  })

  test('looks at the first count entries only and says -1 when none is greater', () => {
    expect(firstAbove([6, 9, 10], 2, 9)).toBe(-1)
    expect(firstAbove([], 0, 0)).toBe(-1)
  })
})
