import { describe, expect, test } from 'vitest'
import { boardBenches } from '../../../bench/micro/board/claims.js'
import { queueBenches } from '../../../bench/micro/dispatcher/places/central-queue.js'
import { pickBenches, pickSizes } from '../../../bench/micro/selection/pick.js'
import { catalogue } from '../../../src/selection/catalogue.js'

describe('micro-benchmarks', () => {
  test('cover every strategy at every size', () => {
    const names = pickBenches([4]).map(({ name }) => name)
    expect(names).toEqual(catalogue.map((entry) => `pick, ${entry.name}`))
    expect(Math.min(...pickSizes)).toBe(4)
    expect(Math.max(...pickSizes)).toBe(10_000)
  })

  test('can be called again and again', () => {
    for (const { name, before, call } of [...pickBenches([4, 100]), ...queueBenches().slice(0, 1), ...boardBenches()]) {
      for (let round = 0; round < 3; round++) {
        before?.()
        expect(call, name).not.toThrow()
      }
    }
  })
})
