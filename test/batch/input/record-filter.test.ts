import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FilterOptions, RecordFilter } from '../../../src/batch/input/record-filter.js'

const EVERY_RECORD: FilterOptions = {
  skip: 0,
  limit: Number.POSITIVE_INFINITY,
  share: 1,
  pick: undefined,
  seed: 1,
}

function taken(options: Partial<FilterOptions>, total: number): number[] {
  const filter = new RecordFilter({ ...EVERY_RECORD, ...options })
  const found: number[] = []
  for (let at = 0; at < total; at++) {
    expect(filter.isFull).toBe(found.length >= (options.limit ?? Number.POSITIVE_INFINITY))
    if (filter.takes()) found.push(at)
  }
  return found
}

test('without options every record takes part', () => {
  expect(taken({}, 5)).toEqual([0, 1, 2, 3, 4])
})

test('skip comes first, limit last', () => {
  expect(taken({ skip: 2, limit: 2 }, 9)).toEqual([2, 3])
  expect(taken({ limit: 0 }, 9)).toEqual([])
})

test('a picked number is always reached, equal seeds pick alike', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(60), fc.nat(10), fc.integer(), (total, count, skip, seed) => {
      const pick = { count, total }
      const found = taken({ pick, skip, seed, ...(count === 0 ? { limit: 0 } : {}) }, total)
      expect(found).toHaveLength(Math.min(count, Math.max(0, total - skip)))
      expect(found).toEqual(taken({ pick, skip, seed, ...(count === 0 ? { limit: 0 } : {}) }, total))
    }),
    { seed: 23 },
  )
})

test('a share takes about as many, each position alike', () => {
  const hits = taken({ share: 0.25, seed: 9 }, 40_000)
  // Four standard deviations of a binomial of 40,000 at 0.25.
  expect(Math.abs(hits.length - 10_000)).toBeLessThan(350)
  expect(Math.abs(hits.filter((at) => at < 20_000).length - 5_000)).toBeLessThan(250)
})

test('a filter says whether it need not be asked', () => {
  const takesAll = (more: Partial<FilterOptions>) => new RecordFilter({ ...EVERY_RECORD, ...more }).takesAll
  expect(takesAll({})).toBe(true)
  for (const more of [{ skip: 1 }, { limit: 9 }, { share: 0.5 }, { pick: { count: 1, total: 2 } }]) {
    expect(takesAll(more)).toBe(false)
  }
})

test('a filter says how many records take part, as far as that can be known', () => {
  const expected = (more: Partial<FilterOptions>, total?: number) =>
    new RecordFilter({ ...EVERY_RECORD, ...more }).expected(total)
  expect(expected({})).toBeUndefined()
  expect(expected({}, 9)).toBe(9)
  expect(expected({ limit: 5 })).toBe(5)
  expect(expected({ limit: 5, skip: 6 }, 9)).toBe(3)
  expect(expected({ share: 0.5 }, 9)).toBe(5)
  expect(expected({ pick: { count: 4, total: 9 }, skip: 6 })).toBe(3)
  expect(expected({ pick: { count: 4, total: 9 }, limit: 2 })).toBe(2)
})
