import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OrderedSpan } from '../../../src/batch/flow/spans.js'
import type { RecordOutcome } from '../../../src/batch/records/record.js'
import { linesOutcome, loneRecord, settledInto, wholeStretch } from '../scratch-folder.js'

const START = { input: 0, offset: 0, records: 0 }
const ok = (line = 'x'): RecordOutcome => ({ type: 'ok', result: line, runMs: undefined })

test('records are passed on in their order, whatever the order in which they settle', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (ranks) => {
      const passed: number[] = []
      const span = new OrderedSpan(
        64,
        START,
        settledInto((record) => passed.push(record.seq)),
      )
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
  const span = new OrderedSpan(
    3,
    START,
    settledInto(() => undefined),
  )
  const records = [0, 1, 2].map((seq) => loneRecord(seq))
  for (const record of records) {
    expect(span.room).toBeGreaterThan(0)
    span.add(record)
  }
  expect(span.room).toBe(0)
  expect(span.oldest(2)).toEqual([records[0], records[1]])
  span.settle(records[1]!, ok())
  expect(span.oldest(2)).toEqual([records[0], records[2]])
  span.settle(records[0]!, ok())
  expect(span.room).toBeGreaterThan(0)
  const wide = new OrderedSpan(
    1000,
    START,
    settledInto(() => undefined),
  )
  const [first, second] = [loneRecord(0), loneRecord(1)]
  wide.add(first)
  wide.add(second)
  wide.settle(second, ok('y'.repeat(2 ** 26 + 1)))
  expect(wide.room).toBe(0)
  wide.settle(first, ok())
  expect(wide.room).toBeGreaterThan(0)
})

test('nothing behind an unfinished record counts as finished', () => {
  const passed: string[] = []
  const span = new OrderedSpan(
    8,
    START,
    settledInto((record, outcome) => passed.push(`${record.seq} ${outcome.type}`)),
  )
  const records = [0, 1, 2].map((seq) => loneRecord(seq))
  for (const record of records) span.add(record)
  span.settle(records[2]!, ok())
  span.settle(records[1]!, { type: 'unfinished' })
  span.settle(records[0]!, ok())
  expect(passed).toEqual(['0 ok', '1 unfinished', '2 unfinished'])
  expect(span.prefix.records).toBe(1)
})

test('records and stretches, whole or split, are passed on in their order, whatever the order in which they settle', () => {
  const entry = fc.record({
    count: fc.integer({ min: 1, max: 5 }),
    isWhole: fc.boolean(),
    rank: fc.nat(),
    isSplit: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 60 }), (entries) => {
      const passed: number[] = []
      const shared = Buffer.alloc(100)
      const span = new OrderedSpan(
        20,
        START,
        settledInto(
          (record, outcome) => passed.push(outcome.type === 'ok' ? record.seq : -1),
          (_, lines) => passed.push(...lines),
        ),
      )
      let under: { rank: number; settle: () => void }[] = []
      const settleAll = (): void => {
        for (const { settle } of under.sort((a, b) => a.rank - b.rank)) settle()
        under = []
      }
      let seq = 0
      for (const { count, isWhole, isSplit, rank } of entries) {
        if (span.room < count) settleAll()
        expect(span.room).toBeGreaterThanOrEqual(count)
        const first = seq
        const stretch = isWhole ? wholeStretch(first, count) : undefined
        const records = Array.from({ length: stretch === undefined ? 1 : count }, (_, at) => loneRecord(first + at))
        const size = span.size
        span.add(stretch ?? records[0]!)
        seq += stretch?.count ?? 1
        expect(span.size).toBe(size + (stretch?.count ?? 1))
        if (stretch !== undefined && !isSplit) {
          const settle = (): void => {
            for (let at = 0; at < count; at++) shared[at] = first + at
            span.settle(stretch, linesOutcome(shared.subarray(0, count)))
            shared.fill(0)
          }
          under.push({ rank, settle })
          continue
        }
        if (stretch !== undefined) span.split(stretch, records)
        for (const record of records) under.push({ rank: rank ^ record.seq, settle: () => span.settle(record, ok()) })
      }
      settleAll()
      expect(passed).toEqual(Array.from({ length: seq }, (_, at) => at))
      expect([span.size, span.prefix.records, span.prefix.offset]).toEqual([0, seq, 10 * seq])
    }),
    { seed: 23 },
  )
})

test('a stretch behind an unfinished record is passed on without its lines', () => {
  const passed: unknown[] = []
  const settled = settledInto(
    (record, outcome) => passed.push(`${record.seq} ${outcome.type}`),
    (stretch, lines) => passed.push([stretch.seq, lines.length]),
  )
  const span = new OrderedSpan(8, START, settled)
  const record = loneRecord(0)
  const [early, late] = [wholeStretch(1, 2), wholeStretch(3, 2)]
  for (const entry of [record, early, late]) span.add(entry)
  expect(span.oldest(9)).toEqual([record, early, late])
  span.settle(early, linesOutcome('xy'))
  expect(span.oldest(9)).toEqual([record, late])
  span.settle(record, { type: 'unfinished' })
  span.settle(late, linesOutcome('z'))
  expect(passed).toEqual(['0 unfinished', '1 unfinished', '3 unfinished'])
  expect(span.prefix.records).toBe(0)
})
