/**
 * The source's table with its vectors. Its workers are numbered from 1, ours from 0, and its closed ranges [0, 100] are
 * our half-open ones [0, 101). Distributions use seeded draws and are rejected at p = 0.001.
 */
import '../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { RangeTable } from '../../src/selection/range-table.js'
import { misfit } from '../support/chi-square.js'

function tableOf(loads: readonly number[], steepness = 1): RangeTable {
  const table = new RangeTable({ steepness })
  for (const [index, load] of loads.entries()) table.add(index, load)
  return table
}

function draws(table: RangeTable): number[] {
  return Array.from({ length: table.total }, (_, draw) => table.pick(draw))
}

describe('RangeTable', () => {
  test('loads 0, 50, 100 own 101, 51 and 1 of 153', () => {
    const table = tableOf([0, 50, 100])
    expect(table.total).toBe(153)
    expect(table.ranges()).toEqual([
      { index: 0, start: 0, end: 101 },
      { index: 1, start: 101, end: 152 },
      { index: 2, start: 152, end: 153 },
    ])
    expect([0, 100, 101, 151, 152].map((draw) => table.pick(draw))).toEqual([0, 0, 1, 1, 2])
  })

  test('a draw between two whole numbers belongs to the range that holds it', () => {
    const table = tableOf([0, 50, 100])
    expect([100.999, 151.5, 152.999].map((draw) => table.pick(draw))).toEqual([0, 1, 2])
  })

  test('a load above 100 leaves the table and comes back with a lower one', () => {
    const table = tableOf([101, 50])
    expect(table.ranges()).toEqual([{ index: 1, start: 0, end: 51 }])
    expect(table.pick(0)).toBe(1)
    table.update(0, 100)
    expect(table.ranges().map((range) => range.index)).toEqual([0, 1])
  })

  test('with every worker left out, or none at all, the answer is -1 and never worker 0', () => {
    expect(tableOf([101, 101]).pick(0)).toBe(-1)
    expect(new RangeTable().pick(0)).toBe(-1)
    const table = tableOf([10])
    expect(table.pick(0)).toBe(0)
    table.remove(0)
    expect(table.pick(0)).toBe(-1)
  })

  test('a new worker counts as load 100 until its first report', () => {
    const table = tableOf([0])
    table.add(1)
    expect(table.width(1)).toBe(1)
    table.update(1, 0)
    expect(table.width(1)).toBe(101)
  })

  test('ten workers of seeded loads are drawn by their widths', () => {
    const random = seededRandom(2018)
    const loads = Array.from({ length: 10 }, () => 10 + Math.floor(random() * 91))
    const table = tableOf(loads)
    const counts = new Array<number>(10).fill(0)
    for (let draw = 0; draw < 100_000; draw++) counts[table.pick(random() * table.total)]!++
    expect(
      misfit(
        counts,
        loads.map((load) => 101 - load),
      ),
    ).toBeLessThan(1)
    expect(
      misfit(
        counts,
        loads.map((load) => 100 - load),
      ),
      'the text without its + 1',
    ).toBeGreaterThan(1)
  })

  test('every whole draw hits as often as it is wide: no bias from a remainder', () => {
    const table = tableOf([98, 99, 100])
    expect(draws(table)).toEqual([0, 0, 0, 1, 1, 2])
  })

  test('is rebuilt only when it is looked at after a change', () => {
    const table = tableOf([0, 50, 100])
    expect(table.rebuilds).toBe(0)
    draws(table)
    expect(table.rebuilds).toBe(1)
    table.update(1, 50)
    draws(table)
    expect(table.rebuilds, 'an equal load is no change').toBe(1)
    table.update(1, 20)
    table.update(2, 20)
    draws(table)
    expect(table.rebuilds).toBe(2)
  })

  test('above 64 slots reports no longer rebuild anything', () => {
    const table = tableOf(new Array<number>(65).fill(50))
    table.pick(0)
    for (let load = 0; load < 100; load++) {
      table.update(64, load)
      expect(table.total).toBe(64 * 51 + 101 - load)
      expect(table.pick(table.total - 1)).toBe(64)
    }
    expect(table.rebuilds).toBe(1)
  })

  test('sums stay exact in the largest and steepest table', () => {
    const size = 2 ** 16
    const table = tableOf(new Array<number>(size).fill(0), 4)
    expect(table.total).toBe(size * 101 ** 4)
    for (const load of [99.9, 33.3, 100, 0]) table.update(7, load)
    expect(table.total).toBe(size * 101 ** 4)
    expect(table.pick(7 * 101 ** 4)).toBe(7)
    expect(table.pick(7 * 101 ** 4 - 1 / 1024)).toBe(6)
    expect(() => table.add(size)).toThrow(RangeError)
  })

  test('two draws are distinct, and the second follows the widths of the others', () => {
    for (const filler of [0, 70]) {
      const table = tableOf([50, 99, ...new Array<number>(filler).fill(101), 0])
      const last = filler + 2
      for (const other of [0, 1, last, 30 % (last + 1)]) {
        const counts = new Map<number, number>()
        const rest = table.total - table.width(other)
        for (let draw = 0; draw < rest; draw++) {
          const index = table.pickOther(other, draw)
          counts.set(index, (counts.get(index) ?? 0) + 1)
        }
        const others = table.ranges().filter((range) => range.index !== other)
        expect([...counts].sort(([a], [b]) => a - b)).toEqual(
          others.map((range) => [range.index, range.end - range.start]),
        )
      }
    }
    expect(tableOf([50]).pickOther(0, 0)).toBe(-1)
  })

  test('a draw outside the table, an unknown worker, a worker twice and a load that is none are refused', () => {
    const table = tableOf([0, 50])
    expect(() => table.pick(152)).toThrow(RangeError)
    expect(() => table.pick(-0.1)).toThrow(RangeError)
    expect(() => table.pick(Number.NaN)).toThrow(RangeError)
    expect(() => table.pickOther(0, 51)).toThrow(RangeError)
    expect(() => table.update(2, 0)).toThrow(/not in the table/)
    expect(() => table.add(1)).toThrow(/already/)
    expect(() => table.add(2, -1)).toThrow(RangeError)
    expect(() => table.update(1, Number.NaN)).toThrow(RangeError)
    expect(() => table.add(-1)).toThrow(RangeError)
    expect(() => table.add(0.5)).toThrow(RangeError)
    expect(() => new RangeTable({ steepness: -1 })).toThrow(RangeError)
    expect(table.remove(2)).toBe(false)
  })
})

