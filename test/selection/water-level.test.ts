import '../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { waterLevel } from '../../src/selection/water-level.js'

describe('waterLevel', () => {
  test('pours the arrivals over the lowest queues only', () => {
    expect(waterLevel([0, 4, 10], 3, 2)).toBe(2)
    expect(waterLevel([0, 4, 10], 3, 6)).toBe(5)
    expect(waterLevel([0, 4, 10], 3, 16)).toBe(10)
    expect(waterLevel([0, 4, 10], 3, 31)).toBe(15)
  })

  test('without arrivals it lies at the lowest queue', () => {
    expect(waterLevel([7, 3, 3, 9], 4, 0)).toBe(3)
  })

  test('looks at the first count queues only', () => {
    expect(waterLevel([5, 0], 1, 1)).toBe(6)
  })

  test('the room below the level is what arrives', () => {
    const depths = fc.array(fc.nat(50), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(depths, fc.double({ min: 0, max: 500, noNaN: true }), (list, arrivals) => {
        const level = waterLevel(list, list.length, arrivals)
        const room = list.reduce((sum, depth) => sum + Math.max(0, level - depth), 0)
        expect(Math.abs(room - arrivals)).toBeLessThan(1e-9 * (1 + arrivals))
      }),
    )
  })
})
