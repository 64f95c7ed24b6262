import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OrderedSpan } from '../../src/batch/ordered-span.js'
import type { RecordOutcome } from '../../src/batch/record-span.js'
import { loneRecord } from './scratch-folder.js'

const START = { input: 0, offset: 0, records: 0 }
const ok = (line = 'x'): RecordOutcome => ({ type: 'ok', line, runMs: undefined })

test('records are passed on in their order, whatever the order in which they settle', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (ranks) => {
      const passed: number[] = []
      const span = new OrderedSpan(64, START, (record) => passed.push(record.seq))
      const records = ranks.map((_, seq) => loneRecord(seq))
      for (const record of records) span.add(record)
      const order = records.map((record, index) => ({ record, rank: ranks[index]! })).sort((a, b) => a.rank - b.rank)
      const settled = new Set<number>()
      for (const { record } of order) {
        span.settle(record, ok())
        settled.add(record.seq)
        let prefix = 0
        while (settled.has(prefix)) prefix++
        expect(passed).toEqual(Array.from({ length: prefix }, (_, seq) => seq))
        expect(span.prefix.records).toBe(prefix)
        expect(span.prefix.offset).toBe(prefix * 10)
        expect(span.size).toBe(records.length - prefix)
      }
    }),
    { seed: 17 },
  )
})

test('the span is full at its limit, and when it holds too much text', () => {
  const span = new OrderedSpan(3, START, () => undefined)
  const records = [0, 1, 2].map((seq) => loneRecord(seq))
  for (const record of records) {
    expect(span.isFull).toBe(false)
    span.add(record)
  }
  expect(span.isFull).toBe(true)
  expect(span.oldest(2)).toEqual([records[0], records[1]])
  span.settle(records[1]!, ok())
  expect(span.oldest(2)).toEqual([records[0], records[2]])
  span.settle(records[0]!, ok())
  expect(span.isFull).toBe(false)
  const wide = new OrderedSpan(1000, START, () => undefined)
  const [first, second] = [loneRecord(0), loneRecord(1)]
  wide.add(first)
  wide.add(second)
  wide.settle(second, ok('y'.repeat(2 ** 26 + 1)))
  expect(wide.isFull).toBe(true)
  wide.settle(first, ok())
  expect(wide.isFull).toBe(false)
})

test('nothing behind an unfinished record counts as finished', () => {
  const passed: string[] = []
  const span = new OrderedSpan(8, START, (record, outcome) => passed.push(`${record.seq} ${outcome.type}`))
  const records = [0, 1, 2].map((seq) => loneRecord(seq))
  for (const record of records) span.add(record)
  span.settle(records[2]!, ok())
  span.settle(records[1]!, { type: 'unfinished' })
  span.settle(records[0]!, ok())
  expect(passed).toEqual(['0 ok', '1 unfinished', '2 unfinished'])
  expect(span.prefix.records).toBe(1)
})