type Step = readonly ['add' | 'update' | 'remove', index: number, load: number]

/** Slots gather at both sides of the limit between scan and tree. */
const slot = fc.oneof(fc.nat(8), fc.integer({ min: 60, max: 70 }), fc.nat(150))
const load = fc.oneof(fc.nat(110), fc.double({ min: 0, max: 102, noNaN: true }))
const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom('add', 'update', 'remove'), slot, load)

describe('any sequence of changes', () => {
  test('leaves the same table as building it afresh, ranges contiguous and none for a worker that is out', () => {
    const steepness = fc.constantFrom(1, 2, 2.5)
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steepness, fc.boolean(), (steps, power, looks) => {
        const table = new RangeTable({ steepness: power })
        const members = new Map<number, number>()
        for (const [kind, index, value] of steps) {
          if (kind === 'remove') expect(table.remove(index)).toBe(members.delete(index))
          else {
            if (members.has(index)) table.update(index, value)
            else table.add(index, value)
            members.set(index, value)
          }
          if (looks && table.total > 0) table.pick(table.total / 2)
        }
        const fresh = new RangeTable({ steepness: power })
        for (const [index, value] of [...members].sort(([a], [b]) => a - b)) fresh.add(index, value)
        const ranges = table.ranges()
        expect(ranges).toEqual(fresh.ranges())
        expect(table.total).toBe(fresh.total)
        let end = 0
        for (const range of ranges) {
          expect(range.start).toBe(end)
          expect(range.end).toBeGreaterThan(range.start)
          expect(members.get(range.index)).toBeLessThanOrEqual(100)
          end = range.end
          const inside = [range.start, (range.start + range.end) / 2]
          expect(inside.map((draw) => table.pick(draw))).toEqual([range.index, range.index])
        }
        expect(table.total).toBe(end)
        if (end === 0) expect(table.pick(0)).toBe(-1)
      }),
      { numRuns: 200 },
    )
  })
})
