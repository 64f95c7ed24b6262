import { describe, expect, test } from 'vitest'
import { SharedUnits, type UnitShare } from '../../../src/batch/records/shared-units.js'

function takeAll(share: UnitShare): number[] {
  const taken: number[] = []
  for (let unit = share.take(); unit !== undefined; unit = share.take()) taken.push(unit)
  return taken
}

describe('units that runs share', () => {
  test('are never held twice, and the one given back last is taken next', () => {
    const units = new SharedUnits(20, 1)
    const [one, other] = [units.join(), units.join()]
    const taken = [...takeAll(one), ...takeAll(other)]
    expect(new Set(taken).size).toBe(taken.length)
    const lone = new SharedUnits(20, 1).join()
    const own = [lone.take()!, lone.take()!, lone.take()!]
    lone.give(own[1]!)
    expect(lone.take()).toBe(own[1])
  })

  test('go nearly all to one that is alone, and something is left for the next', () => {
    const units = new SharedUnits(64, 2)
    const first = takeAll(units.join()).length
    expect(first).toBeGreaterThanOrEqual(50)
    expect(takeAll(units.join()).length).toBeGreaterThanOrEqual(10)
  })

  test('end up in equal parts, whoever came first', () => {
    const units = new SharedUnits(64, 2)
    const [early, late] = [units.join(), units.join()]
    const held = [takeAll(early), takeAll(late)] as const
    for (let round = 0; round < 300; round++) {
      // Each finishes its oldest and takes what it may.
      early.give(held[0].shift()!)
      held[0].push(...takeAll(early))
      late.give(held[1].shift()!)
      held[1].push(...takeAll(late))
    }
    expect(Math.abs(held[0].length - held[1].length)).toBeLessThanOrEqual(3)
  })

  test('are kept back for each run as far as it needs them to get on', () => {
    const units = new SharedUnits(6, 2)
    const [one, two, three] = [units.join(), units.join(), units.join()]
    expect(takeAll(one).length).toBe(2)
    expect(takeAll(two).length).toBe(2)
    expect(takeAll(three).length).toBe(2)
  })

  test('are handed to those who wait in their order', async () => {
    const units = new SharedUnits(2, 1)
    const [holder, first, second] = [units.join(), units.join(), units.join()]
    const unit = holder.take()!
    const other = first.take()!
    const order: string[] = []
    const waits = [first.wait().then(() => order.push('first')), second.wait().then(() => order.push('second'))]
    // The second has none yet, and one is kept back for it.
    holder.give(unit)
    await waits[1]
    expect(order).toEqual(['second'])
    holder.leave()
    first.give(other)
    await waits[0]
    expect(order).toEqual(['second', 'first'])
  })

  test('are no longer given to a run that is over', () => {
    const units = new SharedUnits(4, 1)
    const [gone, other] = [units.join(), units.join()]
    const held = takeAll(gone)
    void gone.wait()
    gone.leave()
    expect(gone.take()).toBeUndefined()
    for (const unit of held) gone.give(unit)
    expect(units.free).toBe(4)
    expect(takeAll(other).length).toBeGreaterThan(2)
  })
})
