import { describe, expect, test } from 'vitest'
import { restartDelayMs } from '../../../src/dispatcher/crew/back-off.js'

describe('restart of a thread', () => {
  test('the first is immediate, the next ones double from 50 ms up to 5 s', () => {
    const delays = [0, 1, 2, 3, 4, 8, 9, 50, 5_000].map(restartDelayMs)
    expect(delays).toEqual([0, 0, 50, 100, 200, 3_200, 5_000, 5_000, 5_000])
  })
})
