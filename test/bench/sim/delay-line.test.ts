import { describe, expect, test } from 'vitest'
import { DelayLine } from '../../../bench/sim/delay-line.js'

describe('DelayLine', () => {
  test('delivers in the order sent, each after the delay', () => {
    const line = new DelayLine(0.5)
    expect(line.dueMs).toBe(Number.POSITIVE_INFINITY)
    line.send(1, 7, 70)
    line.send(2, 8, 80)
    expect([line.length, line.dueMs, line.first, line.second]).toEqual([2, 1.5, 7, 70])
    line.drop()
    expect([line.length, line.dueMs, line.first, line.second]).toEqual([1, 2.5, 8, 80])
  })

  test('grows while its contents wrap around the end of the ring', () => {
    const line = new DelayLine(0)
    let sent = 0
    let taken = 0
    for (let round = 0; round < 300; round++) {
      for (let i = 0; i < 3; i++) line.send(sent, sent++, -sent)
      expect(line.first).toBe(taken)
      expect(line.second).toBe(-taken - 1)
      line.drop()
      taken++
    }
    expect(line.length).toBe(sent - taken)
  })
})
