import { expect, test } from 'vitest'
import { OpenSpan } from '../../../src/batch/flow/spans.js'
import type { RecordOutcome } from '../../../src/batch/records/record.js'
import { linesOutcome, loneRecord, settledInto, wholeStretch } from '../scratch-folder.js'

const START = { input: 0, offset: 5, records: 0 }
const OK: RecordOutcome = { type: 'ok', result: 'x', runMs: undefined }

test('records are passed on at once, and the prefix ends at the oldest one under way', () => {
  const passed: number[] = []
  const span = new OpenSpan(
    START,
    settledInto((record) => passed.push(record.seq)),
  )
  expect(span.prefix).toEqual(START)
  const records = [0, 1, 2, 3].map((seq) => loneRecord(seq))
  for (const record of records) span.add(record)
  const prefixes = [1, 0, 3, 2].map((seq) => {
    span.settle(records[seq]!, OK)
    return span.prefix.records
  })
  expect(passed).toEqual([1, 0, 3, 2])
  expect(prefixes).toEqual([0, 2, 2, 4])
  expect(span.size).toBe(0)
  expect(span.prefix.offset).toBe(40)
})

test('the oldest come first, however many left in between', () => {
  const span = new OpenSpan(
    START,
    settledInto(() => undefined),
  )
  const records = [0, 1, 2, 3, 4].map((seq) => loneRecord(seq))
  for (const record of records) span.add(record)
  for (const seq of [2, 0, 4]) span.settle(records[seq]!, OK)
  expect(span.oldest(9).map(({ seq }) => seq)).toEqual([1, 3])
  expect(span.oldest(1).map(({ seq }) => seq)).toEqual([1])
})

test('the prefix never passes an unfinished record', () => {
  const span = new OpenSpan(
    START,
    settledInto(() => undefined),
  )
  const records = [0, 1, 2].map((seq) => loneRecord(seq))
  for (const record of records) span.add(record)
  span.settle(records[1]!, { type: 'unfinished' })
  span.settle(records[2]!, OK)
  span.settle(records[0]!, OK)
  expect(span.prefix).toEqual({ input: 0, offset: 10, records: 1 })
})

test('a stretch counts for all its records, settles as one or is split in its place', () => {
  const passed: unknown[] = []
  const settled = settledInto(
    (record) => passed.push(record.seq),
    (stretch, lines) => passed.push([stretch.seq, lines.toString()]),
  )
  const span = new OpenSpan(START, settled)
  const [first, middle, last] = [wholeStretch(0, 2), wholeStretch(2, 3), wholeStretch(5, 2)]
  for (const stretch of [first, middle, last]) span.add(stretch)
  expect(span.size).toBe(7)
  span.settle(first, linesOutcome('ab'))
  expect(span.prefix.records).toBe(2)
  const records = [2, 3, 4].map((seq) => loneRecord(seq))
  span.split(middle, records)
  expect(span.oldest(9).map(({ seq }) => seq)).toEqual([2, 3, 4, 5])
  span.settle(records[0]!, OK)
  expect(span.prefix.records).toBe(3)
  span.settle(last, linesOutcome('fg'))
  span.settle(records[2]!, OK)
  expect(span.prefix.records).toBe(3)
  span.settle(records[1]!, OK)
  expect(span.prefix).toEqual({ input: 0, offset: 70, records: 7 })
  expect([span.size, span.oldest(1)]).toEqual([0, []])
  expect(passed).toEqual([[0, 'ab'], 2, [5, 'fg'], 4, 3])
  const alone = wholeStretch(7, 1)
  span.add(alone)
  const only = loneRecord(7)
  span.split(alone, [only])
  span.settle(only, OK)
  expect([span.size, span.prefix.records]).toEqual([0, 8])
})
