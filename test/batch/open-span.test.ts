import { expect, test } from 'vitest'
import { OpenSpan } from '../../src/batch/open-span.js'
import type { RecordOutcome } from '../../src/batch/record-span.js'
import { loneRecord } from './scratch-folder.js'

const START = { input: 0, offset: 5, records: 0 }
const OK: RecordOutcome = { type: 'ok', line: 'x', runMs: undefined }

test('records are passed on at once, and the prefix ends at the oldest one under way', () => {
  const passed: number[] = []
  const span = new OpenSpan(START, (record) => passed.push(record.seq))
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
  const span = new OpenSpan(START, () => undefined)
  const records = [0, 1, 2, 3, 4].map((seq) => loneRecord(seq))
  for (const record of records) span.add(record)
  for (const seq of [2, 0, 4]) span.settle(records[seq]!, OK)
  expect(span.oldest(9).map(({ seq }) => seq)).toEqual([1, 3])
  expect(span.oldest(1).map(({ seq }) => seq)).toEqual([1])
})

test('the prefix never passes an unfinished record', () => {
  const span = new OpenSpan(START, () => undefined)
  const records = [0, 1, 2].map((seq) => loneRecord(seq))
  for (const record of records) span.add(record)
  span.settle(records[1]!, { type: 'unfinished' })
  span.settle(records[2]!, OK)
  span.settle(records[0]!, OK)
  expect(span.prefix).toEqual({ input: 0, offset: 10, records: 1 })
})
