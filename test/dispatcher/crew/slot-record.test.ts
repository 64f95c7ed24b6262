import { expect, test } from 'vitest'
import { SlotRecord } from '../../../src/dispatcher/crew/slot-record.js'

test('a first crash costs no wait, each further one twice the last', () => {
  const record = new SlotRecord()
  expect(Array.from({ length: 4 }, () => record.ended(true, false, 1_000))).toEqual([0, 50, 100, 200])
  expect(record).toMatchObject({ failuresToRun: 4, startAtMs: 1_200, cannotLoad: false })
})

test('a module that cannot be loaded waits from the first time on, and for work', () => {
  const record = new SlotRecord()
  expect([record.ended(false, true, 0), record.cannotLoad]).toEqual([50, true])
  expect(record.ended(false, true, 0)).toBe(100)
})

test('an end that was asked for costs nothing', () => {
  const record = new SlotRecord()
  record.ended(true, false, 0)
  record.ended(true, false, 0)
  expect(record.ended(false, false, 7)).toBe(0)
  expect(record).toMatchObject({ failuresToRun: 2, startAtMs: 7 })
})
