import { describe, expect, test } from 'vitest'
import { Tick } from '../../../src/dispatcher/watch/tick.js'
import { FakeClock } from '../../support/fake-clock.js'

describe('the tick', () => {
  test('runs every 5 ms from start to the first look that needs no more', () => {
    const clock = new FakeClock(0)
    const looks: number[] = []
    let needed = true
    const tick = new Tick(clock, () => {
      looks.push(clock.nowMs())
      return needed
    })
    clock.advance(50)
    expect(looks).toEqual([])
    tick.start()
    clock.advance(14)
    expect(looks).toEqual([55, 60])
    needed = false
    clock.advance(1)
    expect(tick.running).toBe(false)
    clock.advance(100)
    expect(looks).toEqual([55, 60, 65])
    expect(clock.timers).toBe(0)
  })

  test('is one timer however often it is started, and that one holds the process', () => {
    const clock = new FakeClock()
    const tick = new Tick(clock, () => true)
    for (let start = 0; start < 5; start++) tick.start()
    expect([clock.timers, clock.holding]).toEqual([1, 1])
  })

  test('can be started again after it stopped, also from within its own look', () => {
    const clock = new FakeClock()
    let looks = 0
    const tick: Tick = new Tick(clock, () => {
      looks++
      tick.start()
      return false
    })
    tick.start()
    clock.advance(5)
    tick.start()
    clock.advance(5)
    expect(looks).toBe(2)
    expect(tick.running).toBe(false)
  })

  test('says how late it comes, and for how much of that the process stood still', () => {
    const clock = new FakeClock()
    const looks: unknown[] = []
    const tick = new Tick(clock, ({ lateMs, stoppedMs }) => looks.push([lateMs, stoppedMs]) < 4)
    clock.stop(10_000)
    tick.start()
    clock.advance(5)
    clock.block(40)
    clock.advance(0)
    clock.block(300)
    clock.advance(0)
    clock.stop(3_000)
    clock.block(100)
    clock.advance(0)
    expect(looks).toEqual([
      [0, 0],
      [0, 0],
      [295, 0],
      [3_095, 2_995],
    ])
  })
})
